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

  test.each([
    [0.04, 0.04],
    [0.06, 1],
  ])("calls a strip that the judge gives %s as relevant as %s", async (own, relevance) => {
    expect(await both(grade("full", undefined, 1), grade("none", 0.4, own))).toMatchObject({
      relevance: [[relevance]],
    });
  });

  test("is the model's alone where nothing measures a probability", async () => {
    expect(await both(grade("full"), grade("none"))).toMatchObject({ answerability: "full", asked: 1 });
  });
});
