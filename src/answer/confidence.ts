import { contentTerms } from "../text/tokens.js";
import type { CheckedClaim, Confidence } from "../types/answer.js";

/**
 * How well an answer is borne out: how close its claims are to their quotes, and how much of the question the quotes
 * speak of. `score` is the mean of the two times the share of claims that are supported; it orders answers and is not
 * yet a probability.
 */
export function confidenceOf(question: string, claims: readonly CheckedClaim[]): Confidence {
  const supported = claims.filter((claim) => claim.verdict === "supported");
  if (supported.length === 0) return { averageSimilarity: 0, maxSimilarity: 0, coverage: 0, score: 0 };
  const similarities = supported.map(({ text, quotes }) => covered(text, quotes.map((q) => q.quote).join("\n")));
  const averageSimilarity = similarities.reduce((sum, value) => sum + value, 0) / similarities.length;
  const coverage = covered(question, supported.flatMap((claim) => claim.quotes.map((q) => q.quote)).join("\n"));
  const score = ((averageSimilarity + coverage) / 2) * (supported.length / claims.length);
  return { averageSimilarity, maxSimilarity: Math.max(...similarities), coverage, score };
}

/** The share of the content terms of `text` that stand in `by`; 1 for a text without any. */
function covered(text: string, by: string): number {
  const wanted = new Set(contentTerms(text));
  if (wanted.size === 0) return 1;
  const present = new Set(contentTerms(by));
  return [...wanted].filter((term) => present.has(term)).length / wanted.size;
}
