import { describe, expect, test } from "vitest";
import { BudgetSpentError, EndpointError, MalformedReplyError } from "../../../src/errors.js";
import { openaiChat } from "../../../src/tools/models/chat-openai.js";
import { type Reasoners, withFallback } from "../../../src/tools/models/fallback.js";
import { localReasoners } from "../../../src/tools/models/local-reasoners.js";
import { modelReasoners } from "../../../src/tools/models/model-reasoners.js";
import { ENGLISH, meter, reasonerContract } from "../../contract/reasoner.js";
import { fakeReasoners } from "./fake-reasoners.js";

const local = fakeReasoners();

/** Reasoners that fail at everything in the same way. */
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

reasonerContract("the local way behind a model that cannot be reached", async () => {
  // Nothing stands in for a checker: what the stages before it found stands.
  const { checker: _, ...rest } = withFallback(modelReasoners({ chat: nobody }), localReasoners());
  return rest;
});
reasonerContract("the model's way with the local one behind", async () => withFallback(fakeReasoners(), local));

describe.each([
  new EndpointError("down", 500),
  new MalformedReplyError("nonsense"),
  new BudgetSpentError("no call left"),
])("after a $name", (error) => {
  test("every task is done the local way, and the failure is told", async () => {
    const { call, faults } = meter();
    const expected = await Promise.all(everything(local, meter().call).map((work) => work()));
    const done = await Promise.all(everything(withFallback(failing(error), local), call).map((work) => work()));
    expect(done).toEqual(expected);
    expect(faults).toEqual([error, error, error, error]);
  });
});

test("when the run's time is up, the local way still gets the little it needs", async () => {
  const timeUp = new DOMException("The operation was aborted due to timeout", "TimeoutError");
  const { call, faults } = meter({ signal: AbortSignal.abort(timeUp) });
  const heeding: Reasoners["grader"] = {
    grade: async (task, { signal }) => {
      signal.throwIfAborted();
      return local.grader.grade(task, meter().call);
    },
  };
  const { grader } = withFallback(failing(timeUp), { ...local, grader: heeding });
  expect(await grader.grade(ENGLISH, call)).toMatchObject({ reason: "scripted" });
  expect(faults[0]).toMatchObject({ name: "EndpointError", message: "The time was up before the model answered." });
});

test("a person's abort passes through, whatever the model made of it", async () => {
  const reason = new Error("stop");
  const { call, faults } = meter({ signal: AbortSignal.abort(reason) });
  for (const error of [reason, new EndpointError("aborted")])
    await expect(withFallback(failing(error), local).grader.grade(ENGLISH, call)).rejects.toBe(error);
  expect(faults).toEqual([]);
});

test("a mistake in the program passes through", async () => {
  const { call, faults } = meter();
  for (const work of everything(withFallback(failing(new TypeError("x is undefined")), local), call))
    await expect(work()).rejects.toThrow(TypeError);
  expect(faults).toEqual([]);
});

test("the local way's own failure passes through", async () => {
  const reasoners = withFallback(failing(new EndpointError("down")), failing(new RangeError("local")));
  await expect(reasoners.grader.grade(ENGLISH, meter().call)).rejects.toThrow(RangeError);
});
