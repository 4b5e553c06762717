import { type CheckingTools, checkClaims } from "../src/checking/cascade.js";
import { decisive } from "../src/checking/decisive.js";
import { languageOf } from "../src/text/language.js";
import type { Call } from "../src/tools/reasoner/port.js";
import { type CheckedClaim, holds, type StageCount } from "../src/types/answer.js";
import { coverage } from "./baseline.js";
import type { SupportItem } from "./data.js";
import { type Cost, costs, metered } from "./meter.js";
import {
  auc,
  balancedAccuracy,
  bestThreshold,
  type Confusion,
  confusion,
  mean,
  negativeRecall,
  positiveF1,
  positiveRecall,
  predictAt,
} from "./metrics.js";
import { asEvidence } from "./passages.js";
import type { Measured, Metrics } from "./result.js";

/**
 * Holds every claim against its sources, quoted whole, through the cascade of checks: code, the score, and what is left
 * through the checker; without a checker the score decides. The score is measured alone as well, and so is every stage.
 */
export async function support(items: readonly SupportItem[], tools: CheckingTools): Promise<Measured> {
  const judged: (Checked & { id: string; positive: boolean })[] = [];
  const spent: Cost[] = [];
  for (const item of items) {
    const { value, cost } = await metered((call) => checked(item, tools, call));
    judged.push({ ...value, id: item.id, positive: item.supported });
    spent.push(cost);
  }
  const overlap = items.map((item) => ({ score: coverage(item.claim, item.sources), positive: item.supported }));
  const best = bestThreshold(overlap)?.threshold ?? 0;
  return {
    n: items.length,
    metrics: {
      ...measures(found(judged)),
      auc: auc(judged.map((item) => ({ score: rank(item), positive: item.positive }))),
      falselySupported: found(judged).falsePositive,
      stages: STAGES.map((stage) => stageMeasures(stage, judged)).filter(({ asked }) => asked > 0),
      ...costs(spent),
    },
    baselines: {
      statementsAlone: measures(found(judged.map(byStatementsAlone))),
      ...(tools.entailment && { entailmentAlone: entailmentAlone(judged, tools.entailment.thresholds.decideAt) }),
      alwaysSupported: measures(confusion(items.map((item) => ({ predicted: true, positive: item.supported })))),
      coverage: { ...measures(predictAt(best, overlap)), auc: auc(overlap), bestThreshold: best },
    },
    items: judged.map(({ id, positive, claim: { verdict, settledBy = null, reason }, score }) => ({
      id,
      supported: positive,
      verdict,
      settledBy,
      score,
      reason,
    })),
  };
}

interface Checked {
  claim: CheckedClaim;
  /** What the score says, whoever settled the claim. */
  score: number | null;
  stages: readonly StageCount[];
}

async function checked({ claim, sources }: SupportItem, tools: CheckingTools, call: Call): Promise<Checked> {
  const { entailment, checker } = tools;
  const evidence = sources.map((text, i) => asEvidence({ id: String(i), text }));
  const draft = { text: claim, citations: evidence.map(({ id, text }) => ({ evidenceId: id, quote: text })) };
  const task = { question: claim, language: languageOf(claim), evidence, claims: [draft], anyText: true };
  const { claims, stages } = await checkClaims(
    task,
    { ...tools, ...(entailment && !checker && { entailment: decisive(entailment) }) },
    call,
  );
  const [found] = claims;
  if (!found) throw new Error("The cascade judged no claim.");
  const score = found.entailment ?? (await entailment?.score([{ claim, sources }]))?.[0] ?? null;
  return { claim: found, score, stages };
}

const STAGES = ["citations", "statements", "entailment", "graph", "checker"] as const;

/** What one stage settled of what it was asked, and how often it was right. `stage` is its place in the cascade, from 1. */
function stageMeasures(stage: (typeof STAGES)[number], judged: readonly (Checked & { positive: boolean })[]) {
  const counts = judged.flatMap(({ stages }) => stages.filter((count) => count.stage === stage));
  const settled = judged.filter(({ claim }) => claim.settledBy === stage);
  return {
    stage: STAGES.indexOf(stage) + 1,
    asked: counts.length,
    settled: settled.length,
    right: settled.filter(({ claim, positive }) => holds(claim) === positive).length,
    calls: counts.reduce((sum, { calls }) => sum + calls, 0),
    millisecondsAClaim: mean(counts.map(({ milliseconds }) => milliseconds)),
  };
}

/** In order of how sure the cascade is: what code settled at both ends, else the verdict, and the score within it. */
function rank({ claim, score }: Checked): number {
  const within = score ?? 0.5;
  if (claim.settledBy === "entailment") return within;
  if (claim.settledBy === "checker" || claim.settledBy === undefined)
    return claim.verdict === "supported" ? (1 + within) / 2 : within / 2;
  return claim.verdict === "supported" ? 1 + within : claim.verdict === "contradicted" ? within - 2 : within - 1;
}

const found = (some: readonly { claim: Pick<CheckedClaim, "verdict">; positive: boolean }[]) =>
  confusion(some.map(({ claim, positive }) => ({ predicted: holds(claim), positive })));

/** Without any other stage doubt is decided against a claim. */
const byStatementsAlone = ({ claim, positive }: Checked & { positive: boolean }) => ({
  positive,
  claim: claim.settledBy === "statements" ? claim : ({ verdict: "unsupported" } as const),
});

function entailmentAlone(judged: readonly (Checked & { positive: boolean })[], decideAt: number): Metrics {
  const scored = judged.map(({ score, positive }) => ({ score: score ?? 0, positive }));
  return { ...measures(predictAt(decideAt, scored)), auc: auc(scored) };
}

const measures = (c: Confusion): Metrics => ({
  balancedAccuracy: balancedAccuracy(c),
  supportedRecall: positiveRecall(c),
  unsupportedRecall: negativeRecall(c),
  f1: positiveF1(c),
});
