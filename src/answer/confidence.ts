import { coverage } from "../text/similarity.js";
import { contentTerms } from "../text/tokens.js";
import { READING } from "../thresholds.js";
import { logistic } from "../tools/encoder/math.js";
import { type CheckedClaim, type Confidence, holds } from "../types/answer.js";
import type { Verdict } from "../types/evidence.js";

/**
 * Rates an answer: how similar its claims are to their quotes, how much of the question the quotes cover, and, as
 * `score`, the probability that the answer is right: that the evidence answers, times that the draft is supported. All
 * are 0 without an answer.
 * @param isUnsure true for quotes that may answer: their score stays below that of quotes that answer.
 */
export function confidenceOf(
  question: string,
  claims: readonly CheckedClaim[],
  verdict: Pick<Verdict, "relevance" | "answerability" | "probability"> | undefined,
  isUnsure = false,
): Confidence {
  const supported = claims.filter(holds);
  if (supported.length === 0) return { averageSimilarity: 0, maxSimilarity: 0, coverage: 0, score: 0 };
  const similarities = supported.map(({ text, quotes }) => covered(text, quotes.map((q) => q.quote).join("\n")));
  const averageSimilarity = similarities.reduce((sum, value) => sum + value, 0) / similarities.length;
  const quoted = supported.flatMap(({ quotes }) => quotes.map(({ quote }) => quote)).join("\n");
  const graded = verdict?.probability ?? probability(gradingFeatures(verdict));
  const answers = isUnsure ? Math.min(graded, MOST_UNSURE) : graded;
  const meanSupport = supported.reduce((sum, claim) => sum + (claim.probability ?? 1), 0) / claims.length;
  const maxSimilarity = Math.max(...similarities);
  return { averageSimilarity, maxSimilarity, coverage: covered(question, quoted), score: answers * meanSupport };
}

/** Rows of a table may be graded as an answer, and still be no figure. */
const MOST_UNSURE = READING.enough - 0.01;

/** Returns the features of the probability: the log odds of relevance, and answerability from 0 to 1. */
export function gradingFeatures(verdict: Pick<Verdict, "relevance" | "answerability"> | undefined): [number, number] {
  const relevance = Math.min(0.99, Math.max(0.01, verdict?.relevance ?? 0));
  return [Math.log(relevance / (1 - relevance)), ANSWERABLE[verdict?.answerability ?? "none"]];
}

const ANSWERABLE = { full: 1, partial: 0.5, unknown: 0.5, none: 0 } as const;

/**
 * Fitted by research/eval/fit-confidence.ts on answers of the local form. Coverage is not a feature, since it adds
 * nothing to relevance.
 */
function probability([relevance, answerable]: readonly [number, number]): number {
  return logistic(WEIGHTS.bias + WEIGHTS.relevance * relevance + WEIGHTS.answerable * answerable);
}

const WEIGHTS = { bias: -3.35, relevance: 0.66, answerable: 3.71 };

/** Returns the share of the content terms of `text` that `by` has; 1 for a text without any. */
function covered(text: string, by: string): number {
  const wanted = contentTerms(text);
  return wanted.length === 0 ? 1 : coverage(wanted, new Set(contentTerms(by)));
}
