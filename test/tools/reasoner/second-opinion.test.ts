import { describe, expect, test } from "vitest";
import { JudgeBusyError } from "../../../src/errors.js";
import type { Generator, Grade, Grader } from "../../../src/tools/reasoner/port.js";
import { withSecondOpinion } from "../../../src/tools/reasoner/second-opinion.js";
import type { Report } from "../../../src/types/answer.js";
import { call, task } from "./local/evidence.js";

const grade = (answerability: Grade["answerability"], probability?: number, relevance = 0.5): Grade => ({
  relevance: [[relevance]],
  answerability,
  ...(probability !== undefined && { probability }),
  missing: "",
  entities: [],
  clarification: "",
  reason: answerability,
});
const silent: Generator = { generate: async () => ({ claims: [], missing: "" }) };
const graders = (model: Grader, own: Grade) =>
  withSecondOpinion({ grader: model, generator: silent }, { grader: { grade: async () => own }, generator: silent })
    .grader;

function both(model: Grade, own: Grade) {
  let asked = 0;
  const grader: Grader = {
    grade: async () => {
      asked += 1;
      return model;
    },
  };
  const graded = graders(grader, own).grade(task("When?", "At noon."), call());
  return graded.then((found) => ({ ...found, asked }));
}

describe("a judge that is busy", () => {
  const busy: Grader = {
    grade: async () => {
      throw new JudgeBusyError(1.5);
    },
  };

  test("leaves the grade to the model, and the log says so", async () => {
    const faults: string[] = [];
    const { grader } = withSecondOpinion(
      { grader: { grade: async () => grade("partial") }, generator: silent },
      { grader: busy, generator: silent },
    );
    const told = { ...call(), fault: ({ message }: Error) => faults.push(message) };
    expect(await grader.grade(task("When?", "At noon."), told)).toEqual(grade("partial"));
    expect(faults).toEqual([expect.stringContaining("judge_busy: the judge is 1.5 s behind")]);
  });

  test("quotes nothing in place of an empty draft", async () => {
    const { generator } = withSecondOpinion({ grader: busy, generator: silent }, { grader: busy, generator: silent });
    const draft = await generator.generate({ ...task("When?", "At noon."), intent: "other" }, call(), () => {});
    expect(draft.claims).toEqual([]);
  });
});

describe("a model's grade with a second opinion", () => {
  test.each([
    ["yes", "full", 0.95],
    ["no", "none", 0.01],
  ] as const)("is not asked for where the judge clearly says %s", async (_word, answerability, probability) => {
    const found = await both(grade("partial"), grade(answerability, probability));
    expect(found).toMatchObject({ answerability, asked: 0 });
  });

  test("is the model's where the judge is in doubt, with the judge's probability", async () => {
    const found = await both(grade("full", undefined, 0.2), grade("none", 0.4, 0.7));
    expect(found).toMatchObject({ answerability: "full", probability: 0.4, relevance: [[0.7]], asked: 1 });
  });

  test("is asked for where a part of the question is open, however sure the judge is of the other", async () => {
    expect(await both(grade("full"), grade("partial", 0.95))).toMatchObject({ answerability: "full", asked: 1 });
  });

  test("does not call sufficient what the judge thinks hopeless", async () => {
    expect(await both(grade("full"), grade("none", 0.2))).toMatchObject({ answerability: "partial", asked: 1 });
  });

  test("leaves a strip as hopeless as the judge finds it", async () => {
    const own = { ...grade("none", 0.4), relevance: [[0.04, 0.06]] };
    const found = await both({ ...grade("full"), relevance: [[1, 1]] }, own);
    expect(found.relevance).toEqual([[0.04, 1]]);
  });

  test("is of the pieces that the judge does not think hopeless", async () => {
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
      return (await grader.grade(task("When?", "A cat.", "At noon.", "A dog."), call())).relevance;
    };
    expect(await own(0.01, 0.3, 0.02)).toEqual([[0.01], [0.9], [0.02]]);
    expect(read).toEqual(["1"]);
    read = [];
    expect(await own(0.01, 0.04, 0.02)).toEqual([[0.01], [0.04], [0.02]]);
    expect(read).toEqual([]);
  });

  test("stands for as long as there is nothing that the model has not read", async () => {
    let asked = 0;
    const model: Grader = {
      grade: async ({ evidence }) => {
        asked += 1;
        return { ...grade("partial"), relevance: evidence.map(() => [0.9]), missing: "the hour" };
      },
    };
    const { evidence, ...question } = task("When?", "At noon.", "A cat.");
    const read = evidence.slice(0, 1).map((piece) => ({ ...piece, strips: [{ start: 0, end: 6, relevance: 0.7 }] }));
    const again = async (fresh: number) => {
      const own = { ...grade("none", 0.4), relevance: [[0.2], [fresh]] };
      const before = {
        ...grade("partial"),
        grade: "ambiguous",
        relevance: 0.7,
        relevant: 1,
        missing: "the hour",
      } as const;
      return graders(model, own).grade({ ...question, evidence: [...read, ...evidence.slice(1)], before }, call());
    };
    expect(await again(0.01)).toMatchObject({
      answerability: "partial",
      missing: "the hour",
      relevance: [[0.7], [0.01]],
    });
    expect(asked).toBe(0);
    expect(await again(0.3)).toMatchObject({ answerability: "partial", relevance: [[0.9], [0.9]] });
    expect(asked).toBe(1);
  });

  test("is the model's alone where nothing measures a probability", async () => {
    expect(await both(grade("full"), grade("none"))).toMatchObject({ answerability: "full", asked: 1 });
  });
});

