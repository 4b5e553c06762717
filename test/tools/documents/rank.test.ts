import { expect, test } from "vitest";
import { terms } from "../../../src/text/tokens.js";
import { fuse } from "../../../src/tools/documents/fusion.js";
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

const ranking = (scores: Record<string, number>) => Object.entries(scores).map(([id, score]) => ({ id, score }));
const fused = (words: Record<string, number>, meanings: Record<string, number>, cutAt = 30) =>
  fuse(ranking(words), ranking(meanings), cutAt).map(({ id }) => id);

test("what both words and meaning find comes before what only one of them finds", () => {
  expect(fused({ a: 9, both: 8 }, { b: 0.6, both: 0.5, a: 0.1 })[0]).toBe("both");
});

test("where the words fit all about as well, meaning decides", () => {
  expect(fused({ a: 5, b: 4.9, c: 4.8 }, { c: 0.7, a: 0.3, b: 0.2 })[0]).toBe("c");
});

test("where all are about as near in meaning, words decide", () => {
  expect(fused({ a: 9, b: 4, c: 3 }, { c: 0.52, b: 0.51, a: 0.5 })).toEqual(["a", "b", "c"]);
});

test("what a ranking that was cut off does not show counts as its last", () => {
  const [words, meanings] = [
    { a: 9, b: 8 },
    { c: 0.6, a: 0.5, b: 0.3 },
  ];
  expect(fused(words, meanings, 2)[0]).toBe("c");
  expect(fused(words, meanings, 30)[0]).toBe("a");
});

test("one ranking alone keeps its order, and the first ranking's come first where two tie", () => {
  expect(fused({ z: 3, a: 2 }, {})).toEqual(["z", "a"]);
  expect(fused({}, { z: 0.3, a: 0.2 })).toEqual(["z", "a"]);
  expect(fused({ z: 1, a: 1 }, {})).toEqual(["z", "a"]);
  expect(fused({}, {})).toEqual([]);
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
