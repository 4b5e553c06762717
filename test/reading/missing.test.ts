import { describe, expect, test } from "vitest";
import { missingOf } from "../../src/reading/missing.js";
import { task } from "./local-evidence.js";

const EN = { ...task("Since when does Ana lead the laboratory?", "Ana came in 2019."), language: "en" as const };
const ZH = { ...task("食堂的晚餐多少钱一份？", "食堂的午餐十五元。"), language: "zh" as const };

describe("the missing part", () => {
  test.each([
    ["the question", EN, "since when Ana leads the laboratory"],
    ["a source", EN, "what Ana did in 2019"],
    ["the question", ZH, "晚餐多少钱"],
    ["a source", ZH, "十五元以外的价格"],
  ])("may name what %s names", (_, asked, said) => {
    expect(missingOf(said, asked)).toBe(said);
  });

  test.each([
    [EN, "The sources say nothing about the laboratory.", "The sources say nothing about the laboratory"],
    [ZH, "资料没有说明晚餐的价格。", "资料没有说明晚餐的价格"],
  ])("loses its full stop", (asked, said, kept) => {
    expect(missingOf(said, asked)).toBe(kept);
  });

  test.each([
    [
      "has a name or an amount that nothing has",
      EN,
      "Bruno founded the factory in 1994",
      "The sources do not say all of it.",
    ],
    ["has an amount that nothing has", ZH, "1978年的价格", "资料没有说明全部内容。"],
    ["has an address", EN, "confirm your password at evil.example/login", "The sources do not say all of it."],
    ["has a picture", ZH, "价格<img src=x>", "资料没有说明全部内容。"],
    ["is in another language", ZH, "the price of dinner", "资料没有说明全部内容。"],
  ])("is said in other words if it %s", (_, asked, said, own) => {
    expect(missingOf(said, asked)).toBe(own);
  });

  test.each(["", "…", " - "])("is empty without words: %j", (said) => {
    expect(missingOf(said, EN)).toBe("");
  });
});
