import { describe, expect, test } from "vitest";
import { BudgetSpentError, EndpointError, MalformedReplyError } from "../../../src/errors.js";
import { reasonersContract } from "../../../src/testing/reasoners-contract.js";
import { ENGLISH, meter } from "../../../src/testing/reasoners-sample.js";
import { openaiChat } from "../../../src/tools/models/chat-openai.js";
import { type Reasoners, withFallback } from "../../../src/tools/models/fallback.js";
import { localReasoners } from "../../../src/tools/models/local-reasoners.js";
import { modelReasoners } from "../../../src/tools/models/model-reasoners.js";
import { keeps } from "../../contract/keeps.js";
import { fakeReasoners } from "./fake-reasoners.js";

const local = fakeReasoners();

/** Reasoners that fail at every task with the same error. */
const failing = (error: unknown): Reasoners => {
  const fail = async () => {
    throw error;
  };
  return {
    grader: { grade: fail },
    rewriter: { standalone: fail, rewrite: fail },
    generator: { generate: fail },
    checker: { check: fail },
  };
};

const everything = (reasoners: Reasoners, call: ReturnType<typeof meter>["call"]) => [
  () => reasoners.grader.grade(ENGLISH, call),
  () => reasoners.rewriter.rewrite({ ...ENGLISH, queries: [], missing: "" }, call),
  () => reasoners.rewriter.standalone("And then?", [{ question: ENGLISH.question, answer: "" }], call),
  () => reasoners.generator.generate({ ...ENGLISH, intent: "other" }, call),
];

/** Nobody listens on the discard port. */
const nobody = openaiChat({ model: "none", baseURL: "http://127.0.0.1:9/v1" });

keeps(
  "the local way behind a model that cannot be reached",
  reasonersContract(async () => {
    // A checker has no fallback: the verdicts of the earlier stages stay.
    const { checker: _, ...rest } = withFallback(modelReasoners({ chat: nobody }), localReasoners());
    return rest;
  }),
);
keeps(
  "the model's way with the local one behind",
  reasonersContract(async () => withFallback(fakeReasoners(), local)),
);

describe.each([
  new EndpointError("down", 500),
  new MalformedReplyError("nonsense"),
  new BudgetSpentError("no call left"),
])("after a $name", (error) => {
  test("every task falls back to the local reasoners, and the error is reported", async () => {
    const { call, faults } = meter();
    const expected = await Promise.all(everything(local, meter().call).map((work) => work()));
    const done = await Promise.all(everything(withFallback(failing(error), local), call).map((work) => work()));
    expect(done).toEqual(expected);
    expect(faults).toEqual([error, error, error, error]);
  });
});

test("the local fallback still runs when the time of the run is up", async () => {
  const timeUp = new DOMException("The operation was aborted due to timeout", "TimeoutError");
  const { call, faults } = meter({ signal: AbortSignal.abort(timeUp) });
  const heeding: Reasoners["grader"] = {
    grade: async (task, { signal }) => {
      signal.throwIfAborted();
      return local.grader.grade(task, meter().call);
    },
  };
  const { grader } = withFallback(failing(timeUp), { ...local, grader: heeding });
  expect(await grader.grade(ENGLISH, call)).toMatchObject({ answerability: "full" });
  expect(faults[0]).toMatchObject({ name: "EndpointError", message: "The time was up before the model answered." });
});

test("an abort by the caller is rethrown, whatever error the model made of it", async () => {
  const reason = new Error("stop");
  const { call, faults } = meter({ signal: AbortSignal.abort(reason) });
  for (const error of [reason, new EndpointError("aborted")])
    await expect(withFallback(failing(error), local).grader.grade(ENGLISH, call)).rejects.toBe(error);
  expect(faults).toEqual([]);
});

test("a programming error is rethrown", async () => {
  const { call, faults } = meter();
  for (const work of everything(withFallback(failing(new TypeError("x is undefined")), local), call))
    await expect(work()).rejects.toThrow(TypeError);
  expect(faults).toEqual([]);
});

test("an error of the local fallback is rethrown", async () => {
  const reasoners = withFallback(failing(new EndpointError("down")), failing(new RangeError("local")));
  await expect(reasoners.grader.grade(ENGLISH, meter().call)).rejects.toThrow(RangeError);
});
