/** The measures of every suite, as pure functions. A higher score means more like positive; null means not defined. */

import type { Scored } from "../../src/evaluate/statistics.js";

export interface Confusion {
  truePositive: number;
  falsePositive: number;
  trueNegative: number;
  falseNegative: number;
}

/** The chance that a positive scores above a negative; a tie counts half. */
export function auc(items: readonly Scored[]): number | null {
  const negatives = items.filter((item) => !item.positive).length;
  const positives = items.length - negatives;
  if (positives === 0 || negatives === 0) return null;
  let below = 0;
  let wins = 0;
  for (const tie of tiesFromBelow(items)) {
    const tiedNegatives = tie.filter((item) => !item.positive).length;
    wins += (tie.length - tiedNegatives) * (below + tiedNegatives / 2);
    below += tiedNegatives;
  }
  return wins / (positives * negatives);
}

/**
 * Average precision of the order by score, best first; the mean over all orders of tied items
 * (McSherry and Najork 2008), so that the order of the input cannot help. Null without a positive.
 */
export function averagePrecision(items: readonly Scored[]): number | null {
  const positives = items.filter((item) => item.positive).length;
  if (positives === 0) return null;
  let sum = 0;
  let ranked = 0;
  let found = 0;
  for (const tie of tiesFromBelow(items).reverse()) {
    const good = tie.filter((item) => item.positive).length;
    for (let i = 0; i < tie.length; i++) {
      const goodBefore = found + (tie.length > 1 ? (i * (good - 1)) / (tie.length - 1) : 0);
      sum += (good / tie.length) * ((goodBefore + 1) / (ranked + i + 1));
    }
    ranked += tie.length;
    found += good;
  }
  return sum / positives;
}

export const reciprocalRank = (ranking: readonly string[], relevant: ReadonlySet<string>): number => {
  const at = ranking.findIndex((id) => relevant.has(id));
  return at < 0 ? 0 : 1 / (at + 1);
};

/** The share of the relevant items that are among the first `k`. */
export const recallAt = (k: number, ranking: readonly string[], relevant: ReadonlySet<string>): number =>
  relevant.size === 0 ? 0 : new Set(ranking.slice(0, k)).intersection(relevant).size / relevant.size;

/** Normalised discounted cumulative gain at `k`, with gain 1 for what is relevant. */
export function ndcgAt(k: number, ranking: readonly string[], relevant: ReadonlySet<string>): number {
  const gain = (rank: number) => 1 / Math.log2(rank + 2);
  const seen = new Set<string>();
  let got = 0;
  for (const [rank, id] of ranking.slice(0, k).entries()) {
    if (relevant.has(id) && !seen.has(id)) got += gain(rank);
    seen.add(id);
  }
  let best = 0;
  for (let rank = 0; rank < Math.min(k, relevant.size); rank++) best += gain(rank);
  return best === 0 ? 0 : got / best;
}

export function confusion(items: readonly { predicted: boolean; positive: boolean }[]): Confusion {
  const count = (predicted: boolean, positive: boolean) =>
    items.filter((item) => item.predicted === predicted && item.positive === positive).length;
  return {
    truePositive: count(true, true),
    falsePositive: count(true, false),
    trueNegative: count(false, false),
    falseNegative: count(false, true),
  };
}

/** The share of positives found (sensitivity). */
export const positiveRecall = (c: Confusion) => share(c.truePositive, c.truePositive + c.falseNegative);

/** The share of negatives found (specificity). */
export const negativeRecall = (c: Confusion) => share(c.trueNegative, c.trueNegative + c.falsePositive);

/** The mean of both recalls: .5 for a constant, whatever the classes' sizes. Null if a class is missing. */
export function balancedAccuracy(c: Confusion): number | null {
  const positive = positiveRecall(c);
  const negative = negativeRecall(c);
  return positive === null || negative === null ? null : (positive + negative) / 2;
}

/** F1 of the positive class; 0 if no prediction was right. */
export const positiveF1 = (c: Confusion) =>
  share(2 * c.truePositive, 2 * c.truePositive + c.falsePositive + c.falseNegative);

/** F1 of the negative class. */
export const negativeF1 = (c: Confusion) =>
  share(2 * c.trueNegative, 2 * c.trueNegative + c.falsePositive + c.falseNegative);

export const predictAt = (threshold: number, items: readonly Scored[]): Confusion =>
  confusion(items.map((item) => ({ predicted: item.score >= threshold, positive: item.positive })));

/** The threshold with the best balanced accuracy on these very items: an upper bound, not a promise. */
export function bestThreshold(items: readonly Scored[]): { threshold: number; balancedAccuracy: number } | null {
  let best: { threshold: number; balancedAccuracy: number } | null = null;
  const negatives = items.filter((item) => !item.positive).length;
  const positives = items.length - negatives;
  if (positives === 0 || negatives === 0) return null;
  let missed = 0;
  let rejected = 0;
  for (const tie of tiesFromBelow(items)) {
    const accuracy = ((positives - missed) / positives + rejected / negatives) / 2;
    const threshold = tie[0]?.score ?? 0;
    if (best === null || accuracy > best.balancedAccuracy) best = { threshold, balancedAccuracy: accuracy };
    missed += tie.filter((item) => item.positive).length;
    rejected += tie.filter((item) => !item.positive).length;
  }
  return best;
}

const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

/** Groups of items with equal scores, lowest first. */
const tiesFromBelow = (items: readonly Scored[]): Scored[][] =>
  [...Map.groupBy(items, (item) => item.score)].sort(([a], [b]) => a - b).map(([, tie]) => tie);
