import { expect, test } from "vitest";
import { terms } from "../../../src/language/tokens.js";
import { favourPhrases } from "../../../src/tools/documents/rank.js";
import { passageTerms, queryTerms } from "../../../src/tools/documents/terms.js";

const candidate = (id: string, text: string, score = 1) => ({ id, score, terms: terms(text).join(" ") });
const order = (question: string, ...candidates: ReturnType<typeof candidate>[]) =>
  favourPhrases(terms(question), candidates).map(({ id }) => id);

test.each([
  ["annual leave", "the leave is counted for annual reports", "annual leave is twenty days"],
  ["年假天数", "天数按年计算，假期另计", "年假天数为二十天"],
])(
  "of two passages with the words of %j the one where they stand together comes first",
  (question, apart, together) => {
    expect(order(question, candidate("apart", apart), candidate("together", together))).toEqual(["together", "apart"]);
  },
);

test("a phrase counts once, so that repeating it does not win", () => {
  const [first, second] = favourPhrases(terms("annual leave"), [
    candidate("once", "annual leave"),
    candidate("often", "annual leave, annual leave, annual leave"),
  ]);
  expect(first?.score).toBe(second?.score);
});

test("a phrase is of whole terms, not of the end of one", () => {
  const [first] = favourPhrases(terms("annual leave"), [candidate("a", "annual report on biannual leave")]);
  expect(first?.score).toBe(1);
});

test("without phrases the order stays, and ties go by id", () => {
  const others = [candidate("b", "one"), candidate("a", "two"), candidate("c", "three", 2)];
  expect(order("something else entirely", ...others)).toEqual(["c", "a", "b"]);
});

test("a passage is found by a Chinese word of one character inside another word", () => {
  expect(passageTerms({ title: "", section: "", text: "个人所得税" })).toEqual(
    expect.arrayContaining(queryTerms("税")),
  );
});

test("a query of function words alone looks for them", () => {
  expect(queryTerms("to be or not to be").length).toBeGreaterThan(0);
  expect(queryTerms("为什么").length).toBeGreaterThan(0);
});

test("a query looks for each term once, and for no more than a page of them", () => {
  expect(queryTerms("office office OFFICE")).toEqual(["offic"]);
  expect(queryTerms(Array.from({ length: 5_000 }, (_, i) => `word${i}`).join(" ")).length).toBeLessThanOrEqual(256);
});

test("a query has traditional characters as they are written too, for stores that were filled with them so", () => {
  expect(queryTerms("報銷")).toEqual(["报销", "报", "销", "報", "銷"]);
  expect(queryTerms("什麼")).not.toContain("麼");
  expect(passageTerms({ title: "", section: "", text: "報銷" })).toEqual(["报销", "报", "销"]);
});
