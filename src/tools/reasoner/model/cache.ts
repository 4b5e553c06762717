import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { makeFolder } from "../../store/make-folder.js";
import type { Chat, ChatReply } from "./chat.js";

/**
 * Caches replies in a folder, one file each, named by a hash of the model with its settings, the messages and the schema.
 * A hit reports the tokens of the original call, so that every run of an evaluation counts the same calls and tokens; only
 * the time differs. A file that cannot be read is a miss; a failure to write is ignored.
 */
export function cachedChat(chat: Chat, folder: string): Chat {
  return {
    ...chat,
    async send(request) {
      const { messages, format, schema, schemaName } = request;
      const key = createHash("sha256")
        .update(JSON.stringify([chat.identity, messages, format, schema, schemaName]))
        .digest("hex");
      const file = join(folder, `${key}.json`);
      const kept = await read(file);
      if (kept) {
        request.onText?.(kept.text);
        return kept;
      }
      const reply = await chat.send(request);
      // A partly written file is a miss, and is written again.
      await makeFolder(folder)
        .then(() => writeFile(file, JSON.stringify(reply)))
        .catch(() => undefined);
      return reply;
    },
  };
}

const count = z.number().int().min(0);
const Reply = z.object({
  text: z.string(),
  cut: z.boolean(),
  usage: z.object({ inputTokens: count, cachedTokens: count, outputTokens: count }),
});

async function read(file: string): Promise<ChatReply | undefined> {
  try {
    return Reply.parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return undefined;
  }
}
