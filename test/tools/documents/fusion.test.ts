import { expect, test } from "vitest";
import { terms } from "../../../src/language/tokens.js";
import { fuse, languageMeans } from "../../../src/tools/documents/rank.js";

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
const order = (...given: Parameters<typeof fused>) => fused(...given).map(({ id }) => id);

test("of passages that have the words about as well the one nearest in meaning comes first", () => {
  const text = "annual leave of staff";
  expect(
    order("annual leave", { id: "far", score: 9, text, cosine: 0.72 }, { id: "near", score: 8.8, text, cosine: 0.8 }),
  ).toEqual(["near", "far"]);
});

test("where all are about as near in meaning, words decide", () => {
  expect(
    order(
      "annual leave",
      { id: "other", score: 3, text: "leave", cosine: 0.75 },
      { id: "words", score: 9, text: "annual leave", cosine: 0.74 },
    )[0],
  ).toBe("words");
});

test("a few words in common count for less than an answer that is near in meaning", () => {
  expect(
    order(
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
    order(
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
