import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test, vi } from "vitest";
import { createAgent } from "../../../src/agent.js";
import type { Tools } from "../../../src/state/tools.js";
import { fakePassage, fakeTools } from "../../../src/testing/index.js";
import { openDatabase } from "../../../src/tools/store/open.js";
import { sqlThreads } from "../../../src/tools/threads/sql.js";
import { sqlThreadsContract } from "../../contract/threads.js";

const folder = () => mkdtempSync(join(tmpdir(), "emend-threads-"));

sqlThreadsContract("A SQLite file", async () => folder());

test("a failed write fails only its own question, with a clear error", { timeout: 60_000 }, async () => {
  const path = folder();
  const threads = sqlThreads(openDatabase(path));
  const agent = createAgent({
    tools: fakeTools({ passages: [fakePassage("leave", "Staff have 28 days of paid leave.")] }),
    checkpointer: threads,
  });
  const ask = (question: string) => agent.ask(question, { threadId: "a" });
  await ask("How many days of paid leave do staff have?");
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on("unhandledRejection", note);
  const other = new DatabaseSync(join(path, "emend.db"));
  // A writer gives up after 20 seconds of this clock.
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, "now").mockImplementation(() => 20 * now());
  try {
    other.exec("BEGIN IMMEDIATE");
    await expect(ask("Do staff have paid leave?")).rejects.toThrow(/has been writing to .*Try again once it is done/);
    clock.mockRestore();
    other.exec("ROLLBACK");
    expect((await ask("Who has 28 days of leave?")).status).toBe("answered");
  } finally {
    clock.mockRestore();
    process.off("unhandledRejection", note);
    other.close();
  }
  expect(unhandled).toEqual([]);
  expect(await threads.conversation("a")).toHaveLength(4);
  await threads.close();
});

test("a conversation with a flipped bit is reported as damaged, and others can be read", async () => {
  const path = folder();
  const threads = sqlThreads(openDatabase(path));
  const agent = createAgent({
    tools: fakeTools({ passages: [fakePassage("leave", "Staff have 28 days of paid leave.")] }),
    checkpointer: threads,
  });
  for (const threadId of ["a", "b"]) await agent.ask("How many days of paid leave do staff have?", { threadId });
  const other = new DatabaseSync(join(path, "emend.db"));
  const { message } = other.prepare("SELECT message FROM said WHERE thread = 'a' AND place = 1").get() ?? {};
  const flipped = Uint8Array.from(message as Uint8Array);
  for (let at = 0; at < flipped.length; at++) {
    flipped[at] = (flipped[at] ?? 0) ^ 1;
    other.prepare("UPDATE said SET message = ? WHERE thread = 'a' AND place = 1").run(flipped);
    await expect(threads.conversation("a")).rejects.toThrow(/conversation is damaged.*Begin another one/);
    flipped[at] = (flipped[at] ?? 0) ^ 1;
  }
  expect(await threads.conversation("b")).toHaveLength(2);
  other.close();
  await threads.close();
});

test("a stored answer keeps its id, its citations and its token usage", async () => {
  const path = folder();
  const first = sqlThreads(openDatabase(path));
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
  const again = sqlThreads(openDatabase(path));
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
