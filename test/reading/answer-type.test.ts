import { describe, expect, test } from "vitest";
import { lacksType } from "../../src/reading/answer-type.js";

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

test.each([
  ["Which weekday is free?", "It is closed in the first week of May.", "We are closed on Mondays."],
  ["On which day are the office hours?", "There are office hours every other week.", "On the 25th."],
  ["What days is it open?", "It is open in the summer.", "Two days after the fair."],
  ["周几闭馆？", "五月一日至八月三十一日闭馆。", "周一闭馆。"],
  ["哪天发工资？", "工资由财务部发放。", "每月10号。"],
])("%s asks for a day", (question, without, answer) => {
  expect(lacksType(question)(without)).toBe(true);
  expect(lacksType(question)(answer)).toBe(false);
});

test.each([
  ["How much does Bloom cost in dollars?", "Bloom costs €99.", "Bloom costs $99 (€90)."],
  ["How many euros is it?", "It costs 20 pounds.", "It costs 20 euros."],
  ["这要多少美元？", "费用是300元。", "费用是300美元。"],
])("%s is not answered by a price in another currency", (question, without, answer) => {
  expect(lacksType(question)(without)).toBe(true);
  expect(lacksType(question)(answer)).toBe(false);
  expect(lacksType(question)("It takes 20 kg.")).toBe(false);
});

test.each([
  ["这要多少元？", "It costs 20 euros."],
  ["Is it paid in dollars or euros?", "It costs 20 euros."],
])("%s asks for no currency that %s lacks", (question, text) => expect(lacksType(question)(text)).toBe(false));

test.each(["How long is it?", "哪几个人参加？", "Who paid?", "When it rains, who closes the roof?"])(
  "%s asks for neither",
  (question) => expect(lacksType(question)("The roof is closed by the porter.")).toBe(false),
);
