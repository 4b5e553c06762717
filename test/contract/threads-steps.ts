import assert from "node:assert/strict";
import type { Tools } from "../../src/state/tools.js";
import type { Promises } from "../../src/testing/contract.js";
import { fakeGrader, fakeTools } from "../../src/testing/fakes.js";
import { agentOver, at, DAYS, type EmptyThreads, QUESTION, TAGE, texts } from "../../src/testing/threads-contract.js";
import type { Threads } from "../../src/tools/threads/port.js";

/** How emend's own stores keep the steps of LangGraph. */
export const STEPS: Promises<EmptyThreads> = {
  "the steps of a run are those that LangGraph's own in-memory saver holds": async ({ threads }) => {
    const [{ Command, MemorySaver }, { createGraph }] = await Promise.all([
      import("@langchain/langgraph"),
      import("../../src/graph/build.js"),
    ]);
    const histories = [threads, new MemorySaver()].map(async (checkpointer) => {
      const tools = fakeTools({ grader: fakeGrader({ clarification: "Which staff?" }) });
      const graph = createGraph(tools, { checkpointer });
      await graph.invoke({ question: QUESTION }, at("t"));
      await graph.invoke(new Command({ resume: "Full-time staff" }), at("t"));
      const steps = await Array.fromAsync(graph.getStateHistory(at("t")), ({ next, values, metadata, tasks }) => {
        return { next, metadata, queries: values.queries, waits: tasks.flatMap(({ interrupts }) => interrupts) };
      });
      return JSON.parse(JSON.stringify(steps).replace(/"id":"[0-9a-f-]+"/g, '"id":""')) as object[];
    });
    const [own = [], inMemory] = await Promise.all(histories);
    assert.ok(own.length > 5);
    assert.deepEqual(own, inMemory);
  },

  "steps are listed newest first, also before an earlier step, by metadata, and up to a number": async ({
    threads,
  }) => {
    const agent = await agentOver(threads);
    for (const threadId of ["a", "b"]) await agent.ask(QUESTION, { threadId });
    const all = (...given: Parameters<Threads["list"]>) => Array.fromAsync(threads.list(...given));
    const ofA = await all(at("a"));
    const ids = ofA.map(({ config }) => config.configurable?.checkpoint_id);
    assert.deepEqual(ids, ids.toSorted().toReversed());
    assert.deepEqual(await all(at("a"), { limit: 2 }), ofA.slice(0, 2));
    assert.deepEqual(await all(at("a"), { before: ofA[2]?.config ?? {} }), ofA.slice(3));
    assert.equal((await all(at("a"), { filter: { step: 1 } })).length, 1);
    assert.equal((await all({})).length, 2 * ofA.length);
  },

  "deleting a thread also deletes its steps that are still to be written": async ({ threads }) => {
    const { emptyCheckpoint } = await import("@langchain/langgraph");
    await (await agentOver(threads)).ask(QUESTION, { threadId: "a" });
    const waiting = [1, 2, 3].map((step) =>
      threads.put(at("a"), emptyCheckpoint(), { source: "loop", step, parents: {} }, {}),
    );
    await threads.deleteThread("a");
    await Promise.all(waiting);
    assert.deepEqual(await Array.fromAsync(threads.list(at("a"))), []);
  },

  "two branches of a thread keep separate values, and the conversation follows the newer one": async ({ threads }) => {
    let drafts = 0;
    const generator: Tools["generator"] = {
      generate: async ({ evidence: [first] }) => {
        const quote = drafts++ < 2 ? DAYS : TAGE;
        return { claims: [{ text: quote, citations: [{ evidenceId: first?.id ?? "", quote }] }], missing: "" };
      },
    };
    const agent = await agentOver(threads, { generator });
    await agent.ask(QUESTION, { threadId: "a" });
    const history = await Array.fromAsync(agent.graph.getStateHistory(at("a")));
    const before = history.find(({ next }) => next[0] === "generate");
    await agent.ask("And who approves it?", { threadId: "a" });
    await agent.graph.invoke(null, before?.config ?? {});
    const answerIn = async (config: object) => (await agent.graph.getState(config)).values.answer?.text ?? "";
    assert.match(await answerIn(history[0]?.config ?? {}), /28 days/);
    assert.match(await answerIn(at("a")), /28天/);
    const [asked, answered = "", ...more] = texts(await threads.conversation("a"));
    assert.deepEqual([asked, more], [QUESTION, []]);
    assert.match(answered, /28天/);
  },
};
