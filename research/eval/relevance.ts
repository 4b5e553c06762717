import type { Cost } from "../../src/evaluate/ask.js";
import { mean, type Scored } from "../../src/evaluate/statistics.js";
import type { Grader } from "../../src/types/reasoners.js";
import { bm25, coverage } from "./baseline.js";
import type { RelevanceItem } from "./data.js";
import { graded } from "./grading.js";
import { costs, metered } from "./meter.js";
import { auc, averagePrecision, balancedAccuracy, bestThreshold, positiveF1, predictAt } from "./metrics.js";
import type { Measured, Metrics } from "./result.js";
import { DEFAULTS } from "./state.js";

/**
 * Grades every question's passages, as many at a time as an answer uses. The relevance of a passage is that of its best
 * strip.
 */
export async function relevance(items: readonly RelevanceItem[], grader: Grader): Promise<Measured> {
  const judged: Judged[] = [];
  const spent: Cost[] = [];
  for (const { id, question, passages } of items) {
    const scores: number[] = [];
    for (let from = 0; from < passages.length; from += A_ROUND) {
      const some = passages.slice(from, from + A_ROUND);
      const { value, cost } = await metered((call) => graded(question, some, grader, call));
      scores.push(...value.evidence.map((piece) => piece.relevance));
      spent.push(cost);
    }
    judged.push({ id, passages: passages.map((p, i) => ({ id: p.id, positive: p.relevant, score: scores[i] ?? 0 })) });
  }
  return {
    n: items.length,
    metrics: { ...measures(judged, DEFAULTS.generateAt), ...costs(spent) },
    baselines: {
      bm25: measures(items.map((item) => scored(item, ranks(item)))),
      coverage: measures(items.map((item) => scored(item, (text) => coverage(item.question, [text])))),
    },
    items: judged.map(({ id, passages }) => ({ id, passages })),
  };
}

interface Judged {
  id: string;
  passages: (Scored & { id: string })[];
}

/** A baseline has no threshold, so it is measured only at the best one. */
function measures(judged: readonly Judged[], threshold?: number): Metrics {
  const all = judged.flatMap((item) => item.passages);
  const best = bestThreshold(all);
  const at = (limit: number) => predictAt(limit, all);
  return {
    passages: all.length,
    relevantPassages: all.filter((passage) => passage.positive).length,
    auc: auc(all),
    map: mean(judged.flatMap((item) => averagePrecision(item.passages) ?? [])),
    ...(threshold !== undefined && {
      threshold,
      balancedAccuracy: balancedAccuracy(at(threshold)),
      f1: positiveF1(at(threshold)),
    }),
    bestThreshold: best?.threshold ?? null,
    bestBalancedAccuracy: best?.balancedAccuracy ?? null,
    bestF1: best ? positiveF1(at(best.threshold)) : null,
  };
}

const scored = ({ id, passages }: RelevanceItem, score: (text: string, id: string) => number): Judged => ({
  id,
  passages: passages.map((p) => ({ id: p.id, positive: p.relevant, score: score(p.text, p.id) })),
});

/** BM25 with the question's own passages as the collection. */
function ranks({ question, passages }: RelevanceItem) {
  const hits = new Map(bm25(passages)(question).map((hit) => [hit.id, hit.score]));
  return (_: string, id: string) => hits.get(id) ?? 0;
}

/** The graph grades this many passages at a time for a question of no special form. */
const A_ROUND = 8;
