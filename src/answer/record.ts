import type { State } from "../state/state.js";
import { documentOf, questionHash } from "../tools/runs/port.js";
import { type Answer, holds } from "../types/answer.js";
import type { Decision, Reason } from "../types/events.js";
import type { Filter } from "../types/filter.js";
import { COLLECTION, metadataKey } from "../types/metadata.js";
import type { RunRecord } from "../types/run.js";

/**
 * Makes the record of a run that has been answered.
 * @param filter that of the run's context.
 */
export function recordOf(state: State, answer: Answer, filter: Filter): RunRecord {
  const { evidence, attempts, decisions, spend, scope = "", queries } = state;
  const checked = attempts.flatMap(({ report }) => report?.claims ?? []);
  const first = queries[0]?.text;
  const collections = collectionsIn(filter);
  return {
    at: new Date().toISOString(),
    question: state.question,
    questionHash: questionHash(state.question),
    language: answer.language,
    isFollowUp: state.understood?.before !== undefined || (first !== undefined && first !== state.question.trim()),
    scope,
    ...(collections && { collections }),
    status: answer.status,
    stopReason: answer.stopReason,
    confidence: rounded(answer.confidence.score),
    retrieved: {
      pieces: evidence.length,
      score: distribution(evidence.map(({ score }) => score)),
      relevance: distribution(evidence.map(({ relevance }) => relevance)),
    },
    used: usedIn(state, answer),
    disagreements: disagreementsIn(state, answer),
    claims: {
      drafted: checked.length,
      quoted: checked.filter(({ quotes }) => quotes.length > 0).length,
      shown: answer.claims.length,
      dropped: new Set(checked.filter((claim) => !holds(claim)).map(({ text }) => text)).size,
    },
    failures: answer.failures.map(({ tag }) => tag),
    spend: { ...spend, milliseconds: rounded(spend.milliseconds) },
    route: decisions.map(withoutText),
  };
}

/** Returns the names of the collections that a filter leaves; undefined if it does not name any. */
function collectionsIn(filter: Filter): string[] | undefined {
  const named = filter.filter(({ key, not }) => metadataKey(key) === COLLECTION && !not);
  return named[0]?.values.filter((name) => named.every(({ values }) => values.includes(name)));
}

/** Returns the ids of the evidence at the address of a reference whose text contains one of its quotes. */
function usedIn({ evidence }: State, { claims, references }: Answer): string[] {
  const cited = claims.flatMap(({ citations }) => citations);
  const used = evidence.filter(({ uri, text }) =>
    cited.some(
      ({ reference, quote }) =>
        references.find(({ number }) => number === reference)?.uri === uri && text.includes(quote),
    ),
  );
  return used.map(({ id }) => id);
}

function disagreementsIn({ evidence }: State, { disagreements, references }: Answer): RunRecord["disagreements"] {
  const documentAt = (reference: number) => {
    const uri = references.find(({ number }) => number === reference)?.uri;
    return documentOf(evidence.find((piece) => piece.uri === uri)?.id ?? "");
  };
  const pairs = disagreements.map(({ newer, older }) => ({ newer: documentAt(newer), older: documentAt(older) }));
  return [...new Map(pairs.map((pair) => [`${pair.newer}\n${pair.older}`, pair])).values()];
}

/** Times and scores are no more precise than this. */
const rounded = (value: number) => Math.round(value * 1_000) / 1_000;

function distribution(values: readonly number[]): RunRecord["retrieved"]["score"] {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  return [0, 0.25, 0.5, 0.75, 1].map((q) => rounded(sorted[Math.round(q * (sorted.length - 1))] ?? 0));
}

/** Removes queries from reasons, and the messages of errors, which may repeat any text. */
const withoutText = (decision: Decision): Decision => ({
  ...decision,
  reason: withoutQueries(decision.reason),
  faults: decision.faults.map((fault) => ({ ...fault, message: "" })),
  milliseconds: rounded(decision.milliseconds),
});

function withoutQueries(reason: Reason): Reason {
  if ("queries" in reason) return { ...reason, queries: [] };
  return "query" in reason ? { ...reason, query: "" } : reason;
}
