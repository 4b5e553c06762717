import { checkClaim } from "../src/answer/check.js";
import { checkAnswer } from "../src/nodes/check-answer.js";
import type { Call, Checker } from "../src/tools/reasoner/port.js";
import { coverage } from "./baseline.js";
import type { SupportItem } from "./data.js";
import { type Cost, costs, metered } from "./meter.js";
import {
  auc,
  balancedAccuracy,
  bestThreshold,
  type Confusion,
  confusion,
  negativeRecall,
  positiveF1,
  positiveRecall,
  predictAt,
} from "./metrics.js";
import { asEvidence } from "./passages.js";
import type { Measured, Metrics } from "./result.js";
import { runWith, stateWith } from "./state.js";

/** Holds every claim against its sources, quoted whole, through the graph's own checking node: code first, then the checker. */
export async function support(items: readonly SupportItem[], checker: Checker): Promise<Measured> {
  const judged: (Checked & { id: string; positive: boolean; score: number })[] = [];
  const spent: Cost[] = [];
  for (const item of items) {
    const { value, cost } = await metered((call) => checked(item, checker, call));
    judged.push({ ...value, id: item.id, positive: item.supported, score: LADDER[ladderStep(value)] });
    spent.push(cost);
  }
  const settled = judged.filter((item) => !item.inDoubt);
  const overlap = items.map((item) => ({ score: coverage(item.claim, item.sources), positive: item.supported }));
  const found = (some: typeof judged) =>
    confusion(some.map(({ verdict, positive }) => ({ predicted: verdict === "supported", positive })));
  return {
    n: items.length,
    metrics: {
      ...measures(found(judged)),
      auc: auc(judged),
      falselySupported: found(judged).falsePositive,
      doubtAsSupportedBalancedAccuracy: balancedAccuracy(
        confusion(
          judged.map((item) => ({ predicted: item.inDoubt || item.verdict === "supported", positive: item.positive })),
        ),
      ),
      settledByCode: settled.length / judged.length,
      settledBalancedAccuracy: balancedAccuracy(found(settled)),
      ...costs(spent),
    },
    baselines: {
      alwaysSupported: measures(confusion(items.map((item) => ({ predicted: true, positive: item.supported })))),
      coverage: {
        ...measures(predictAt(bestThreshold(overlap)?.threshold ?? 0, overlap)),
        auc: auc(overlap),
        bestThreshold: bestThreshold(overlap)?.threshold ?? null,
      },
    },
    items: judged.map(({ id, positive, verdict, inDoubt, reason }) => ({
      id,
      supported: positive,
      verdict,
      settledByCode: !inDoubt,
      reason,
    })),
  };
}

type Checked = Awaited<ReturnType<typeof checked>>;

async function checked({ claim, sources }: SupportItem, checker: Checker, call: Call) {
  const evidence = sources.map((text, i) => asEvidence({ id: String(i), text }));
  const draft = { text: claim, citations: evidence.map(({ id, text }) => ({ evidenceId: id, quote: text })) };
  const { inDoubt } = checkClaim(draft, evidence);
  const state = { ...stateWith(claim, evidence), draft: { claims: [draft], missing: "" } };
  const { report } = await checkAnswer({ checker })(state, runWith(call));
  const [found] = report?.claims ?? [];
  if (!found) throw new Error("The checking node judged no claim.");
  return { verdict: found.verdict, reason: found.reason, inDoubt };
}

/** The verdicts in order of how sure they are of support: what AUC ranks by, since checking gives no score. */
const LADDER = { supported: 1, leftSupported: 0.75, leftUnsupported: 0.5, unsupported: 0.25, contradicted: 0 };

function ladderStep({ verdict, inDoubt }: Checked): keyof typeof LADDER {
  if (verdict === "contradicted" || !inDoubt) return verdict;
  return verdict === "supported" ? "leftSupported" : "leftUnsupported";
}

const measures = (c: Confusion): Metrics => ({
  balancedAccuracy: balancedAccuracy(c),
  supportedRecall: positiveRecall(c),
  unsupportedRecall: negativeRecall(c),
  f1: positiveF1(c),
});
