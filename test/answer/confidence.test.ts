import { describe, expect, test } from "vitest";
import { confidenceOf } from "../../src/answer/confidence.js";
import { READING } from "../../src/thresholds.js";
import type { CheckedClaim } from "../../src/types/answer.js";

const claim = (text: string, quote: string, verdict: CheckedClaim["verdict"] = "supported"): CheckedClaim => ({
  text,
  verdict,
  reason: { code: "stated" },
  quotes: [{ evidenceId: "e", quote, start: 0, end: quote.length }],
});
const sure = { relevance: 0.9, answerability: "full" as const };
const question = "When does the Lisbon office open?";
const verbatim = claim("The Lisbon office opens at eight.", "The Lisbon office opens at eight.");
const scoreOf = (claims: CheckedClaim[], verdict: Parameters<typeof confidenceOf>[2] = sure) =>
  confidenceOf(question, claims, verdict).score;

test("a refusal has no confidence", () => {
  const nothing = { averageSimilarity: 0, maxSimilarity: 0, coverage: 0, score: 0 };
  expect(confidenceOf(question, [], sure)).toEqual(nothing);
  expect(confidenceOf(question, [claim("At nine.", "At eight.", "unsupported")], sure)).toEqual(nothing);
});

describe("the score falls", () => {
  test("with the verdict of grading", () => {
    expect(scoreOf([verbatim])).toBeGreaterThan(scoreOf([verbatim], { ...sure, relevance: 0.6 }));
    expect(scoreOf([verbatim])).toBeGreaterThan(scoreOf([verbatim], { ...sure, answerability: "partial" }));
  });
  test("with claims that were left out", () =>
    expect(scoreOf([verbatim, claim("At nine.", "x", "unsupported")])).toBeCloseTo(scoreOf([verbatim]) / 2));
  test("with less probable claims", () =>
    expect(scoreOf([{ ...verbatim, verdict: "likely", probability: 0.6 }])).toBeCloseTo(0.6 * scoreOf([verbatim])));
  test("with evidence that is less likely to answer", () =>
    expect(scoreOf([verbatim], { ...sure, probability: 0.3 })).toBeCloseTo(0.3));
});

test("quotes that may answer have less confidence than any that answer, however they were graded", () => {
  const answered = scoreOf([verbatim], { ...sure, probability: READING.enough });
  for (const probability of [0.4, 0.95]) {
    const { score } = confidenceOf(question, [verbatim], { ...sure, probability }, true);
    expect(score).toBeLessThan(answered);
    expect(score).toBeGreaterThan(0);
  }
});

test.each([
  [question, verbatim.text, 1],
  ["上海办公室在哪里？", "上海办公室在九楼。", 1],
  ["When does the Porto warehouse open?", verbatim.text, 1 / 3],
])("confidence takes into account how much of the question the quotes cover: %s", (asked, quote, expected) =>
  expect(confidenceOf(asked, [claim(quote, quote)], sure).coverage).toBeCloseTo(expected),
);
