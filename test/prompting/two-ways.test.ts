import { describe, expect, test } from "vitest";
import { BudgetSpentError, EndpointError, JudgeBusyError, MalformedReplyError } from "../../src/errors.js";
import { type ModelReasoners, modelReasoners } from "../../src/prompting/model-reasoners.js";
import type { Trust } from "../../src/prompting/trial.js";
import { twoWays } from "../../src/prompting/two-ways.js";
import { localReasoners } from "../../src/reading/local-reasoners.js";
import { reasonersContract } from "../../src/testing/reasoners-contract.js";
import { ENGLISH, meter } from "../../src/testing/reasoners-sample.js";
import { openaiChat } from "../../src/tools/chat/chat-openai.js";
import type { Call } from "../../src/types/call.js";
import type { Reasoners } from "../../src/types/reasoners.js";
import { keeps } from "../contract/keeps.js";
import { trusting } from "../trusting.js";
import { fakeReasoners } from "./fake-reasoners.js";

const local = fakeReasoners();
const ANSWERS: Trust = { answers: true, checks: false };

const cited = (text: string) => [{ text, citations: [{ evidenceId: "leave", quote: "25 days" }] }];

/** A model that says so, and counts what it is asked. */
function saying() {
  const asked: string[] = [];
  const model: ModelReasoners = {
    standalone: async () => {
      asked.push("standalone");
      return "Said by the model?";
    },
    generator: {
      generate: async () => {
        asked.push("generate");
        return { claims: cited("Said by the model."), missing: "" };
      },
    },
    checker: {
      check: async ({ claims }) => {
        asked.push("check");
        return claims.map(() => ({ verdict: "supported", reason: { code: "stated" } }));
      },
    },
  };
  return { model, asked };
}

/** A model that fails at every task with the same error. */
const failing = (error: unknown): ModelReasoners => {
  const fail = async () => {
    throw error;
  };
  return { standalone: fail, generator: { generate: fail }, checker: { check: fail } };
};

const HISTORY = [{ question: ENGLISH.question, answer: "" }];
const LEADING = { ...ENGLISH, intent: "other", lookUps: { documents: true, graph: false, web: false } } as const;
const standalone = ({ rewriter }: Reasoners, call: Call) => rewriter.standalone("And then?", HISTORY, call);
const generate = ({ generator }: Reasoners, call: Call) => generator.generate(LEADING, call);
const check = ({ checker }: Reasoners, call: Call) => checker?.check({ ...ENGLISH, claims: cited("X.") }, call);

/** Nobody listens on the discard port. */
const nobody = openaiChat({ model: "none", baseURL: "http://127.0.0.1:9/v1" });

/** As in a run that a model leads. */
const led = ({ generator, ...rest }: Reasoners): Reasoners => ({
  ...rest,
  generator: { generate: (task, ...more) => generator.generate({ ...task, lookUps: LEADING.lookUps }, ...more) },
});

keeps(
  "quoting behind a model that cannot be reached",
  reasonersContract(async () => {
    // If the checker fails, the encoder decides.
    const { checker: _, ...rest } = led(trusting(modelReasoners({ chat: nobody })));
    return rest;
  }),
);
keeps(
  "a model that leads",
  reasonersContract(async () => {
    const { rewriter, generator, checker = saying().model.checker } = fakeReasoners();
    return led(trusting({ standalone: rewriter.standalone, generator, checker }, local));
  }),
);

describe("a model that is trusted", () => {
  test("with everything leads, writes, checks and rephrases follow-ups", async () => {
    const { model, asked } = saying();
    const both = trusting(model, local);
    const { call, faults } = meter();
    expect([await both.generator.leads?.(call), await both.checker?.leads?.(call)]).toEqual([true, true]);
    expect((await generate(both, call)).claims).toEqual(cited("Said by the model."));
    expect(await standalone(both, call)).toBe("Said by the model?");
    expect(await check(both, call)).toHaveLength(1);
    expect(asked).toEqual(["generate", "standalone", "check"]);
    expect(faults).toEqual([]);
  });

  test("is not asked to grade or to reword a query", async () => {
    const { model, asked } = saying();
    const both = trusting(model, local);
    await both.grader.grade(ENGLISH, meter().call);
    await both.rewriter.rewrite({ ...ENGLISH, queries: [], missing: "" }, meter().call);
    expect(asked).toEqual([]);
  });

  test("with answers alone leads and does not check", async () => {
    const { generator, checker } = twoWays(saying().model, local, { byWords: local.grader }, async () => ANSWERS);
    expect(await generator.leads?.(meter().call)).toBe(true);
    expect(await checker?.leads?.(meter().call)).toBe(false);
  });

  test("with nothing is not asked at all: sentences of the evidence are quoted", async () => {
    const { model, asked } = saying();
    const both = twoWays(model, localReasoners(), { byWords: local.grader }, async () => ({
      answers: false,
      checks: false,
    }));
    const { call, faults } = meter();
    expect([await both.generator.leads?.(call), await both.checker?.leads?.(call)]).toEqual([false, false]);
    const { lookUps: _, ...task } = LEADING;
    const draft = await both.generator.generate(task, call);
    expect(draft.quoted).toBe(true);
    expect(draft.claims.map(({ text }) => text)).toEqual(["Employees of Harbor get 25 days of annual leave."]);
    expect(await standalone(both, call)).toBe(await standalone(localReasoners(), meter().call));
    expect(asked).toEqual([]);
    expect(faults).toEqual([]);
  });
});

