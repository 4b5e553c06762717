import { expect, test } from "vitest";
import { missingOf } from "../../../src/tools/models/missing.js";

test.each([
  ["en", "Since when does Ana lead the laboratory?", "since when Ana leads the laboratory"],
  ["zh", "食堂的晚餐多少钱一份？", "晚餐多少钱"],
] as const)("the missing part may use words of the question (%s)", (language, question, said) => {
  expect(missingOf(said, { question, language })).toBe(said);
});

test.each([
  ["en", "Since when does Ana lead the laboratory?", "Bruno founded the factory in 1994"],
  ["zh", "食堂的晚餐多少钱一份？", "1978年考入中央民族学院"],
  ["zh", "食堂的晚餐多少钱一份？", "the price of dinner"],
  ["en", "Where is it?", ""],
] as const)("the missing part may contain no other, unchecked words (%s: %s)", (language, question, said) => {
  expect(missingOf(said, { question, language })).toBe("");
});
