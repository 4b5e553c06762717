import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { z } from "zod";
import { isEndpoint, type ModelSettings } from "../endpoint/endpoint.js";
import { makeFolder, PRIVATE } from "../store/make-folder.js";
import { langchainChat } from "./chat-langchain.js";
import { openaiChat } from "./chat-openai.js";
import type { Chat } from "./port.js";

/** A chat model in any form: a Chat, LangChain's, or an endpoint's settings. */
export type AnyChat = Chat | BaseChatModel | ModelSettings;

/**
 * @param options.cache a folder that caches replies. Default: no cache.
 * @param options.timeoutMs how long the model may be silent (default 300,000); a Chat keeps its own.
 */
export function openChat(
  given: AnyChat,
  { cache, timeoutMs }: { cache?: string | undefined; timeoutMs?: number } = {},
): Chat {
  // Distinguished by shape, since a chat model may come from another copy of LangChain.
  const chat =
    "send" in given ? given : isEndpoint(given) ? openaiChat({ ...given, timeoutMs }) : langchainChat(given, timeoutMs);
  return cache ? cachedChat(chat, cache) : chat;
}

/**
 * Caches replies in a folder, one file each, named by a hash of the model with its settings, the messages, the schema and the sampling.
 * A hit reports the tokens of the original call, so that every run of an evaluation counts the same calls and tokens; only
 * the time differs. A file that cannot be read is a miss; a failure to write is ignored.
 */
const cachedChat = (chat: Chat, folder: string): Chat => ({
  ...chat,
  ...(chat.withModel && { withModel: (model) => cachedChat(chat.withModel?.(model) ?? chat, folder) }),
  async send(request) {
    const { messages, format, schema, schemaName, temperature, topP } = request;
    const key = JSON.stringify([chat.identity, messages, format, schema, schemaName, { temperature, topP }]);
    const file = join(folder, `${createHash("sha256").update(key).digest("hex")}.json`);
    const kept = await readFile(file, "utf8")
      .then((text) => Reply.parse(JSON.parse(text)))
      .catch(() => undefined);
    if (kept) {
      request.onText?.(kept.text);
      return kept;
    }
    const reply = await chat.send(request);
    // A partly written file is a miss, and is written again.
    await makeFolder(folder)
      .then(() => writeFile(file, JSON.stringify(reply), PRIVATE))
      .catch(() => undefined);
    return reply;
  },
});

const count = z.number().int().min(0);
const Reply = z.object({
  text: z.string(),
  cut: z.boolean(),
  usage: z.object({ inputTokens: count, cachedTokens: count, outputTokens: count }),
});
