import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import { spentLimit } from "../../src/state/budget.js";
import { Context } from "../../src/state/context.js";
import type { State } from "../../src/state/state.js";
import { fakeChecker, fakeGrader, fakePassage, fakeTools } from "../../src/testing/index.js";
import { addUsage, NOTHING_SPENT, type Usage } from "../../src/types/answer.js";
import type { Decision } from "../../src/types/events.js";
import type { Grader, Rewriter } from "../../src/types/reasoners.js";
import { trusting } from "../trusting.js";

const context = Context.parse({ budget: { calls: 5, tokens: 100, seconds: 2, steps: 8 } });
const limit = (spend: Partial<State["spend"]>, steps = 0) => {
  const decisions = Array.from({ length: steps }, () => ({}) as Decision);
  return spentLimit({ spend: { ...NOTHING_SPENT, ...spend }, decisions } as State, context);
};

test.each([
  ["calls", { calls: 5 }, "calls_spent"],
  ["tokens in", { inputTokens: 100 }, "tokens_spent"],
  ["tokens out", { outputTokens: 100 }, "tokens_spent"],
  ["tokens in and out together", { inputTokens: 50, outputTokens: 50 }, "tokens_spent"],
  ["time", { milliseconds: 2000 }, "time_spent"],
])("a budget of %s is spent at its limit, and not one below it", (_, spend, stop) => {
  expect(limit(spend)).toBe(stop);
  const [[key, value] = ["", 0]] = Object.entries(spend);
  expect(limit({ ...spend, [key]: value - 1 })).toBeUndefined();
});

test("cached tokens are part of the input tokens, and are counted once", () => {
  expect(limit({ inputTokens: 60, cachedTokens: 60 })).toBeUndefined();
});

test("a budget of steps is spent at its limit", () => {
  expect([limit({}, 7), limit({}, 8)]).toEqual([undefined, "steps_spent"]);
});

const usage = { calls: 1, inputTokens: 20, cachedTokens: 5, outputTokens: 3 };

test("the usage of two steps is added figure by figure", () => {
  expect(addUsage(usage, usage)).toEqual({ calls: 2, inputTokens: 40, cachedTokens: 10, outputTokens: 6 });
});

/** A run whose grader reports this usage. */
async function spending(said: Usage, tokens = 100_000) {
  const grader: Grader = {
    grade: async (task, call) => {
      call.spent(said);
      return fakeGrader({}).grade(task, call);
    },
  };
  const agent = createAgent({
    tools: { ...fakeTools({ passages: [fakePassage("a", "The office opens at eight.")] }), grader },
    context: { budget: { tokens } },
  });
  const decisions: Decision[] = [];
  for await (const event of agent.stream("When does the office open?")) {
    if (event.type === "decision") decisions.push(event.decision);
    if (event.type === "answer") return { answer: event.answer, decisions };
  }
  throw new Error("no answer");
}

test("the usage of a step is in its decision and in the answer", async () => {
  const { answer, decisions } = await spending(usage);
  expect(decisions.find(({ step }) => step === "grade")).toMatchObject({ calls: 1, tokens: 23 });
  expect(answer.spend).toMatchObject(usage);
});

describe("a question in a thread whose previous question spent its budget", () => {
  const passages = [fakePassage("a", "The office opens at eight."), fakePassage("b", "The garden has a fountain.")];
  const second = async (standalone: Rewriter["standalone"]) => {
    const fakes = fakeTools({ passages });
    const grader: Grader = {
      grade: async (task, call) => {
        call.spent({ ...usage, calls: 7 });
        return fakes.grader.grade(task, call);
      },
    };
    const agent = createAgent({
      tools: { ...fakes, grader, rewriter: { ...fakes.rewriter, standalone } },
      checkpointer: new MemorySaver(),
      context: { budget: { calls: 7 } },
    });
    const first = await agent.ask("When does the office open?", { threadId: "t" });
    expect(first.spend.calls).toBe(7);
    return agent.ask("What does the garden have?", { threadId: "t" });
  };
  const answered = { status: "answered", claims: [{ text: "The garden has a fountain." }] };

  test("has its own budget", async () => {
    const left: number[] = [];
    const answer = await second(async (question, _, { calls }) => {
      left.push(calls);
      return question;
    });
    expect(left).toEqual([7]);
    expect(answer).toMatchObject(answered);
  });

  test("is asked unchanged if the rewriter never answers and ignores its signal", async () => {
    const tools = {
      ...fakeTools({ passages }),
      rewriter: { standalone: () => new Promise<string>(() => {}), rewrite: async () => "" },
    };
    const agent = createAgent({ tools, checkpointer: new MemorySaver() });
    await agent.ask("When does the office open?", { threadId: "t" });
    const { queries } = await agent.ask("What does the garden have?", {
      threadId: "t",
      context: { budget: { seconds: 0.05 } },
    });
    expect(queries.map(({ text }) => text)).toEqual(["What does the garden have?"]);
  });

  test("is rewritten by code if the model takes too long", async () => {
    const late: Rewriter["standalone"] = (_, __, { signal }) =>
      new Promise((_done, fail) => signal.addEventListener("abort", () => fail(signal.reason)));
    const fakes = fakeTools({ passages });
    const { generator, checker = fakeChecker("supported") } = fakes;
    const tools = { ...fakes, ...trusting({ standalone: late, generator, checker }, fakes) };
    const agent = createAgent({ tools, checkpointer: new MemorySaver() });
    await agent.ask("When does the office open?", { threadId: "t" });
    const context = { budget: { seconds: 0.05 } };
    const { queries } = await agent.ask("And the garden?", { threadId: "t", context });
    expect(queries[0]?.text).toBe("When does the office open? And the garden?");
  });

  test("is asked unchanged if it cannot be rewritten", async () => {
    expect(await second(() => Promise.reject(new Error("no")))).toMatchObject(answered);
  });
});

test.each([-1, 1.5, Number.NaN, 1e308, Number.POSITIVE_INFINITY, "12", null])(
  "a usage of %j that a custom part reports is ignored, and the run ends with its answer",
  async (odd) => {
    const figure = odd as number;
    const { answer } = await spending({ ...usage, inputTokens: figure, cachedTokens: figure, outputTokens: figure });
    expect(answer.status).toBe("answered");
    expect(answer.spend).toMatchObject({ calls: 1, inputTokens: 0, cachedTokens: 0, outputTokens: 0 });
  },
);
