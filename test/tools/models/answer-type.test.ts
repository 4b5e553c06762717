import { describe, expect, test } from "vitest";
import { lacksType } from "../../../src/tools/models/answer-type.js";

const AMOUNTS = ["There are forty seats.", "Entry is free.", "No seats are left.", "租金三千元。", "全部免費。"];
const NO_AMOUNTS = ["The number of seats is limited.", "座位有限。"];

describe("a question for an amount", () => {
  test.each(["How many seats are there?", "how much is it", "租金多少？", "年假有几天？", "能修幾年？"])(
    "%s is not answered by text without one",
    (question) => {
      const lacks = lacksType(question);
      expect(NO_AMOUNTS.every(lacks)).toBe(true);
      expect(AMOUNTS.some(lacks)).toBe(false);
    },
  );
});

describe("a question for a time", () => {
  test.each([
    "When did Elias Brandt join?",
    "when's payday?",
    "Since when is it open?",
    "What year was it built?",
    "几点上班？",
    "什麼時候發工資？",
  ])("%s is not answered by text without one", (question) => {
    const lacks = lacksType(question);
    expect(["Elias Brandt leads sales.", "他負責銷售。"].every(lacks)).toBe(true);
    expect(
      [
        "He joined in May 2019.",
        "It opens at eight.",
        "On the last Friday.",
        "After the probation.",
        "每月十號。",
        "八點開門。",
      ].some(lacks),
    ).toBe(false);
  });
});

test.each(["How long is it?", "周几闭馆？", "哪几个人参加？", "Who paid?", "When it rains, who closes the roof?"])(
  "%s asks for neither",
  (question) => expect(lacksType(question)("The roof is closed by the porter.")).toBe(false),
);
