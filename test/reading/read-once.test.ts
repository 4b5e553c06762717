import { expect, test } from "vitest";
import { meaningReader } from "../../src/reading/reading.js";
import { fakeEncoder } from "../encoder.js";
import { call, task } from "./local-evidence.js";

const texts = Array.from({ length: 8 }, (_, i) => `Passage ${i} says one thing. It says another thing.`);
const [TWO, FIRST, ALL] = [
  [0, 1],
  [0, 1, 2],
  [0, 1, 2, 3, 4, 5, 6, 7],
];
const asked = task("What does it say?", ...texts);

/** Returns the numbers of the passages that are read if the first ones were read before, with these scores of the search. */
async function readWith(answerability: number, before = 0, scoreOf = (i: number) => 1 / (i + 1)) {
  const encoder = fakeEncoder({ judge: () => ({ answerability, relevance: answerability }) });
  const evidence = asked.evidence.map((piece, i) => ({
    ...piece,
    score: scoreOf(i),
    ...(i < before && { read: [{ question: asked.question, units: [] }] }),
  }));
  await meaningReader(encoder).read({ ...asked, evidence }, call());
  return texts.flatMap((_, i) => (encoder.asked.some(({ passage }) => passage.includes(`Passage ${i} `)) ? [i] : []));
}

test("the third passage is not read if one of the best two answers", async () => {
  expect(await readWith(0.99)).toEqual(TWO);
});

test("passages after the best three are not read, whether these answer, do not, or leave it in doubt", async () => {
  for (const answerability of [0.6, 0.4, 0.01]) expect(await readWith(answerability)).toEqual(FIRST);
});

test("passages that were read before are not read again, and do not count as the best three", async () => {
  expect(await readWith(0.01, 4)).toEqual([4, 5, 6]);
  expect(await readWith(0.99, 4)).toEqual([4, 5]);
});

test("all passages are read if the search did not rank them, unless one of the first answers", async () => {
  expect(await readWith(0.01, 0, () => 1)).toEqual(ALL);
  expect(await readWith(0.99, 0, () => 1)).toEqual(TWO);
});
