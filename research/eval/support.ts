import { type CheckingTools, checkClaims } from "../../src/checking/cascade.js";
import { type Entailed, entailed, foremost, likeliest } from "../../src/checking/entail.js";
import { windowsOf } from "../../src/checking/windows.js";
import { attacher } from "../../src/citing/attach.js";
import { claimsOf } from "../../src/citing/claims.js";
import type { Cost } from "../../src/evaluate/ask.js";
import { mean } from "../../src/evaluate/statistics.js";
import { languageOf } from "../../src/text/language.js";
import type { Encoder } from "../../src/tools/encoder/port.js";
import { type CheckedClaim, holds, type StageCount } from "../../src/types/answer.js";
import type { Call } from "../../src/types/call.js";
import type { Evidence } from "../../src/types/evidence.js";
import { coverage } from "./baseline.js";
import type { SupportItem } from "./data.js";
import { costs, metered } from "./meter.js";
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

/**
 * Checks every claim against its sources as `verify` does, sentence by sentence. A claim holds if each of its sentences
 * does, and is as probable as the least probable of them. The judge and every stage are also measured alone.
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
  const predicted = judged.map(({ claims, positive }) => ({ predicted: claims.every(holds), positive }));
  const alone = judged.flatMap(({ judge, positive }) => (judge ? [{ score: leastOf(judge), positive }] : []));
  return {
    n: items.length,
    metrics: {
      ...measures(confusion(predicted)),
      auc: auc(judged.map(({ claims, positive }) => ({ score: least(claims.map(probability)), positive }))),
      falselySupported: confusion(predicted).falsePositive,
      stages: STAGES.map((stage) => stageMeasures(stage, judged)).filter(({ asked }) => asked > 0),
      windows: windowMeasures(judged),
      ...costs(spent),
    },
    baselines: {
      statementsAlone: measures(
        confusion(judged.map(({ claims, positive }) => ({ predicted: claims.every(isStated), positive }))),
      ),
      ...(alone.length > 0 && { judgeAlone: { ...measures(predictAt(0.5, alone)), auc: auc(alone) } }),
      alwaysSupported: measures(confusion(items.map((item) => ({ predicted: true, positive: item.supported })))),
      coverage: { ...measures(predictAt(best, overlap)), auc: auc(overlap), bestThreshold: best },
    },
    items: judged.map(({ id, positive, claims, judge, windows }) => ({
      id,
      supported: positive,
      judge: judge && leastOf(judge),
      windows,
      claims: claims.map(({ text, verdict, settledBy = null, probability = null, reason }, i) => ({
        text,
        verdict,
        settledBy,
        probability,
        reason,
        window: judge?.[i]?.rank ?? null,
      })),
    })),
  };
}

interface Checked {
  /** The sentences of the claim. */
  claims: readonly CheckedClaim[];
  /** The judge's result for each, whichever stage settled it; null without a judge. */
  judge: readonly (Entailed | undefined)[] | null;
  /** Windows of the sources. */
  windows: number;
  stages: readonly StageCount[];
}

async function checked({ claim, sources }: SupportItem, tools: CheckingTools, call: Call): Promise<Checked> {
  const evidence = sources.map((text, i) => asEvidence({ id: String(i), text }));
  const find = attacher(evidence, { always: true });
  const stated = claimsOf(claim).map(({ text }) => text);
  const claims = (stated.length > 0 ? stated : [claim]).map((text) => ({ text, citations: find(text) }));
  const task = { question: claim, language: languageOf(claim), evidence, claims, find };
  const encoder = tools.encoder && rememberingEncoder(tools.encoder);
  const found = await checkClaims(task, { ...tools, ...(encoder && { encoder }) }, call);
  const texts = claims.map(({ text }) => text);
  return {
    ...found,
    judge: encoder ? await judgeAlone(texts, evidence, encoder) : null,
    windows: windowsOf(evidence).length,
  };
}

async function judgeAlone(claims: readonly string[], evidence: readonly Evidence[], encoder: Encoder) {
  const windows = await likeliest(claims, windowsOf(evidence), encoder);
  const all = await entailed(
    claims.map((text, i) => ({ text, windows: windows[i] ?? [] })),
    encoder,
  );
  return all.map(foremost);
}

