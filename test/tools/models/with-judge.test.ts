import { describe, expect, test } from "vitest";
import { JudgeBusyError } from "../../../src/errors.js";
import { KEEP_AT } from "../../../src/text/strips.js";
import { localReasoners } from "../../../src/tools/models/local-reasoners.js";
import type { Generator, Grade, Grader } from "../../../src/tools/models/port.js";
import { withJudge } from "../../../src/tools/models/with-judge.js";
import type { Report } from "../../../src/types/answer.js";
import type { Call } from "../../../src/types/call.js";
import type { Evidence, Language, Verdict } from "../../../src/types/evidence.js";
import { call, task } from "./local-evidence.js";

const grade = (answerability: Grade["answerability"], probability?: number, relevance = 0.5): Grade => ({
  relevance: [[relevance]],
  answerability,
  ...(probability !== undefined && { probability }),
  missing: "",
  entities: [],
  clarification: "",
});
const byWords = localReasoners().grader;
const silent: Generator = { generate: async () => ({ claims: [], missing: "" }) };
const graders = (model: Grader, own: Grade) =>
  withJudge({ grader: model, generator: silent }, { grader: { grade: async () => own }, generator: silent }, byWords)
    .grader;

const thorough: Call = { ...call(), thorough: true };

async function graded(model: Grade, own: Grade, budget: Call = call(), language: Language = "en") {
  let asked = 0;
  const grader: Grader = {
    grade: async () => {
      asked += 1;
      return model;
    },
  };
  const found = await graders(grader, own).grade({ ...task("When?", "At noon."), language }, budget);
  return { ...found, asked };
}

describe("a grade with a judge and a model", () => {
  test.each([0.01, 0.2, 0.4, 0.6, 0.95])(
    "comes from the judge, without a call, at a probability of %s",
    async (probability) => {
      const own = grade(probability < 0.5 ? "none" : "full", probability);
      expect(await graded(grade("partial"), own)).toMatchObject({ answerability: own.answerability, asked: 0 });
    },
  );

  test("is undecided if the judge is unsure, so that a draft decides", async () => {
    const undecided = async (own: Grade) => (await graded(grade("full"), own)).undecided ?? false;
    expect(await undecided(grade("unknown", 0.4))).toBe(true);
    expect(await undecided(grade("partial", 0.2))).toBe(true);
    expect(await undecided(grade("partial", 0.95))).toBe(true);
    expect(await undecided(grade("none", 0.1))).toBe(false);
    expect(await undecided(grade("full", 0.6))).toBe(false);
  });

  test("comes from the model alone if the judge gives no probability", async () => {
    expect(await graded(grade("full"), grade("none"))).toMatchObject({ answerability: "full", asked: 1 });
  });
});

describe("a judge that is busy", () => {
  const isBusy = async () => {
    throw new JudgeBusyError(1.5);
  };
  const busy = { grader: { grade: isBusy }, generator: { generate: isBusy } };

  async function gradedBy(model: Grade, budget: Call, evidence: readonly Evidence[], language: Language = "en") {
    const faults: string[] = [];
    const { grader } = withJudge({ grader: { grade: async () => model }, generator: silent }, busy, byWords);
    const told = { ...budget, fault: ({ message }: Error) => faults.push(message) };
    const found = await grader.grade({ ...task("When does it open?"), evidence, language }, told);
    expect(faults).toEqual([expect.stringContaining("judge_busy: the judge is 1.5 s behind")]);
    return found;
  }
  const six = task("", ...Array.from({ length: 6 }, (_, i) => `Room ${i} is on floor ${i}.`)).evidence;

  test("lets a draft decide that reads the first four passages, without a call, with a fault", async () => {
    const found = await gradedBy(grade("full"), call(), six);
    expect(found).toMatchObject({ undecided: true, answerability: "unknown" });
    expect(found.probability).toBeUndefined();
    expect(found.relevance.map(([strip = 0]) => strip >= KEEP_AT)).toEqual([true, true, true, true, false, false]);
  });

  test("lets the draft read new passages before those that were graded already", async () => {
    const known = six.slice(0, 3).map((piece) => ({ ...piece, strips: [{ start: 0, end: 5, relevance: 0 }] }));
    const found = await gradedBy(grade("full"), call(), [...known, ...six.slice(3)]);
    expect(found.relevance.map(([strip = 0]) => strip >= KEEP_AT)).toEqual([false, false, false, true, true, true]);
  });

  test.each([
    ["in the thorough form", thorough, "en"],
    ["in a language that the judge was not trained on", call(), "other"],
  ] as const)("leaves the grade to the model %s", async (_, budget, language) => {
    expect(await gradedBy(grade("partial"), budget, six, language)).toEqual(grade("partial"));
  });

  test("still asks what a text means that asks nothing", async () => {
    const { grader } = withJudge({ grader: { grade: async () => grade("full") }, generator: silent }, busy, byWords);
    const found = await grader.grade({ ...task("asdf asdf"), evidence: six }, { ...call(), fault: () => {} });
    expect(found).toMatchObject({ clarification: expect.stringContaining("What is your question about?") });
    expect(found.undecided).toBeUndefined();
  });

  test("adds no quotes to a draft", async () => {
    const { generator } = withJudge({ grader: { grade: async () => grade("full") }, generator: silent }, busy, byWords);
    const verdict = { ...grade("full", 0.9), grade: "correct" as const, relevance: 1 };
    const drafted = { ...task("When?", "At noon."), intent: "other" as const, verdict };
    expect(await generator.generate(drafted, call(), () => {})).toEqual({ claims: [], missing: "" });
  });
});

