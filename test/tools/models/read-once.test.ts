import { expect, test } from "vitest";
import { NO_ALIASES } from "../../../src/text/aliases.js";
import { meaningReader } from "../../../src/tools/models/reading.js";
import { fakeEncoder } from "../../encoder.js";
import { call, task } from "./local-evidence.js";

const texts = Array.from({ length: 8 }, (_, i) => `Passage ${i} says one thing. It says another thing.`);
const [FIRST, ALL] = [
  [0, 1, 2],
  [0, 1, 2, 3, 4, 5, 6, 7],
];
const GRADED = [{ start: 0, end: 5, relevance: 0.4 }];

/** Returns the numbers of the passages that are read if the first ones were graded before, with these scores of the search. */
async function readWith(answerability: number, graded = 0, scoreOf = (i: number) => 1 / (i + 1), doubtFrom?: number) {
  const encoder = fakeEncoder({ judge: () => ({ answerability, relevance: answerability }) });
  const asked = task("What does it say?", ...texts);
  const evidence = asked.evidence.map((piece, i) => ({
    ...piece,
    score: scoreOf(i),
    strips: i < graded ? GRADED : [],
  }));
  await meaningReader(encoder, NO_ALIASES, doubtFrom).read({ ...asked, evidence }, call());
  return texts.flatMap((_, i) => (encoder.asked.some(({ passage }) => passage.includes(`Passage ${i} `)) ? [i] : []));
}

test("passages after the best three are not read if one of those answers", async () => {
  expect(await readWith(0.99)).toEqual(FIRST);
});

test("passages after the best three are not read if none of those comes near an answer", async () => {
  expect(await readWith(0.01)).toEqual(FIRST);
});

test("all passages are read if the best three leave the answer in doubt", async () => {
  expect(await readWith(0.4)).toEqual(ALL);
});

test("passages that were graded before do not count as the best three", async () => {
  expect(await readWith(0.01, 4)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(await readWith(0.99, 4)).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

test("all passages are read if the search did not rank them, unless one of the first three answers", async () => {
  expect(await readWith(0.01, 0, () => 1)).toEqual(ALL);
  expect(await readWith(0.99, 0, () => 1)).toEqual(FIRST);
});

test("a reader that doubts longer reads all passages for less of an answer", async () => {
  expect(await readWith(0.2)).toEqual(FIRST);
  expect(await readWith(0.2, 0, undefined, 0.1)).toEqual(ALL);
});
