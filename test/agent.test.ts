import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, test } from "vitest";
import { createAgent } from "../src/agent.js";
import type { Tools } from "../src/state/tools.js";
import { fakeGrader, fakePassage, fakeTools } from "../src/testing/index.js";
import { JOBS, keep } from "../src/testing/tables-sample.js";
import { sqlDocuments } from "../src/tools/documents/sql.js";
import { openDatabase } from "../src/tools/store/open.js";
import { tablesCanBeQueried } from "../src/tools/tables/query.js";

const passages = [fakePassage("hours", "The Lisbon office opens at eight. It closes at six.")];
const question = "When does the Lisbon office open?";
const thread = { configurable: { thread_id: "t" } };
const inThread = { threadId: "t" };

/** A checkpointer with the delay of a network. */
function slowSaver(milliseconds: number): MemorySaver {
  const saver = new MemorySaver();
  const { put, putWrites } = saver;
  saver.put = (...given) => sleep(milliseconds).then(() => put.apply(saver, given));
  saver.putWrites = (...given) => sleep(milliseconds).then(() => putWrites.apply(saver, given));
  return saver;
}

function agentOver(checkpointer: MemorySaver, parts: Partial<Tools> = {}) {
  const agent = createAgent({ tools: fakeTools({ passages, ...parts }), checkpointer });
  const saved = async () => {
    const { values, next } = await agent.graph.getState(thread);
    const texts = (values.messages ?? []).map(({ text }: { text: string }) => text.split("\n")[0]);
    return { texts, next };
  };
  return { ...agent, saved };
}

const answer = "The Lisbon office opens at eight [1].";

describe("a conversation in a thread whose checkpointer is slow", () => {
  test("is saved in full as soon as its questions are answered", async () => {
    const { ask, saved } = agentOver(slowSaver(10));
    for (const n of [1, 2, 3]) await ask(`${question} ${n}`, inThread);
    const texts = [1, 2, 3].flatMap((n) => [`${question} ${n}`, answer]);
    expect(await saved()).toEqual({ texts, next: [] });
  });

  test("is already saved when a stream delivers the answer, which is the last event", async () => {
    const { stream, saved } = agentOver(slowSaver(10));
    const types: string[] = [];
    for await (const event of stream(question, inThread)) {
      types.push(event.type);
      if (event.type === "answer") expect(await saved()).toEqual({ texts: [question, answer], next: [] });
    }
    expect(types.indexOf("answer")).toBe(types.length - 1);
  });

  test("is saved even if the caller stops reading the stream at the answer", async () => {
    const { stream, ask, saved } = agentOver(slowSaver(10));
    for await (const event of stream(question, inThread)) if (event.type === "answer") break;
    const { queries } = await ask("And when does it close?", inThread);
    expect(queries[0]?.text).toBe(`${question} And when does it close?`);
    expect((await saved()).texts).toHaveLength(4);
  });

  test("answers concurrent questions one at a time, each with the earlier ones as its history", async () => {
    const { ask, saved } = agentOver(slowSaver(5));
    await Promise.all([1, 2, 3].map((n) => ask(`${question} ${n}`, inThread)));
    expect(await saved()).toEqual({ texts: [1, 2, 3].flatMap((n) => [`${question} ${n}`, answer]), next: [] });
  });

  test("is saved before a clarifying question reaches the caller", async () => {
    const grader = fakeGrader({ answerability: "none", relevance: 0, clarification: "Which office?" });
    const { stream, saved } = agentOver(slowSaver(10), { grader });
    for await (const event of stream(question, inThread))
      if (event.type === "clarify") expect((await saved()).next).toEqual(["clarify"]);
  });
});

describe("a run that its caller abandons", () => {
  const left = "When does the office in Lisbon close?";
  const leave = async ({ stream }: ReturnType<typeof agentOver>, step: string) => {
    for await (const event of stream(left, inThread))
      if (event.type === "decision" && event.decision.step === step) break;
  };

  test.each(["understand", "retrieve"])(
    "after %s stops there, and its question does not affect the next one",
    async (step) => {
      const grader: Tools["grader"] = {
        grade: async (task, call) => {
          if (task.question === left) await sleep(60_000, undefined, { signal: call.signal });
          return fakeGrader({}).grade(task, call);
        },
      };
      const agent = agentOver(slowSaver(10), { grader });
      await leave(agent, step);
      const { queries } = await agent.ask(question, inThread);
      expect(queries.map(({ text }) => text)).toEqual([question]);
      await sleep(200);
      expect(await agent.saved()).toEqual({ texts: [question, answer], next: [] });
    },
  );

  test.each(["grade", "checkAnswer", "respond"])(
    "after %s leaves either both its question and its answer in the thread, or neither",
    async (step) => {
      const agent = agentOver(slowSaver(10));
      await leave(agent, step);
      await agent.ask(question, inThread);
      await sleep(200);
      const { texts, next } = await agent.saved();
      expect(next).toEqual([]);
      expect(texts.slice(-2)).toEqual([question, answer]);
      expect([[], [left, answer]]).toContainEqual(texts.slice(0, -2));
    },
  );

  test("aborts the signal of the part that is working", async () => {
    const { promise: stopped, resolve } = Promise.withResolvers<void>();
    const grader: Tools["grader"] = {
      grade: ({ question: asked }, { signal }) => {
        signal.addEventListener("abort", () => resolve());
        return asked === question ? new Promise(() => {}) : Promise.reject(new Error("not asked"));
      },
    };
    const { stream } = agentOver(new MemorySaver(), { grader });
    const events = stream(question, inThread)[Symbol.asyncIterator]();
    await events.next();
    await events.next();
    await sleep(50);
    await events.return?.();
    await stopped;
  });

  test.each([
    ["before it began", false],
    ["while it grades", true],
  ])("by an abort %s throws the reason, and the thread can still be asked", async (_, grades) => {
    const stop = new AbortController();
    const reason = new Error("enough");
    const grader: Tools["grader"] = {
      grade: (task, call) => {
        if (stop.signal.aborted) return fakeGrader({}).grade(task, call);
        stop.abort(reason);
        return new Promise(() => {});
      },
    };
    const { ask, saved } = agentOver(slowSaver(5), { grader });
    if (!grades) stop.abort(reason);
    await expect(ask("Who is ill?", { ...inThread, signal: stop.signal })).rejects.toThrow("enough");
    expect((await ask(question, inThread)).queries.map(({ text }) => text)).toEqual([question]);
    expect(await saved()).toEqual({ texts: [question, answer], next: [] });
  });

  test("while it waits for its turn is never asked, and the next question is answered", async () => {
    const { ask, saved } = agentOver(slowSaver(5));
    const first = ask(`${question} 1`, inThread);
    const second = ask(`${question} 2`, { ...inThread, signal: AbortSignal.timeout(1) });
    const third = ask(`${question} 3`, inThread);
    await expect(second).rejects.toThrow();
    await Promise.all([first, third]);
    expect((await saved()).texts).toEqual([`${question} 1`, answer, `${question} 3`, answer]);
  });
});

