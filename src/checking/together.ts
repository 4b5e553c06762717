import type { Evidence } from "../types/evidence.js";

/**
 * Sources in groups that are scored together: a long one alone, since half a sentence of one and half of another make a
 * sentence that neither says; short ones with those before and behind them, since one sentence alone says too little of
 * what it is about.
 */
export function scoredTogether(evidence: readonly Evidence[]): Evidence[][] {
  const groups: Evidence[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const piece of evidence) {
    const own = piece.text.length;
    const last = groups.at(-1);
    if (last && own <= SHORT && size + own <= TOGETHER) {
      last.push(piece);
      size += own;
    } else {
      groups.push([piece]);
      size = own <= SHORT ? own : Number.POSITIVE_INFINITY;
    }
  }
  return groups;
}

/** Characters. */
const SHORT = 400;
const TOGETHER = 4000;