/** Caches what was judged or embedded for the cascade, so that it is not computed again for the judge alone. */
function rememberingEncoder(encoder: Encoder): Encoder {
  const vectors = new Map<string, number[]>();
  const judgements = new Map<string, Awaited<ReturnType<Encoder["judge"]>>[number]>();
  const fill = async <In, Out>(known: Map<string, Out>, all: readonly In[], ask: (some: In[]) => Promise<Out[]>) => {
    const fresh = all.filter((one) => !known.has(JSON.stringify(one)));
    const found = fresh.length > 0 ? await ask(fresh) : [];
    for (const [i, one] of fresh.entries()) {
      const value = found[i];
      if (value !== undefined) known.set(JSON.stringify(one), value);
    }
    return all.flatMap((one) => {
      const value = known.get(JSON.stringify(one));
      return value === undefined ? [] : [value];
    });
  };
  return {
    ...encoder,
    embed: async (texts, options) => {
      const all = texts.map((text) => ({ text, as: options.as }));
      return fill<(typeof all)[number], number[]>(vectors, all, (some) =>
        encoder.embed(
          some.map(({ text }) => text),
          options,
        ),
      );
    },
    judge: (pairs, options) => fill(judgements, pairs, (some) => encoder.judge(some, options)),
  };
}

const STAGES = ["citations", "statements", "entailment", "graph", "checker"] as const;

/**
 * How much of what it was asked a stage settled, and how often it was right: rejecting a sentence of an unsupported
 * claim counts as right. `stage` is its place in the cascade, from 1.
 */
function stageMeasures(stage: (typeof STAGES)[number], judged: readonly (Checked & { positive: boolean })[]) {
  const counts = judged.flatMap(({ stages }) => stages.filter((count) => count.stage === stage));
  const settled = judged.flatMap(({ claims, positive }) =>
    claims.filter(({ settledBy }) => settledBy === stage).map((claim) => ({ held: holds(claim), positive })),
  );
  return {
    stage: STAGES.indexOf(stage) + 1,
    asked: counts.reduce((sum, { asked }) => sum + asked, 0),
    settled: settled.length,
    held: settled.filter(({ held }) => held).length,
    heldRightly: settled.filter(({ held, positive }) => held && positive).length,
    rejectedRightly: settled.filter(({ held, positive }) => !held && !positive).length,
    calls: counts.reduce((sum, { calls }) => sum + calls, 0),
    millisecondsAClaim: mean(counts.map(({ milliseconds }) => milliseconds)),
  };
}

/** Counts by rank which of a sentence's judged windows decided in the end, which shows how well windows are chosen. */
function windowMeasures(judged: readonly (Checked & { positive: boolean })[]) {
  const all = judged.flatMap(({ judge, windows, positive }) =>
    (judge ?? []).flatMap((one) => (one ? [{ ...one, windows, positive }] : [])),
  );
  return [...Map.groupBy(all, ({ rank }) => rank)]
    .sort(([a], [b]) => a - b)
    .map(([rank, some]) => ({
      rank,
      sentences: some.length,
      held: some.filter(({ supported }) => supported > 0.5).length,
      heldRightly: some.filter(({ supported, positive }) => supported > 0.5 && positive).length,
      windowsInSources: mean(some.map(({ windows }) => windows)),
    }));
}

/** A claim that no stage could settle is as likely as not. */
const probability = (claim: CheckedClaim) => claim.probability ?? 0.5;
const least = (some: readonly number[]) => some.reduce((a, b) => Math.min(a, b), 1);
const leastOf = (some: readonly (Entailed | undefined)[]) => least(some.map((one) => one?.supported ?? 0));

/** With this stage alone, a claim in doubt is not supported. */
const isStated = ({ settledBy, verdict }: CheckedClaim) => settledBy === "statements" && verdict === "supported";

const measures = (c: Confusion): Metrics => ({
  balancedAccuracy: balancedAccuracy(c),
  supportedRecall: positiveRecall(c),
  unsupportedRecall: negativeRecall(c),
  f1: positiveF1(c),
});
