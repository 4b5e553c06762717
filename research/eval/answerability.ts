import type { Cost } from "../../src/evaluate/ask.js";
import type { Scored } from "../../src/evaluate/statistics.js";
import type { Verdict } from "../../src/types/evidence.js";
import type { Grader } from "../../src/types/reasoners.js";
import { coverage } from "./baseline.js";
import type { AnswerabilityItem } from "./data.js";
import { type Graded, graded } from "./grading.js";
import { costs, metered } from "./meter.js";
import {
  auc,
  balancedAccuracy,
  bestThreshold,
  type Confusion,
  confusion,
  negativeF1,
  negativeRecall,
  positiveRecall,
  predictAt,
} from "./metrics.js";
import type { Measured, Metrics } from "./result.js";
import { DEFAULTS } from "./state.js";

/** Measures whether the graph would answer from these passages: grading alone, before anything is generated. */
export async function answerability(items: readonly AnswerabilityItem[], grader: Grader): Promise<Measured> {
  const judged: (Graded & { positive: boolean; id: string })[] = [];
  const spent: Cost[] = [];
  for (const { id, question, passages, answerable } of items) {
    const { value, cost } = await metered((call) => graded(question, passages, grader, call));
    judged.push({ ...value, positive: answerable, id });
    spent.push(cost);
  }
  const byRelevance = judged.map(({ verdict, positive }) => ({ score: verdict.relevance, positive }));
  const overlap = items.map((item) => ({
    score: coverage(
      item.question,
      item.passages.map((p) => p.text),
    ),
    positive: item.answerable,
  }));
  return {
    n: items.length,
    metrics: {
      threshold: DEFAULTS.generateAt,
      ...measures(confusion(judged.map(({ verdict, positive }) => ({ predicted: answers(verdict), positive })))),
      ...byScore(byRelevance),
      ...costs(spent),
      sweep: await sweep(judged),
    },
    baselines: {
      alwaysAnswer: measures(confusion(items.map((item) => ({ predicted: true, positive: item.answerable })))),
      coverage: { ...measures(predictAt(bestThreshold(overlap)?.threshold ?? 0, overlap)), ...byScore(overlap) },
    },
    items: judged.map(({ id, positive, verdict }) => ({
      id,
      answerable: positive,
      predicted: answers(verdict),
      answerability: verdict.answerability,
      relevance: verdict.relevance,
      missing: verdict.missing,
    })),
  };
}

const answers = (verdict: Verdict) => verdict.grade === "correct";

const measures = (c: Confusion): Metrics => ({
  balancedAccuracy: balancedAccuracy(c),
  answerableRecall: positiveRecall(c),
  unanswerableRecall: negativeRecall(c),
  noAnswerF1: negativeF1(c),
  answeredRightly: c.truePositive,
  answeredWrongly: c.falsePositive,
  refusedRightly: c.trueNegative,
  refusedWrongly: c.falseNegative,
});

/** How well one number alone would decide: at any threshold (AUC), and at the best one for these items. */
function byScore(items: readonly Scored[]): Metrics {
  const best = bestThreshold(items);
  return {
    auc: auc(items),
    bestThreshold: best?.threshold ?? null,
    bestBalancedAccuracy: best?.balancedAccuracy ?? null,
  };
}

/** What the graph's own decision would be at other values of `generateAt`. */
async function sweep(judged: readonly (Graded & { positive: boolean })[]) {
  const rows = [];
  for (const generateAt of THRESHOLDS) {
    const verdicts = await Promise.all(judged.map((item) => item.at(generateAt)));
    const c = confusion(
      verdicts.map((verdict, i) => ({ predicted: answers(verdict), positive: judged[i]?.positive ?? false })),
    );
    rows.push({
      generateAt,
      balancedAccuracy: balancedAccuracy(c),
      answerableRecall: positiveRecall(c),
      unanswerableRecall: negativeRecall(c),
      noAnswerF1: negativeF1(c),
      // What relevance alone would decide: below the grader's own threshold the verdict no longer moves.
      relevanceAlone: balancedAccuracy(
        predictAt(
          generateAt,
          judged.map(({ verdict, positive }) => ({ score: verdict.relevance, positive })),
        ),
      ),
    });
  }
  return rows;
}

const THRESHOLDS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95];
