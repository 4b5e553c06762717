import { describe, expect, test } from "vitest";
import { isNonsense } from "../../src/reading/local-grader.js";
import { languageOf } from "../../src/text/language.js";

const texts = ["Salaries are paid on the 28th. Yes, also in December.", "工资每月28日发放。"];
const is = (question: string) => isNonsense(question, languageOf(question), texts);

describe("a question", () => {
  test.each([
    "asdf",
    "asdf qwrtz",
    "yes yes yes",
    "???",
    "哈哈哈哈哈哈",
    "啊啊",
    "the of and",
    "xkcdq zzz?",
    "ok",
    "banana",
    "香蕉",
    "salaries paid ".repeat(1100),
    "工资 发放 ".repeat(1100),
  ])("without meaning is recognised: %.30s", (question) => expect(is(question)).toBe(true));

  test.each([
    "salaries?",
    "salaries paid, salaries paid?",
    "when's payday before Christmas?",
    "工资",
    "几点下班",
    "How do I open the garage door?",
    "28th",
    "when's payday?",
    "What is RAG?",
  ])("with a meaning is not taken for nonsense: %s", (question) => expect(is(question)).toBe(false));

  test("in another language is never taken for nonsense", () => {
    expect(isNonsense("asdf", "other", [])).toBe(false);
  });
});
