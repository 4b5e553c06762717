import { expect, test } from "vitest";
import { terms } from "../../../src/text/tokens.js";
import { favourPhrases, fuse, languageMeans } from "../../../src/tools/documents/rank.js";
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

interface Given {
  id: string;
  /** BM25; left out: not found by words. */
  score?: number;
  text?: string;
  cosine?: number;
  language?: "en" | "zh";
}

/** English passages are usually at a cosine of 0.7 to the question, Chinese ones at 0.6. */
const means = new Map([["en", [0.7]] as const, ["zh", [0.6]] as const]);
const fused = (question: string, ...given: Given[]) => {
  const all = given.map(({ score = 0, text = "", language = "en", ...rest }) => ({
    ...rest,
    score,
    language,
    terms: terms(text).join(" "),
  }));
  const words = all.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score);
  const meanings = all.filter(({ cosine }) => cosine !== undefined);
  return fuse({ question, vector: [1], words, meanings, means });
};
const fusedOrder = (...given: Parameters<typeof fused>) => fused(...given).map(({ id }) => id);

test("of passages that have the words about as well the one nearest in meaning comes first", () => {
  const text = "annual leave of staff";
  expect(
    fusedOrder(
      "annual leave",
      { id: "far", score: 9, text, cosine: 0.72 },
      { id: "near", score: 8.8, text, cosine: 0.8 },
    ),
  ).toEqual(["near", "far"]);
});

test("where all are about as near in meaning, words decide", () => {
  expect(
    fusedOrder(
      "annual leave",
      { id: "other", score: 3, text: "leave", cosine: 0.75 },
      { id: "words", score: 9, text: "annual leave", cosine: 0.74 },
    )[0],
  ).toBe("words");
});

test("a few words in common count for less than an answer that is near in meaning", () => {
  expect(
    fusedOrder(
      "Which office opens latest on public holidays?",
      { id: "words", score: 9, text: "an office", cosine: 0.71 },
      { id: "meaning", cosine: 0.8 },
    )[0],
  ).toBe("meaning");
});

test("an answer in the other language, further off than any text in this one, comes first", () => {
  const [first] = fused(
    "When does the office open?",
    { id: "beside it", cosine: 0.74 },
    { id: "answer", cosine: 0.68, language: "zh" },
  );
  expect(first?.id).toBe("answer");
});

test("a passage without a vector is as near as its words say", () => {
  expect(
    fusedOrder(
      "annual leave",
      { id: "near", cosine: 0.75 },
      { id: "best words", score: 9, text: "annual leave" },
      { id: "few words", score: 1, text: "leave" },
    ),
  ).toEqual(["best words", "near", "few words"]);
});

test("scores of two questions can be compared: one that nothing fits has lower ones", () => {
  const [good] = fused("annual leave", { id: "a", score: 9, text: "annual leave", cosine: 0.8 });
  const [bad] = fused("annual leave", { id: "a", score: 9, text: "leave it", cosine: 0.72 });
  expect(good?.score).toBeGreaterThan(2 * (bad?.score ?? 1));
});

test("a language of which a sample has few passages is compared with those that are found of it", () => {
  expect(languageMeans([{ language: "zh", vector: [1] }])).toEqual(new Map());
  const found = [0.8, 0.6, 0.6].map((cosine, i) => ({ id: `${i}`, language: "zh" as const, cosine, score: cosine }));
  const [first] = fuse({ question: "年假", vector: [1], words: [], meanings: found, means: new Map() });
  expect(first?.id).toBe("0");
  expect(first?.score).toBeCloseTo(0.85 * (0.8 - 2 / 3));
});
