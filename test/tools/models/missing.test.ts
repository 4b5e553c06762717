import { expect, test } from "vitest";
import { missingOf } from "../../../src/tools/models/missing.js";

test.each([
  ["en", "Since when does Ana lead the laboratory?", "since when Ana leads the laboratory"],
  ["zh", "食堂的晚餐多少钱一份？", "晚餐多少钱"],
] as const)("what is missing may be said in the question's words (%s)", (language, question, said) => {
  expect(missingOf(said, { question, language })).toBe(said);
});

test.each([
  ["en", "Since when does Ana lead the laboratory?", "Bruno founded the factory in 1994"],
  ["zh", "食堂的晚餐多少钱一份？", "1978年考入中央民族学院"],
  ["zh", "食堂的晚餐多少钱一份？", "the price of dinner"],
  ["en", "Where is it?", ""],
] as const)("nothing else reaches people unchecked (%s: %s)", (language, question, said) => {
  expect(missingOf(said, { question, language })).toBe("");
});
