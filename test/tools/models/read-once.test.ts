import { expect, test } from "vitest";
import { meaningReader } from "../../../src/tools/models/reading.js";
import { fakeEncoder } from "../../encoder.js";
import { call, task } from "./local-evidence.js";

const texts = Array.from({ length: 8 }, (_, i) => `Passage ${i} says one thing. It says another thing.`);

const readWith = async (answerability: number) => {
  const encoder = fakeEncoder({ judge: () => ({ answerability, relevance: answerability }) });
  await meaningReader(encoder).read(task("What does it say?", ...texts), call());
  return texts.map((_, i) => encoder.asked.some(({ passage }) => passage.includes(`Passage ${i} `)));
};

test("passages after the best three are not read if one of those answers", async () => {
  expect(await readWith(0.99)).toEqual([true, true, true, false, false, false, false, false]);
});

test("all passages are read if none of the best three answers", async () => {
  expect(await readWith(0.01)).not.toContain(false);
});
