import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Command, MemorySaver } from "@langchain/langgraph";
import { describe, expect, test } from "vitest";
import { createAgent } from "../../../src/agent.js";
import { createGraph } from "../../../src/graph/build.js";
import type { Tools } from "../../../src/graph/parts.js";
import { fakeGrader, fakePassage, fakeTools } from "../../../src/testing/index.js";
import { sqliteThreads } from "../../../src/tools/threads/sqlite.js";

const file = () => join(mkdtempSync(join(tmpdir(), "emend-threads-")), "conversations.sqlite");
const tools = () => fakeTools({ passages: [fakePassage("leave", "Staff have 28 days of paid leave.")] });
const QUESTION = "How many days of paid leave do staff have?";

describe("conversations in a file", () => {
  test("go on in another program", async () => {
    const path = file();
    const first = sqliteThreads(path);
    await createAgent({ tools: tools(), checkpointer: first }).ask(QUESTION, { threadId: "a" });
    first.close();
    const again = sqliteThreads(path);
    const agent = createAgent({ tools: tools(), checkpointer: again });
    await agent.ask("And who approves it?", { threadId: "a" });
    const { values } = await agent.graph.getState({ configurable: { thread_id: "a" } });
    expect(values.messages.map((message: { text: string }) => message.text)).toEqual([
      QUESTION,
      expect.stringContaining("28 days"),
      "And who approves it?",
      expect.any(String),
    ]);
    expect(again.threads()).toEqual(["a"]);
    again.close();
  });

  test("keep with each answer its id, its citations and the tokens it took", async () => {
    const path = file();
    const first = sqliteThreads(path);
    const generator: Tools["generator"] = {
      generate: (task, call, onClaim) => {
        call.spent({ calls: 1, inputTokens: 120, cachedTokens: 100, outputTokens: 8 });
        return tools().generator.generate(task, call, onClaim);
      },
    };
    await createAgent({ tools: { ...tools(), generator }, checkpointer: first }).ask(QUESTION, { threadId: "a" });
    first.close();
    const again = sqliteThreads(path);
    const { graph } = createAgent({ tools: tools(), checkpointer: again });
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
    again.close();
  });

  test("hold what LangGraph's own saver in memory holds, step by step", async () => {
    const savers = [sqliteThreads(":memory:"), new MemorySaver()];
    const histories = await Promise.all(
      savers.map(async (checkpointer) => {
        const graph = createGraph(fakeTools({ grader: fakeGrader({ clarification: "Which staff?" }) }), {
          checkpointer,
        });
        const config = { configurable: { thread_id: "t" } };
        await graph.invoke({ question: QUESTION }, config);
        await graph.invoke(new Command({ resume: "Full-time staff" }), config);
        const steps = [];
        for await (const { next, values, metadata, tasks } of graph.getStateHistory(config))
          steps.push({ next, metadata, queries: values.queries, waits: tasks.flatMap(({ interrupts }) => interrupts) });
        return JSON.parse(JSON.stringify(steps).replace(/"id":"[0-9a-f-]+"/g, '"id":""'));
      }),
    );
    expect(histories[0].length).toBeGreaterThan(5);
    expect(histories[0]).toEqual(histories[1]);
  });

  test("are found by what is asked for: newest first, before a step, by metadata, so many", async () => {
    const saver = sqliteThreads(":memory:");
    const agent = createAgent({ tools: tools(), checkpointer: saver });
    for (const threadId of ["a", "b"]) await agent.ask(QUESTION, { threadId });
    const all = async (...given: Parameters<typeof saver.list>) => Array.fromAsync(saver.list(...given));
    const ofA = await all({ configurable: { thread_id: "a" } });
    const ids = ofA.map(({ config }) => config.configurable?.checkpoint_id);
    expect(ids).toEqual(ids.toSorted().toReversed());
    expect(await all({ configurable: { thread_id: "a" } }, { limit: 2 })).toEqual(ofA.slice(0, 2));
    expect(await all({ configurable: { thread_id: "a" } }, { before: ofA[2]?.config ?? {} })).toEqual(ofA.slice(3));
    expect(await all({ configurable: { thread_id: "a" } }, { filter: { step: 1 } })).toHaveLength(1);
    expect((await all({})).length).toBe(2 * ofA.length);
    await saver.deleteThread("a");
    expect(await all({ configurable: { thread_id: "a" } })).toEqual([]);
    expect(saver.threads()).toEqual(["b"]);
  });

  test("keep the newest steps, and with them all that was said", async () => {
    const saver = sqliteThreads(":memory:", { steps: 5 });
    const agent = createAgent({ tools: tools(), checkpointer: saver });
    for (let i = 0; i < 3; i++) await agent.ask(`${QUESTION} ${i}`, { threadId: "a" });
    expect(await Array.fromAsync(saver.list({ configurable: { thread_id: "a" } }))).toHaveLength(5);
    const { values } = await agent.graph.getState({ configurable: { thread_id: "a" } });
    expect(values.messages).toHaveLength(6);
  });

  test("a file that is no database is named, and left as it is", () => {
    const path = file();
    writeFileSync(path, "This is no database, but somebody's notes, which must not be lost.".repeat(20));
    expect(() => sqliteThreads(path).threads()).toThrow(/conversations in .*conversations\.sqlite cannot be opened/);
  });
});

describe("among processes", () => {
  const started = (path: string, thread: string) =>
    fork(fileURLToPath(new URL("./writer.ts", import.meta.url)), [path, thread], {
      execArgv: ["--import", "tsx"],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });

  test("two write to one file at once, and neither loses a step", { timeout: 60_000 }, async () => {
    const path = file();
    const writers = ["a", "b"].map((thread) => started(path, thread));
    await Promise.all(writers.map((writer) => once(writer, "exit")));
    const saver = sqliteThreads(path);
    const steps = async (thread: string) =>
      (await Array.fromAsync(saver.list({ configurable: { thread_id: thread } }))).length;
    expect(await steps("a")).toBe(await steps("b"));
    expect(await steps("a")).toBeGreaterThan(20);
    saver.close();
  });

  test("a run that was killed in the middle is taken up where it was", { timeout: 60_000 }, async () => {
    const path = file();
    const writer = started(path, "hangs");
    await once(writer, "message");
    writer.kill("SIGKILL");
    await once(writer, "exit");
    const saver = sqliteThreads(path);
    const graph = createGraph(tools(), { checkpointer: saver });
    const config = { configurable: { thread_id: "hangs" } };
    expect((await graph.getState(config)).next).toEqual(["generate"]);
    const { answer } = await graph.invoke(null, config);
    expect(answer?.status).toBe("answered");
    saver.close();
  });
});
