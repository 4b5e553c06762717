import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  auc,
  averagePrecision,
  balancedAccuracy,
  bestThreshold,
  confusion,
  ndcgAt,
  negativeF1,
  positiveF1,
  predictAt,
  recallAt,
  reciprocalRank,
} from "../../research/eval/metrics.js";
import { calibrationError, quantile, type Scored } from "../../src/evaluate/statistics.js";

const scored = (...pairs: [score: number, positive: boolean][]): Scored[] =>
  pairs.map(([score, positive]) => ({ score, positive }));

const items = fc.array(fc.record({ score: fc.integer({ min: 0, max: 4 }).map((n) => n / 4), positive: fc.boolean() }), {
  minLength: 1,
  maxLength: 7,
});

describe("area under the curve", () => {
  test("is the share of pairs in the right order", () => {
    // (.9 > .4), (.9 > .1), (.3 < .4), (.3 > .1): three of four pairs.
    expect(auc(scored([0.9, true], [0.4, false], [0.3, true], [0.1, false]))).toBe(0.75);
  });

  test("counts a tie as half", () => {
    expect(auc(scored([0.5, true], [0.5, false], [0.2, false]))).toBe(0.75);
  });

  test("is not defined for one class", () => {
    expect(auc(scored([0.5, true], [0.7, true]))).toBeNull();
  });

  test("equals counting every pair by hand", () => {
    fc.assert(
      fc.property(items, (all) => {
        const pairs = all.flatMap((p) => all.filter((n) => p.positive && !n.positive).map((n) => [p.score, n.score]));
        const wins = pairs.map(([p = 0, n = 0]) => (p > n ? 1 : p === n ? 0.5 : 0));
        const expected = wins.length === 0 ? null : wins.reduce<number>((sum, win) => sum + win, 0) / wins.length;
        if (expected === null) expect(auc(all)).toBeNull();
        else expect(auc(all)).toBeCloseTo(expected, 10);
      }),
    );
  });
});

describe("average precision", () => {
  test("is the mean precision at each relevant rank", () => {
    // Relevant at ranks 1 and 3: (1/1 + 2/3) / 2.
    expect(averagePrecision(scored([0.9, true], [0.8, false], [0.7, true]))).toBeCloseTo(5 / 6, 10);
  });

  test("is the mean over all orders of ties, so that the order of the input does not matter", () => {
    // One relevant of two tied: first (1) or second (1/2).
    expect(averagePrecision(scored([0.5, true], [0.5, false]))).toBe(0.75);
    expect(averagePrecision(scored([0.5, false], [0.5, true]))).toBe(0.75);
    fc.assert(
      fc.property(items, (all) => {
        fc.pre(all.some((item) => item.positive));
        const orders = permutations(all).filter((order) =>
          order.every((one, i) => i === 0 || one.score <= (order[i - 1]?.score ?? 0)),
        );
        const values = orders.map(precisionOfOrder);
        expect(averagePrecision(all)).toBeCloseTo(values.reduce((sum, v) => sum + v, 0) / values.length, 8);
      }),
      { numRuns: 60 },
    );
  });
});

describe("rankings", () => {
  const relevant = new Set(["b", "d"]);
  test("recall, reciprocal rank and discounted gain match their definitions", () => {
    const ranking = ["a", "b", "c", "d"];
    expect(recallAt(1, ranking, relevant)).toBe(0);
    expect(recallAt(2, ranking, relevant)).toBe(0.5);
    expect(recallAt(4, ranking, relevant)).toBe(1);
    expect(reciprocalRank(ranking, relevant)).toBe(0.5);
    // Gains at ranks 2 and 4: 1/log2(3) + 1/log2(5); ideal at 1 and 2: 1 + 1/log2(3).
    expect(ndcgAt(10, ranking, relevant)).toBeCloseTo((0.63093 + 0.43068) / 1.63093, 4);
  });

  test("finding nothing scores zero, and a repeated id counts once", () => {
    expect(reciprocalRank(["a"], relevant)).toBe(0);
    expect(ndcgAt(10, [], relevant)).toBe(0);
    expect(recallAt(3, ["b", "b", "b"], relevant)).toBe(0.5);
    expect(ndcgAt(10, ["b", "b", "d"], new Set(["b"]))).toBe(1);
  });
});

describe("yes or no", () => {
  const c = confusion([
    { predicted: true, positive: true },
    { predicted: true, positive: true },
    { predicted: false, positive: true },
    { predicted: true, positive: false },
    { predicted: false, positive: false },
  ]);

  test("balanced accuracy is the mean of both recalls", () => {
    expect(balancedAccuracy(c)).toBeCloseTo((2 / 3 + 1 / 2) / 2, 10);
  });

  test("F1 is reported for each class", () => {
    expect(positiveF1(c)).toBeCloseTo(4 / 6, 10);
    expect(negativeF1(c)).toBeCloseTo(2 / 4, 10);
  });

  test("a constant answer scores .5, and the score of a single class is undefined", () => {
    const yes = [true, true, true, false].map((positive) => ({ predicted: true, positive }));
    expect(balancedAccuracy(confusion(yes))).toBe(0.5);
    expect(balancedAccuracy(confusion(yes.slice(0, 3)))).toBeNull();
  });

  test("a score equal to the threshold counts as yes", () => {
    expect(predictAt(0.6, scored([0.6, true], [0.59, false]))).toMatchObject({ truePositive: 1, trueNegative: 1 });
  });

  test("no other threshold scores better than the best one", () => {
    fc.assert(
      fc.property(items, (all) => {
        const best = bestThreshold(all);
        const thresholds = [...all.map((item) => item.score), 2];
        const accuracies = thresholds.map((t) => balancedAccuracy(predictAt(t, all)));
        fc.pre(best !== null);
        expect(balancedAccuracy(predictAt(best.threshold, all))).toBeCloseTo(best.balancedAccuracy, 10);
        for (const accuracy of accuracies) expect(best.balancedAccuracy).toBeGreaterThanOrEqual((accuracy ?? 0) - 1e-9);
      }),
    );
  });
});

describe("calibration and spread", () => {
  test("the calibration error weights the gap of each range by its size", () => {
    // [.9, .9] with one right: gap .4, weight 2/3. [.1] wrong: gap .1, weight 1/3.
    const error = calibrationError(scored([0.9, true], [0.9, false], [0.1, false]));
    expect(error).toBeCloseTo((2 / 3) * 0.4 + (1 / 3) * 0.1, 10);
    expect(calibrationError(scored([1, true], [0, false]))).toBe(0);
    expect(calibrationError([])).toBeNull();
  });

  test("a quantile lies between its neighbours", () => {
    expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5);
    expect(quantile([1, 2, 3, 4, 5], 0.9)).toBeCloseTo(4.6, 10);
    expect(quantile([], 0.5)).toBeNull();
  });
});

function precisionOfOrder(order: readonly Scored[]): number {
  let found = 0;
  let sum = 0;
  for (const [rank, { positive }] of order.entries()) if (positive) sum += ++found / (rank + 1);
  return sum / found;
}

function permutations<T>(values: readonly T[]): T[][] {
  if (values.length <= 1) return [[...values]];
  return values.flatMap((value, i) => permutations(values.toSpliced(i, 1)).map((rest) => [value, ...rest]));
}