describe.each([
  ["in the thorough form", thorough, "en"],
  ["in a language that the judge was not trained on", call(), "other"],
] as const)("a grade %s", (_, budget, language) => {
  test.each([
    ["yes", "full", 0.95],
    ["no", "none", 0.01],
  ] as const)("needs no call if the judge clearly says %s", async (_word, answerability, probability) => {
    const found = await graded(grade("partial"), grade(answerability, probability), budget, language);
    expect(found).toMatchObject({ answerability, asked: 0 });
  });

  test("comes from the model if the judge is in doubt, with the judge's probability", async () => {
    const found = await graded(grade("full", undefined, 0.2), grade("none", 0.4, 0.7), budget, language);
    expect(found).toMatchObject({ answerability: "full", probability: 0.4, relevance: [[0.7]], asked: 1 });
  });

  test("is at most partial if the judge doubts the evidence", async () => {
    const found = await graded(grade("full"), grade("none", 0.2), budget, language);
    expect(found).toMatchObject({ answerability: "partial", asked: 1 });
  });
});

describe("a model that grades with a judge", () => {
  test("does not raise a strip that the judge finds irrelevant", async () => {
    const own = { ...grade("none", 0.4), relevance: [[0.04, 0.06]] };
    const found = await graded({ ...grade("full"), relevance: [[1, 1]] }, own, thorough);
    expect(found.relevance).toEqual([[0.04, 1]]);
  });

  test("reads only the pieces that the judge does not find irrelevant", async () => {
    let read: string[] = [];
    const model: Grader = {
      grade: async ({ evidence }) => {
        read = evidence.map(({ id }) => id);
        return { ...grade("full"), relevance: [[0.9]] };
      },
    };
    const own = async (...relevance: number[]) => {
      const first = { ...grade("none", 0.4), relevance: relevance.map((value) => [value]) };
      const grader = graders(model, first);
      return (await grader.grade(task("When?", "A cat.", "At noon.", "A dog."), thorough)).relevance;
    };
    expect(await own(0.01, 0.3, 0.02)).toEqual([[0.01], [0.9], [0.02]]);
    expect(read).toEqual(["1"]);
    read = [];
    expect(await own(0.01, 0.04, 0.02)).toEqual([[0.01], [0.04], [0.02]]);
    expect(read).toEqual([]);
  });
});

describe("a draft with a judge and a model", () => {
  const saying = (text: string): Generator => ({
    generate: async (_task, _call, onClaim) => {
      const claims = text ? [{ text, citations: [] }] : [];
      for (const claim of claims) onClaim?.(claim);
      return { claims, missing: "" };
    },
  });

  /** The claims of the draft, the quotes of the judge, and the number of calls. */
  async function drafted(said: string, probability: number | undefined, budget = call(), isRepair = false) {
    let asked = 0;
    const model: Generator = {
      generate: (...all) => {
        asked += 1;
        return saying(said).generate(...all);
      },
    };
    const grader: Grader = { grade: async () => grade("full") };
    const { generator } = withJudge({ grader, generator: model }, { grader, generator: saying("At noon.") }, byWords);
    const streamed: string[] = [];
    const verdict = { ...(probability !== undefined && { probability }) } as Verdict;
    const repair = isRepair && { repair: { claims: [], missing: "" } as unknown as Report };
    const asking = { ...task("When?", "At noon."), intent: "other", verdict, ...repair } as const;
    const draft = await generator.generate(asking, budget, ({ text }) => streamed.push(text));
    expect(streamed).toEqual(draft.claims.map(({ text }) => text));
    return { said: streamed.join(), quoted: draft.quotes?.map(({ text }) => text).join(), asked };
  }

  test("comes from the model, with the quotes of the judge added", async () => {
    expect(await drafted("At twelve.", 0.6)).toEqual({ said: "At twelve.", quoted: "At noon.", asked: 1 });
    expect(await drafted("", 0.6)).toEqual({ said: "", quoted: "At noon.", asked: 1 });
  });

  test("is repaired with those quotes, and by the model only in the thorough form", async () => {
    expect(await drafted("At one.", 0.6, call(), true)).toEqual({ said: "", quoted: "At noon.", asked: 0 });
    expect(await drafted("At one.", 0.6, thorough, true)).toEqual({ said: "At one.", quoted: "At noon.", asked: 1 });
  });

  test("comes from the model alone if the judge gives no probability", async () => {
    expect(await drafted("", undefined)).toEqual({ said: "", quoted: undefined, asked: 1 });
  });
});
