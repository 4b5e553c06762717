import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { MemorySaver } from "@langchain/langgraph";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import { createGraph } from "../../src/graph/build.js";
import { fakePassage, fakeTools, threadsContract } from "../../src/testing/index.js";
import { threadsTests } from "../../src/testing/threads-contract.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { keepsAll, type Threads, type ThreadsOptions } from "../../src/tools/threads/port.js";
import { sqlThreads } from "../../src/tools/threads/sql.js";
import { keeps } from "./keeps.js";
import { STEPS } from "./threads-steps.js";

const QUESTION = "How many days of paid leave do staff have?";
const CHINESE = "员工有多少天带薪假？";
const tools = () =>
  fakeTools({ passages: [fakePassage("leave", "Staff have 28 days of paid leave. 员工有28天带薪假。")] });
const at = (thread: string) => ({ configurable: { thread_id: thread } });
const texts = (messages: readonly { text: string }[]) => messages.map(({ text }) => text);

/** Every engine keeps these promises of Threads. `newPlace` prepares a separate empty place for each test. */
export function sqlThreadsContract(name: string, newPlace: () => Promise<string>) {
  const newStore = async () => {
    const place = await newPlace();
    return () => sqlThreads(openDatabase(place));
  };
  keeps(name, [...threadsContract(newStore), ...threadsTests(newStore, STEPS)]);

  describe(`${name} keeps threads`, () => {
    const opened: Threads[] = [];
    let place: string;
    const open = async (options?: ThreadsOptions) => {
      const threads = sqlThreads(openDatabase(place), options);
      opened.push(threads);
      return threads;
    };
    const agentOver = (checkpointer: Threads) => createAgent({ tools: tools(), checkpointer });
    beforeEach(async () => {
      place = await newPlace();
    });
    afterEach(async () => {
      for (const one of opened.splice(0)) await one.close();
    });

    test("a long conversation keeps its newest steps, as many as are wanted", async () => {
      const threads = await open({ steps: 5 });
      const agent = agentOver(threads);
      for (let i = 0; i < 8; i++) await agent.ask(`${QUESTION} ${i}`, { threadId: "a" });
      // A few more steps may be kept: those of one question.
      expect((await Array.fromAsync(threads.list(at("a")))).length).toBeLessThan(15);
      expect([threads, new MemorySaver()].map(keepsAll)).toEqual([true, false]);
    });

    test("a clock that goes backwards changes neither the newest step nor the newest thread", async () => {
      const threads = await open();
      const agent = agentOver(threads);
      const hour = 3_600_000;
      const now = Date.now;
      try {
        await agent.ask(QUESTION, { threadId: "a" });
        Date.now = () => now() - hour;
        await agent.ask(CHINESE, { threadId: "a" });
        await agent.ask(QUESTION, { threadId: "b" });
      } finally {
        Date.now = now;
      }
      const { values } = await agent.graph.getState(at("a"));
      expect(values.question).toBe(CHINESE);
      expect(texts(await threads.conversation("a")).filter((_, i) => i % 2 === 0)).toEqual([QUESTION, CHINESE]);
      expect(await threads.threads()).toEqual(["b", "a"]);
    });

    describe("with several processes", () => {
      const started = (thread: string) =>
        fork(fileURLToPath(new URL("../tools/threads/writer.ts", import.meta.url)), [place, thread], {
          execArgv: ["--import", "tsx"],
          stdio: ["ignore", "ignore", "inherit", "ipc"],
        });

      test("two write at once and a third continues one of their threads without losing a step", {
        timeout: 60_000,
      }, async () => {
        const writers = ["a", "b"].map(started);
        const ends = await Promise.all(writers.map((writer) => once(writer, "exit")));
        expect(ends.map(([code]) => code)).toEqual([0, 0]);
        const threads = await open({ steps: 100 });
        const steps = async (thread: string) => (await Array.fromAsync(threads.list(at(thread)))).length;
        expect(await steps("a")).toBe(await steps("b"));
        expect(await steps("a")).toBeGreaterThan(20);
        await agentOver(threads).ask(QUESTION, { threadId: "a" });
        expect(await steps("a")).toBe((5 / 4) * (await steps("b")));
        expect(await threads.conversation("a")).toHaveLength(10);
      });

      test("a run that was killed midway is resumed where it stopped", { timeout: 60_000 }, async () => {
        const writer = started("hangs");
        await once(writer, "message");
        const graph = createGraph(tools(), { checkpointer: await open() });
        // Each step is stored while the next one runs.
        await expect.poll(async () => (await graph.getState(at("hangs"))).next).toEqual(["generate"]);
        writer.kill("SIGKILL");
        await once(writer, "exit");
        const { answer } = await graph.invoke(null, at("hangs"));
        expect(answer?.status).toBe("answered");
      });
    });
  });
}
