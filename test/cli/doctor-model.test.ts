import { expect, test } from "vitest";
import { ANSWER_ROWS, CLAIM_ROWS, tryModel } from "../../src/cli/doctor-model.js";
import type { Checker, Generator } from "../../src/tools/models/port.js";

const still = new AbortController().signal;
const drafting = (say: (question: string, source: string) => string): Generator => ({
  generate: async ({ question, evidence: [piece] }) => {
    const text = say(question, piece?.text ?? "");
    return { claims: text ? [{ text, citations: [{ evidenceId: "row", quote: text }] }] : [], missing: "" };
  },
});
const checking = (isTrue: (claim: string) => boolean): Checker => ({
  check: async ({ claims }) =>
    claims.map(({ text }) => ({
      verdict: isTrue(text) ? ("supported" as const) : ("unsupported" as const),
      reason: { code: "own", words: "" },
    })),
});
const told = async (generator: Generator, checker: Checker, signal = still) =>
  Object.fromEntries((await tryModel({ generator, checker }, signal, () => {})).map(({ call, said }) => [call, said]));

const answers = (question: string) => ANSWER_ROWS.find((row) => row.question === question)?.answer;

test("a model that answers, refuses and checks correctly is reported as helpful for each task", async () => {
  const able = drafting((question, source) => (answers(question) ? source : ""));
  const checker = checking((claim) => CLAIM_ROWS.find((row) => row.claim === claim)?.isTrue ?? false);
  expect(await told(able, checker)).toEqual({
    answers: "7 of 7 questions answered rightly, 7 in words that code finds in the source. It helps.",
    refusals: "7 of 7 questions refused that the source does not answer. It helps.",
    checks: "6 of 6 claims judged rightly. It helps.",
  });
});

test("a model that invents answers and agrees with every claim is reported as unfit for each task", async () => {
  const found = await told(
    drafting(() => "Cats sleep."),
    checking(() => true),
  );
  expect(found.answers).toBe(
    "0 of 7 questions answered rightly, 0 in words that code finds in the source. It words answers badly: quotes are shown instead.",
  );
  expect(found.refusals).toContain("0 of 7 questions refused");
  expect(found.checks).toContain("2 of 6 claims judged rightly. It guesses");
});

test("rows that fail are counted, and the first error is shown", async () => {
  const broken: Generator = { generate: () => Promise.reject(new Error("The model is on fire.")) };
  const found = await told(
    broken,
    checking(() => false),
  );
  expect(found).toEqual({
    checks: "4 of 6 claims judged rightly. It guesses: leave context.thorough off.",
    failures: "14 of 20 rows: The model is on fire.",
  });
});

test("tasks without a result when the time is up are omitted", async () => {
  const stop = new AbortController();
  const slow = drafting((question) => {
    if (question === ANSWER_ROWS[4]?.question) stop.abort();
    return answers(question) ?? "";
  });
  const progress: number[] = [];
  const found = await tryModel({ generator: slow, checker: checking(() => true) }, stop.signal, (done) =>
    progress.push(done),
  );
  expect(found.map(({ call }) => call)).toEqual(["answers", "refusals"]);
  expect(Math.max(...progress)).toBeLessThan(7);
});

test("about half of the rows are Chinese, and half of the questions have no answer", () => {
  const isChinese = (text: string) => /\p{Script=Han}/u.test(text);
  expect(ANSWER_ROWS.filter(({ answer }) => answer !== "")).toHaveLength(7);
  expect(
    [...ANSWER_ROWS.map(({ question }) => question), ...CLAIM_ROWS.map(({ claim }) => claim)].filter(isChinese),
  ).toHaveLength(9);
  for (const { source, answer } of ANSWER_ROWS) expect(source).toContain(answer);
});