describe("a model's draft with a second opinion", () => {
  /** The text of the draft, and how often the model was asked. `held` says of an earlier draft's claims if they held. */
  async function drafted(said: string, own: Grade, held?: readonly boolean[]) {
    let asked = 0;
    const saying = (text: string): Generator => ({
      generate: async (_task, _call, onClaim) => {
        const claims = text ? [{ text, citations: [] }] : [];
        for (const claim of claims) onClaim?.(claim);
        return { claims, missing: "" };
      },
    });
    const model: Generator = {
      generate: (...all) => {
        asked += 1;
        return saying(said).generate(...all);
      },
    };
    const grader: Grader = { grade: async () => own };
    const { generator } = withSecondOpinion({ grader, generator: model }, { grader, generator: saying("At noon.") });
    const claims = held?.map((holds) => ({
      text: "",
      quotes: [],
      verdict: holds ? "likely" : "unsupported",
      reason: "",
    }));
    const streamed: string[] = [];
    const repair = claims && { repair: { claims, missing: "" } as unknown as Report };
    const draft = await generator.generate(
      { ...task("When?", "At noon."), intent: "other", ...repair },
      call(),
      ({ text }) => streamed.push(text),
    );
    expect(streamed).toEqual(draft.claims.map(({ text }) => text));
    return { said: draft.claims.map(({ text }) => text).join(" "), asked };
  }

  test("is the model's where it says something", async () => {
    expect(await drafted("At twelve.", grade("full", 0.6))).toEqual({ said: "At twelve.", asked: 1 });
  });

  test("is quoted where the model says nothing of evidence that answers, and only there", async () => {
    expect(await drafted("", grade("full", 0.6))).toEqual({ said: "At noon.", asked: 1 });
    expect(await drafted("", grade("partial", 0.4))).toEqual({ said: "", asked: 1 });
  });

  test("is quoted where none of its claims held, and the model is not asked again", async () => {
    expect(await drafted("At one.", grade("full", 0.6), [false, false])).toEqual({ said: "At noon.", asked: 0 });
  });

  test("is repaired by the model only where a claim held", async () => {
    expect(await drafted("At one.", grade("full", 0.6), [true, false])).toEqual({ said: "At one.", asked: 1 });
    expect(await drafted("At one.", grade("partial", 0.4), [false])).toEqual({ said: "", asked: 0 });
  });

  test("is the model's alone where nothing measures a probability", async () => {
    expect(await drafted("", grade("full"))).toEqual({ said: "", asked: 1 });
  });
});