describe.each([
  new EndpointError("down", 500),
  new MalformedReplyError("nonsense"),
  new BudgetSpentError("no call left"),
])("after a $name", (error) => {
  test("the evidence is quoted, a follow-up is joined by code, and the error is reported", async () => {
    const { call, faults } = meter();
    const both = trusting(failing(error), local);
    expect(await generate(both, call)).toEqual(await generate(local, meter().call));
    expect(await standalone(both, call)).toEqual(await standalone(local, meter().call));
    expect(faults).toEqual([error, error]);
  });

  test("in its trial, a model is not asked, and a follow-up is joined by code", async () => {
    const { call, faults } = meter();
    const { model, asked } = saying();
    const both = twoWays(model, local, { byWords: local.grader }, () => Promise.reject(error));
    for (const role of [both.generator, both.checker]) await expect(role?.leads?.(call)).rejects.toBe(error);
    expect(await standalone(both, call)).toEqual(await standalone(local, meter().call));
    expect(faults).toEqual([error]);
    expect(asked).toEqual([]);
  });
});

test("quoting still has time when the time of the run is up", async () => {
  const timeUp = new DOMException("The operation was aborted due to timeout", "TimeoutError");
  const { call, faults } = meter({ signal: AbortSignal.abort(timeUp) });
  const heeding: Reasoners["generator"] = {
    generate: async (task, { signal }) => {
      signal.throwIfAborted();
      return local.generator.generate(task, meter().call);
    },
  };
  const draft = await generate(trusting(failing(timeUp), { ...local, generator: heeding }), call);
  expect(draft.claims).not.toEqual([]);
  expect(faults[0]).toMatchObject({ name: "EndpointError", message: "The time was up before the model answered." });
});

test("an abort by the caller is rethrown, whatever error the model made of it", async () => {
  const reason = new Error("stop");
  const { call, faults } = meter({ signal: AbortSignal.abort(reason) });
  for (const error of [reason, new EndpointError("aborted")])
    await expect(generate(trusting(failing(error), local), call)).rejects.toBe(error);
  expect(faults).toEqual([]);
});

test("a programming error is rethrown", async () => {
  const { call, faults } = meter();
  const both = trusting(failing(new TypeError("x is undefined")), local);
  for (const work of [standalone, generate, check]) await expect(work(both, call)).rejects.toThrow(TypeError);
  expect(faults).toEqual([]);
});

test("an error of the local part is rethrown", async () => {
  const { standalone: _, ...broken } = failing(new RangeError("local"));
  const both = trusting(failing(new EndpointError("down")), { ...local, ...broken });
  await expect(generate(both, meter().call)).rejects.toThrow(RangeError);
});

describe("a judge that is busy", () => {
  const graded = (error: Error) => {
    const grade = async () => {
      throw error;
    };
    const busy = { ...local, grader: { grade } };
    return twoWays(saying().model, busy, { byWords: localReasoners().grader }, async () => ANSWERS).grader;
  };

  test("leaves the order of the evidence to words, and says so", async () => {
    const { call, faults } = meter();
    const { relevance } = await graded(new JudgeBusyError(1.5)).grade(ENGLISH, call);
    expect(relevance[0]?.[0]).toBeGreaterThan(relevance[1]?.[0] ?? 1);
    expect(faults.map(({ name }) => name)).toEqual(["JudgeBusyError"]);
  });

  test("is the only failure of a grade with another way", async () => {
    await expect(graded(new EndpointError("down")).grade(ENGLISH, meter().call)).rejects.toThrow("down");
  });
});
