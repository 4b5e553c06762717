import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createAgent } from "../../../src/agent.js";
import type { Tools } from "../../../src/graph/parts.js";
import { fakePassage, fakeTools } from "../../../src/testing/index.js";
import { sqliteThreads } from "../../../src/tools/threads/sqlite.js";
import { threadsContract } from "../../contract/threads.js";

const file = () => join(mkdtempSync(join(tmpdir(), "emend-threads-")), "conversations.sqlite");

threadsContract("A SQLite file", async () => file());

test("a file that is no database is named, and left as it is", async () => {
  const path = file();
  const notes = "This is no database, but somebody's notes, which must not be lost.".repeat(20);
  writeFileSync(path, notes);
  await expect(sqliteThreads(path).threads()).rejects.toThrow(
    /conversations in .*conversations\.sqlite cannot be opened/,
  );
  expect(readFileSync(path, "utf8")).toBe(notes);
});

test("an answer keeps its id, its citations and the tokens that it took", async () => {
  const path = file();
  const first = sqliteThreads(path);
  const tools = fakeTools({ passages: [fakePassage("leave", "Staff have 28 days of paid leave.")] });
  const generator: Tools["generator"] = {
    generate: (task, call, onClaim) => {
      call.spent({ calls: 1, inputTokens: 120, cachedTokens: 100, outputTokens: 8 });
      return tools.generator.generate(task, call, onClaim);
    },
  };
  const question = "How many days of paid leave do staff have?";
  await createAgent({ tools: { ...tools, generator }, checkpointer: first }).ask(question, { threadId: "a" });
  await first.close();
  const again = sqliteThreads(path);
  const { graph } = createAgent({ tools, checkpointer: again });
  const last = async () => (await graph.getState({ configurable: { thread_id: "a" } })).values.messages.at(-1);
  const message = await last();
  expect(message.usage_metadata).toEqual({
    input_tokens: 120,
    output_tokens: 8,
    total_tokens: 128,
    input_token_details: { cache_read: 100 },
  });
  expect(message.additional_kwargs.emend.citations).toMatchObject([{ quote: "Staff have 28 days of paid leave." }]);
  expect((await last()).id).toBe(message.id);
  await again.close();
});
