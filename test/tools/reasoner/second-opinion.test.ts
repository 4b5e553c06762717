import { expect, test } from "vitest";
import type { Grade, Grader } from "../../../src/tools/reasoner/port.js";
import { secondOpinion } from "../../../src/tools/reasoner/second-opinion.js";
import { CHINESE, ENGLISH, meter } from "../../contract/reasoner.js";

const saying = (relevance: number[][], answerability: Grade["answerability"] = "full"): Grader => ({
  grade: async () => ({ relevance, answerability, missing: "", entities: [], clarification: "", reason: "said." }),
});

const eager = saying([[1], [0.2]]);

test.each([ENGLISH, CHINESE])("two that agree leave the first grade as it is ($language)", async (task) => {
  const grade = await secondOpinion(eager, saying([[0.3], [0]])).grade(task, meter().call);
  expect(grade).toEqual(await eager.grade(task, meter().call));
});

test.each([ENGLISH, CHINESE])("what the second finds nothing in does not answer ($language)", async (task) => {
  const grade = await secondOpinion(eager, saying([[0.29], [0.1]], "none")).grade(task, meter().call);
  expect(grade).toMatchObject({ answerability: "partial", relevance: [[0.5], [0.2]] });
});

test("a no stays a no", async () => {
  const grade = await secondOpinion(saying([[0.4], [0]], "none"), saying([[1], [1]])).grade(ENGLISH, meter().call);
  expect(grade).toMatchObject({ answerability: "none", relevance: [[0.4], [0]] });
});

test("evidence in another language is left to the first", async () => {
  const task = { ...CHINESE, evidence: ENGLISH.evidence };
  const grade = await secondOpinion(eager, saying([[0], [0]])).grade(task, meter().call);
  expect(grade.answerability).toBe("full");
});
