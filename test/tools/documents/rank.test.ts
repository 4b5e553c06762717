import { expect, test } from "vitest";
import { terms } from "../../../src/text/tokens.js";
import { favourPhrases, fuse, languageMeans, lengthOf, timesIn } from "../../../src/tools/documents/rank.js";
import { passageTerms, queryTerms } from "../../../src/tools/documents/terms.js";

const candidate = (id: string, text: string, score = 1) => ({ id, score, terms: terms(text).join(" ") });
const order = (question: string, ...candidates: ReturnType<typeof candidate>[]) =>
  favourPhrases(terms(question), candidates).map(({ id }) => id);

test.each([
  ["annual leave", "the leave is counted for annual reports", "annual leave is twenty days"],
  ["年假天数", "天数按年计算，假期另计", "年假天数为二十天"],
])("of two passages with the words of %j, the one where they are adjacent comes first", (question, apart, together) => {
  expect(order(question, candidate("apart", apart), candidate("together", together))).toEqual(["together", "apart"]);
});

test("a phrase counts once, so that repetition does not help", () => {
  const [first, second] = favourPhrases(terms("annual leave"), [
    candidate("once", "annual leave"),
    candidate("often", "annual leave, annual leave, annual leave"),
  ]);
  expect(first?.score).toBe(second?.score);
});

test("a phrase matches whole terms, not the end of a term", () => {
  const [first] = favourPhrases(terms("annual leave"), [candidate("a", "annual report on biannual leave")]);
  expect(first?.score).toBe(1);
});

test("without phrases the order stays, with ties broken by id", () => {
  const others = [candidate("b", "one"), candidate("a", "two"), candidate("c", "three", 2)];
  expect(order("something else entirely", ...others)).toEqual(["c", "a", "b"]);
});

test("a passage is found by a Chinese character that is part of a longer word", () => {
  expect(passageTerms({ title: "", section: "", text: "个人所得税" })).toEqual(
    expect.arrayContaining(queryTerms("税")),
  );
});

test("a query of only function words searches for them", () => {
  expect(queryTerms("to be or not to be").length).toBeGreaterThan(0);
  expect(queryTerms("为什么").length).toBeGreaterThan(0);
});

test("a query searches for each term once, and for a limited number of terms", () => {
  expect(queryTerms("office office OFFICE")).toEqual(["offic"]);
  expect(queryTerms(Array.from({ length: 5_000 }, (_, i) => `word${i}`).join(" ")).length).toBeLessThanOrEqual(256);
});

test("traditional characters are searched for and indexed as simplified ones", () => {
  expect(queryTerms("報銷")).toEqual(["报销", "报", "销"]);
  expect(passageTerms({ title: "", section: "", text: "報銷" })).toEqual(["报销", "报", "销"]);
});

interface Given {
  id: string;
  /** The BM25 score; undefined if words do not find the passage. */
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

test("of passages with similar word scores, the one nearest in meaning comes first", () => {
  const text = "annual leave of staff";
  expect(
    fusedOrder(
      "annual leave",
      { id: "far", score: 9, text, cosine: 0.72 },
      { id: "near", score: 8.8, text, cosine: 0.8 },
    ),
  ).toEqual(["near", "far"]);
});

test("if all passages are similarly near in meaning, words decide", () => {
  expect(
    fusedOrder(
      "annual leave",
      { id: "other", score: 3, text: "leave", cosine: 0.75 },
      { id: "words", score: 9, text: "annual leave", cosine: 0.74 },
    )[0],
  ).toBe("words");
});

test("a few common words count less than an answer that is near in meaning", () => {
  expect(
    fusedOrder(
      "Which office opens latest on public holidays?",
      { id: "words", score: 9, text: "an office", cosine: 0.71 },
      { id: "meaning", cosine: 0.8 },
    )[0],
  ).toBe("meaning");
});

test("a passage that is far ahead by its words comes before a few that are nearer in meaning", () => {
  const question = "replacement badge";
  const nearer = [0.8, 0.79, 0.795].map((cosine, i) => ({ id: `hub ${i}`, score: 2, text: "a badge", cosine }));
  const answer = { id: "answer", score: 9, text: "replacement of a badge", cosine: 0.65 };
  expect(fusedOrder(question, ...nearer, answer)[0]).toBe("answer");
  expect(fusedOrder(question, ...nearer, { ...answer, id: "rival", score: 8.9 }, answer)[0]).toBe("hub 0");
});

test("an answer in the other language comes first although all texts of this language are nearer", () => {
  const [first] = fused(
    "When does the office open?",
    { id: "beside it", cosine: 0.74 },
    { id: "answer", cosine: 0.68, language: "zh" },
  );
  expect(first?.id).toBe("answer");
});

test("a passage without a vector is ranked by its words", () => {
  expect(
    fusedOrder(
      "annual leave",
      { id: "near", cosine: 0.75 },
      { id: "best words", score: 9, text: "annual leave" },
      { id: "few words", score: 1, text: "leave" },
    ),
  ).toEqual(["best words", "near", "few words"]);
});

test("scores can be compared across questions: one that nothing matches has lower scores", () => {
  const [good] = fused("annual leave", { id: "a", score: 9, text: "annual leave", cosine: 0.8 });
  const [bad] = fused("annual leave", { id: "a", score: 9, text: "leave it", cosine: 0.72 });
  expect(good?.score).toBeGreaterThan(2 * (bad?.score ?? 1));
});

test("a passage need not have neighbouring characters of the question that are no word", () => {
  const scoreOf = (text: string) => {
    const terms = passageTerms({ title: "", section: "", text }).join(" ");
    const words = [{ id: "a", score: 9, language: "zh" as const, cosine: 0.6, terms }];
    return fuse({ question: "图片以前存在", vector: [1], words, meanings: words, means })[0]?.score;
  };
  expect(scoreOf("以前的图片都存在这里")).toBeCloseTo(scoreOf("图片以前存在") ?? 0);
  expect(scoreOf("这里都有图片")).toBeLessThan(scoreOf("图片以前存在") ?? 0);
});

test("a language with few sampled passages is compared with its found passages", () => {
  expect(languageMeans([{ language: "zh", vector: [1] }])).toEqual(new Map());
  const found = [0.8, 0.6, 0.6].map((cosine, i) => ({ id: `${i}`, language: "zh" as const, cosine, score: cosine }));
  const [first] = fuse({ question: "年假", vector: [1], words: [], meanings: found, means: new Map() });
  expect(first?.id).toBe("0");
  expect(first?.score).toBeCloseTo(0.9 * (0.8 - 2 / 3));
});

test.each([
  ["a whole term", "inn opens in the inn", "inn", 2],
  ["no part of a term", "innkeeper in winning", "inn", 0],
  ["neighbours in their order", "the inn opens the inn", "the inn", 2],
  ["no neighbours in another order", "inn the", "the inn", 0],
  ["repeats beside each other", "门 门 门口", "门", 2],
])("the occurrences of %s are counted", (_, text, wanted, times) => {
  expect(timesIn(text, wanted)).toBe(times);
  expect(lengthOf(text)).toBe(text.split(" ").length);
});
