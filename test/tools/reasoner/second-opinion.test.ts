import { describe, expect, test } from "vitest";
import type { Grade, Grader } from "../../../src/tools/reasoner/port.js";
import { withSecondOpinion } from "../../../src/tools/reasoner/second-opinion.js";
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
function both(model: Grade, own: Grade) {
  let asked = 0;
  const grader: Grader = {
    grade: async () => {
      asked += 1;
      return model;
    },
  };
  const graded = withSecondOpinion(grader, { grade: async () => own }).grade(task("When?", "At noon."), call());
  return graded.then((found) => ({ ...found, asked }));
}

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
      const grader = withSecondOpinion(model, { grade: async () => first });
      return (await grader.grade(task("When?", "A cat.", "At noon.", "A dog."), call())).relevance;
    };
    expect(await own(0.01, 0.3, 0.02)).toEqual([[0.01], [0.9], [0.02]]);
    expect(read).toEqual(["1"]);
    read = [];
    expect(await own(0.01, 0.04, 0.02)).toEqual([[0.01], [0.04], [0.02]]);
    expect(read).toEqual([]);
  });

  test("is the model's alone where nothing measures a probability", async () => {
    expect(await both(grade("full"), grade("none"))).toMatchObject({ answerability: "full", asked: 1 });
  });
});
