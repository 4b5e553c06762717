import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { isEndpoint, type ModelSettings } from "../../../config.js";
import { cachedChat } from "./cache.js";
import type { Chat } from "./chat.js";
import { langchainChat } from "./langchain.js";
import { openaiChat } from "./openai.js";

/** A chat model as it was given: ready, LangChain's, or an endpoint's settings. */
export type AnyChat = Chat | BaseChatModel | ModelSettings;

/**
 * @param options.cache a folder that keeps replies; none by default.
 * @param options.timeoutMs how long one request may take (default 300,000); a chat that is ready keeps its own.
 */
export function openChat(given: AnyChat, { cache, timeoutMs }: OpenChatOptions = {}): Chat {
  const chat = opened(given, timeoutMs);
  return cache === undefined ? chat : cachedChat(chat, cache);
}

interface OpenChatOptions {
  cache?: string | undefined;
  timeoutMs?: number | undefined;
}

function opened(given: AnyChat, timeoutMs: number | undefined): Chat {
  // By its shape: a chat model may come from another copy of LangChain.
  if ("send" in given) return given;
  return isEndpoint(given)
    ? openaiChat({ ...given, ...(timeoutMs !== undefined && { timeoutMs }) })
    : langchainChat(given, timeoutMs);
}