test.each([
  ["that nobody was asked about", false],
  ["that was approved", true],
])("a run that is stopped during a web search %s does not leave its thread waiting for a reply", async (_, approve) => {
  const sent: string[] = [];
  const grader: Tools["grader"] = {
    grade: (task, call) =>
      fakeGrader(task.question.includes("Porto") ? { answerability: "none", relevance: 0 } : {}).grade(task, call),
  };
  const agent = agentOver(new MemorySaver(), {
    grader,
    rewriter: { standalone: async (said) => said, rewrite: async () => "" },
    webSearch: {
      search: async ({ text }, _, { signal } = {}) => {
        sent.push(text);
        if (sent.length === 1) await sleep(60_000, undefined, { ...(signal && { signal }) });
        return [];
      },
    },
    pageReader: { read: () => Promise.reject(new Error("no page")), close: async () => {} },
  });
  const porto = "When does the Porto office open?";
  const context = { web: { approve } };
  if (approve) await agent.ask(porto, { ...inThread, context });
  expect((await agent.conversation("t")).waiting !== undefined).toBe(approve);
  const stop = new AbortController();
  const stopped = agent.ask(approve ? "yes" : porto, { ...inThread, context, signal: stop.signal });
  while (sent.length === 0) await sleep(5);
  stop.abort(new Error("stopped"));
  await expect(stopped).rejects.toThrow("stopped");
  expect((await agent.conversation("t")).waiting).toBeUndefined();
  const { queries } = await agent.ask(question, { ...inThread, context });
  expect(queries.map(({ text }) => text)).toEqual([question]);
  expect(await agent.saved()).toEqual({ texts: [question, answer], next: [] });
  expect(sent).toEqual([porto]);
});

test("a message that an interrupted run left behind does not replace the next question", async () => {
  const { ask, graph } = agentOver(new MemorySaver());
  const stop = { ...thread, interruptBefore: ["understand" as const] };
  await graph.invoke({ messages: [new HumanMessage("Who is ill?")] }, stop);
  const { queries } = await ask(question, inThread);
  expect(queries[0]?.text).toContain(question);
});

test("an agent with a checkpointer also answers a question without a thread", async () => {
  const { ask } = agentOver(new MemorySaver());
  expect((await ask(question)).status).toBe("answered");
});

test("a thread that cannot be saved makes the question fail with the error of the checkpointer", async () => {
  const saver = new MemorySaver();
  // LangGraph awaits writes when the run ends. A write that rejected earlier would be an unhandled rejection in Vitest.
  saver.put = () => sleep(500).then(() => Promise.reject(new Error("disk full")));
  await expect(agentOver(saver).ask(question, inThread)).rejects.toThrow("disk full");
});

test.each([
  ["When was the bridge opened?", "Search the web for this? Nothing has been sent yet: “When was the bridge opened?”."],
  ["大桥哪一年通车？", "要上网搜索吗？以下内容尚未发送：“大桥哪一年通车？”。"],
])("a run that waits for approval of its web queries returns those queries: %s", async (asked, text) => {
  const { ask } = agentOver(new MemorySaver(), {
    grader: fakeGrader({ answerability: "none", relevance: 0 }),
    webSearch: { search: async () => [] },
    pageReader: { read: () => Promise.reject(new Error("no page")), close: async () => {} },
    rewriter: { standalone: async (said) => said, rewrite: async () => "" },
  });
  const waiting = await ask(asked, { ...inThread, context: { web: { approve: true } } });
  expect(waiting).toMatchObject({ status: "needs_clarification", text });
});

test.skipIf(tablesCanBeQueried() !== "")(
  "an agent over documents of its own does not query the tables of the store",
  async () => {
    const store = join(await mkdtemp(join(tmpdir(), "emend-agent-")), "store");
    const kept = sqlDocuments(openDatabase(store));
    await keep(kept, [JOBS]);
    await kept.close();
    const { documents } = fakeTools({ passages });
    const text = async (tools: Partial<Tools>) => {
      const agent = createAgent({ store, tools });
      const answer = await agent.ask("How many jobs are open?");
      await agent.close();
      return `${answer.text} ${JSON.stringify(answer.references)}`;
    };
    expect(await text({})).toContain("3 of 4 rows");
    expect(await text({ documents })).not.toContain("of 4 rows");
  },
);
