import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
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

test("a write that fails fails its own question alone, in words", { timeout: 60_000 }, async () => {
  const path = file();
  const threads = sqliteThreads(path);
  const agent = createAgent({
    tools: fakeTools({ passages: [fakePassage("leave", "Staff have 28 days of paid leave.")] }),
    checkpointer: threads,
  });
  const ask = (question: string) => agent.ask(question, { threadId: "a" });
  await ask("How many days of paid leave do staff have?");
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on("unhandledRejection", note);
  const other = new DatabaseSync(path);
  try {
    other.exec("BEGIN IMMEDIATE");
    await expect(ask("Do staff have paid leave?")).rejects.toThrow(
      /cannot be written \(database is locked\).*try again/,
    );
    other.exec("ROLLBACK");
    expect((await ask("Who has 28 days of leave?")).status).toBe("answered");
  } finally {
    process.off("unhandledRejection", note);
    other.close();
  }
  expect(unhandled).toEqual([]);
  expect(await threads.conversation("a")).toHaveLength(4);
  await threads.close();
});

test("a file of an earlier version is read, and its conversations go on", async () => {
  const path = file();
  const before = sqliteThreads(path);
  const tools = fakeTools({ passages: [fakePassage("leave", "Staff have 28 days of paid leave.")] });
  const ask = (checkpointer: typeof before, question: string) =>
    createAgent({ tools, checkpointer }).ask(question, { threadId: "a" });
  await ask(before, "How many days of paid leave do staff have?");
  await before.close();
  const earlier = new DatabaseSync(path);
  earlier.exec("DROP INDEX steps_n; ALTER TABLE steps DROP COLUMN n; ALTER TABLE steps DROP COLUMN at");
  earlier.close();
  const after = sqliteThreads(path);
  await ask(after, "How many days of leave is that?");
  expect(await after.conversation("a")).toHaveLength(4);
  expect(await after.deleteBefore(new Date(Date.now() - 60_000))).toBe(0);
  await after.close();
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
