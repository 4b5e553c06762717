import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { HumanMessage } from "@langchain/core/messages";
import { Command, MemorySaver } from "@langchain/langgraph";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import { createGraph } from "../../src/graph/build.js";
import { fakeGrader, fakePassage, fakeTools } from "../../src/testing/index.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { keepsAll, type Threads, type ThreadsOptions } from "../../src/tools/threads/port.js";
import { sqlThreads } from "../../src/tools/threads/sql.js";

const QUESTION = "How many days of paid leave do staff have?";
const CHINESE = "员工有多少天带薪假？";
const tools = () =>
  fakeTools({ passages: [fakePassage("leave", "Staff have 28 days of paid leave. 员工有28天带薪假。")] });
const at = (thread: string) => ({ configurable: { thread_id: thread } });
const texts = (messages: readonly { text: string }[]) => messages.map(({ text }) => text);

/** Every kind of Threads keeps these promises. `newPlace` prepares a separate empty place for each test. */
export function threadsContract(name: string, newPlace: () => Promise<string>) {
  describe(`${name} keeps the promises of Threads`, () => {
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

    test("another program can continue a conversation while the first is running and after it ended", async () => {
      const first = await open();
      await agentOver(first).ask(QUESTION, { threadId: "a" });
      const second = await open();
      await agentOver(second).ask("And who approves it?", { threadId: "a" });
      await second.close();
      await agentOver(first).ask(CHINESE, { threadId: "a" });
      await first.close();
      const third = await open();
      const { values } = await agentOver(third).graph.getState(at("a"));
      const said = [
        QUESTION,
        expect.stringContaining("28 days"),
        "And who approves it?",
        expect.any(String),
        CHINESE,
        expect.stringContaining("来源"),
      ];
      expect(texts(values.messages)).toEqual(said);
      expect(texts(await third.conversation("a"))).toEqual(said);
      expect(await third.threads()).toEqual(["a"]);
      expect([third, new MemorySaver()].map(keepsAll)).toEqual([true, false]);
    });

    test("holds the same steps as LangGraph's own in-memory saver", async () => {
      const histories = await Promise.all(
        [await open(), new MemorySaver()].map(async (checkpointer) => {
          const grader = fakeGrader({ clarification: "Which staff?" });
          const graph = createGraph(fakeTools({ grader }), { checkpointer });
          await graph.invoke({ question: QUESTION }, at("t"));
          await graph.invoke(new Command({ resume: "Full-time staff" }), at("t"));
          const steps = [];
          for await (const { next, values, metadata, tasks } of graph.getStateHistory(at("t")))
            steps.push({
              next,
              metadata,
              queries: values.queries,
              waits: tasks.flatMap(({ interrupts }) => interrupts),
            });
          return JSON.parse(JSON.stringify(steps).replace(/"id":"[0-9a-f-]+"/g, '"id":""'));
        }),
      );
      expect(histories[0].length).toBeGreaterThan(5);
      expect(histories[0]).toEqual(histories[1]);
    });

    test("steps are listed newest first, and can be limited by an earlier step, by metadata and by number", async () => {
      const threads = await open();
      const agent = agentOver(threads);
      for (const threadId of ["a", "b"]) await agent.ask(QUESTION, { threadId });
      const all = async (...given: Parameters<Threads["list"]>) => Array.fromAsync(threads.list(...given));
      const ofA = await all(at("a"));
      const ids = ofA.map(({ config }) => config.configurable?.checkpoint_id);
      expect(ids).toEqual(ids.toSorted().toReversed());
      expect(await all(at("a"), { limit: 2 })).toEqual(ofA.slice(0, 2));
      expect(await all(at("a"), { before: ofA[2]?.config ?? {} })).toEqual(ofA.slice(3));
      expect(await all(at("a"), { filter: { step: 1 } })).toHaveLength(1);
      expect((await all({})).length).toBe(2 * ofA.length);
    });

    test("threads are found by the prefix of their names, the newest first, until they are deleted", async () => {
      const threads = await open();
      const agent = agentOver(threads);
      for (const threadId of ["chat:李雷:1", "web:1", "chat:李雷:2", "chat:%:1"])
        await agent.ask(QUESTION, { threadId });
      expect(await threads.threads("chat:李雷:")).toEqual(["chat:李雷:2", "chat:李雷:1"]);
      expect(await threads.threads("chat:%")).toEqual(["chat:%:1"]);
      await threads.deleteThread("web:1");
      expect(await threads.threads()).toEqual(["chat:%:1", "chat:李雷:2", "chat:李雷:1"]);
      expect(await Array.fromAsync(threads.list(at("web:1")))).toEqual([]);
      expect(await threads.conversation("web:1")).toEqual([]);
    });

    test("a long conversation keeps its newest steps and messages, and all its turns", {
      timeout: 60_000,
    }, async () => {
      const threads = await open({ steps: 5 });
      const agent = agentOver(threads);
      const questions = Array.from({ length: 25 }, (_, i) => (i % 2 ? `${CHINESE}${i}` : `${QUESTION} ${i}`));
      for (const question of questions) await agent.ask(question, { threadId: "a" });
      // A few more steps may be kept: those of one question.
      expect((await Array.fromAsync(threads.list(at("a")))).length).toBeLessThan(15);
      const { values } = await agent.graph.getState(at("a"));
      expect(texts(values.messages).filter((_, i) => i % 2 === 0)).toEqual(questions.slice(-20));
      const said = texts(await threads.conversation("a"));
      expect(said).toHaveLength(50);
      expect(said.filter((_, i) => i % 2 === 0)).toEqual(questions);
      expect(said[1]).toContain("28 days");
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

    test("threads that were not continued since a given time are deleted", async () => {
      const threads = await open();
      const agent = agentOver(threads);
      await agent.ask(QUESTION, { threadId: "old" });
      await new Promise((resolve) => setTimeout(resolve, 20));
      const between = new Date();
      await agent.ask(QUESTION, { threadId: "new" });
      expect(await threads.deleteBefore(between)).toBe(1);
      expect(await threads.threads()).toEqual(["new"]);
      expect(await threads.conversation("old")).toEqual([]);
      expect(await threads.deleteBefore(between)).toBe(0);
    });

    test("a withdrawn question is not part of the conversation", async () => {
      const threads = await open();
      const agent = agentOver(threads);
      for await (const { type } of agent.stream("Who earns what?", { threadId: "a" })) if (type === "decision") break;
      await agent.ask(QUESTION, { threadId: "a" });
      expect(texts(await threads.conversation("a"))).toEqual([QUESTION, expect.stringContaining("28 days")]);
    });

    test("two branches of a thread keep separate values, and the conversation follows the newer one", async () => {
      const threads = await open();
      let drafts = 0;
      const generator: ReturnType<typeof tools>["generator"] = {
        generate: async ({ evidence: [first] }) => {
          const quote = drafts++ < 2 ? "Staff have 28 days of paid leave." : "员工有28天带薪假。";
          return { claims: [{ text: quote, citations: [{ evidenceId: first?.id ?? "", quote }] }], missing: "" };
        },
      };
      const agent = createAgent({ tools: { ...tools(), generator }, checkpointer: threads });
      await agent.ask(QUESTION, { threadId: "a" });
      const history = await Array.fromAsync(agent.graph.getStateHistory(at("a")));
      const [last] = history;
      const before = history.find(({ next }) => next[0] === "generate");
      await agent.ask("And who approves it?", { threadId: "a" });
      await agent.graph.invoke(null, before?.config ?? {});
      const answerIn = async (config: object) => (await agent.graph.getState(config)).values.answer?.text;
      expect(await answerIn(last?.config ?? {})).toContain("28 days");
      expect(await answerIn(at("a"))).toContain("28天");
      expect(texts(await threads.conversation("a"))).toEqual([QUESTION, expect.stringContaining("28天")]);
    });

    test("any text is read back unchanged", async () => {
      const threads = await open();
      const strange = "\u0000 \ud800 \u{1f9ea} ' \" \\ $1 {} 带薪假 \u202e";
      const graph = createGraph(tools(), { checkpointer: threads });
      const said = new HumanMessage({ id: "m", content: strange });
      await graph.invoke({ messages: [said] }, { ...at("a"), metadata: { strange } });
      expect((await graph.getState(at("a"))).values.messages[0]?.text).toBe(strange);
      expect((await threads.conversation("a"))[0]?.text).toBe(strange);
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
