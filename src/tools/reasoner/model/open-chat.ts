import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { isEndpoint, type ModelSettings } from "../../../config.js";
import { cachedChat } from "./cache.js";
import type { Chat } from "./chat.js";
import { langchainChat } from "./langchain.js";
import { openaiChat } from "./openai.js";

/** A chat model in any form: a Chat, LangChain's, or an endpoint's settings. */
export type AnyChat = Chat | BaseChatModel | ModelSettings;

/**
 * @param options.cache a folder that caches replies. Default: no cache.
 * @param options.timeoutMs how long one request may take (default 300,000); a Chat keeps its own.
 */
export function openChat(
  given: AnyChat,
  { cache, timeoutMs }: { cache?: string | undefined; timeoutMs?: number } = {},
): Chat {
  // Told apart by shape, since a chat model may come from another copy of LangChain.
  const chat =
    "send" in given ? given : isEndpoint(given) ? openaiChat({ ...given, timeoutMs }) : langchainChat(given, timeoutMs);
  return cache === undefined ? chat : cachedChat(chat, cache);
}
