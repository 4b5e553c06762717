import { strips } from "../text/sentences.js";
import { settle } from "../text/support.js";
import { type Entailment, readScore } from "../tools/entailment/port.js";
import type { KnowledgeGraph } from "../tools/knowledge/port.js";
import type { Call, Checker, Task } from "../tools/reasoner/port.js";
import { keptStrips } from "../tools/reasoner/strips.js";
import type { CheckedClaim, DraftClaim } from "../types/answer.js";
import type { Evidence } from "../types/evidence.js";
import { quoted } from "./quoted.js";
import { statedInGraph } from "./stated-in-graph.js";

/** A claim that is in doubt, with what is known of it so far. */
export interface Doubt {
  claim: DraftClaim;
  checked: CheckedClaim;
  /** It is a sentence of its quotes with something replaced: that it is alike says nothing. */
  replaced: boolean;
}

/** What a stage adds to what is known of a claim. Without a verdict it is still in doubt. */
export type Finding = Partial<Omit<CheckedClaim, "text" | "settledBy">> & { replaced?: true };

/** One way to settle claims: a finding a claim, in order. */
export type Judge = (
  doubts: readonly Doubt[],
  task: Task,
  call: Call,
) => Promise<readonly Finding[]> | readonly Finding[];

/** A claim without a quote that stands in the source it names is unsupported, whatever it says. */
export const byCitations: Judge = (doubts, { evidence }) => doubts.map(({ claim }) => citationsOf(claim, evidence));

export function citationsOf(claim: DraftClaim, evidence: readonly Evidence[]): Finding {
  const quotes = quoted(claim, evidence);
  if (quotes.length > 0) return { quotes };
  const reason = claim.citations.length > 0 ? "Its quote does not stand in the source." : "No source speaks of it.";
  return { quotes, verdict: "unsupported", reason };
}

/** Amounts, dates, units, names, denials, quantifiers and wording of the claim, held against its quotes. */
export const byStatements: Judge = (doubts) => doubts.map(({ checked }) => statementsOf(checked));

export function statementsOf({ text, quotes }: Pick<CheckedClaim, "text" | "quotes">): Finding {
  const words = quotes.map(({ quote }) => quote);
  const { verdict, ...rest } = settle(text, words);
  return verdict === "doubtful" ? rest : { verdict, ...rest };
}

/**
 * How sure a score is that one of the cited sources, taken whole, states the claim. Never several together: half a sentence
 * of one and half of another make a sentence that neither says.
 */
export const byEntailment =
  (entailment: Entailment): Judge =>
  async (doubts, { evidence }, { signal }) => {
    const pairs = doubts.flatMap(({ checked: { text, quotes } }, at) =>
      evidence
        .filter(({ id }) => quotes.some(({ evidenceId }) => evidenceId === id))
        .map((piece) => ({ at, claim: text, sources: [piece.text] })),
    );
    const scores = await entailment.score(pairs, { signal });
    return doubts.map(({ replaced }, at) => {
      const score = Math.max(0, ...scores.filter((_, i) => pairs[i]?.at === at));
      const read = readScore(score, entailment.thresholds);
      const reason = `Its words and its sources' agree with a probability of ${score.toFixed(2)}.`;
      const isSettled = read === "unsupported" || (read === "supported" && !replaced);
      return { entailment: score, ...(isSettled && { verdict: read, reason }) };
    });
  };

/** What the knowledge graph says of the entities that a claim relates. */
export const byGraph =
  (knowledge: KnowledgeGraph): Judge =>
  (doubts, _task, { signal }) =>
    Promise.all(doubts.map(({ checked }, i) => (i < LOOK_UPS ? statedInGraph(checked.text, knowledge, signal) : {})));

const LOOK_UPS = 12;

/** All that is left, in one go. Of a long source it is shown what stands around the quotes. */
export const byChecker =
  (checker: Checker): Judge =>
  (doubts, task, call) => {
    const evidence = task.evidence.map((piece) => around(piece, doubts));
    return checker.check({ ...task, evidence, claims: doubts.map(({ claim }) => claim) }, call);
  };

/** A piece of evidence that is longer than a passage, cut down to the strips that are quoted and their neighbours. */
function around(piece: Evidence, doubts: readonly Doubt[]): Evidence {
  if (piece.text.length <= LONG) return piece;
  const quotes = doubts.flatMap(({ checked }) => checked.quotes).filter(({ evidenceId }) => evidenceId === piece.id);
  const judged = strips(piece.text).map((strip) => ({
    ...strip,
    relevance: quotes.some(({ start, end }) => start < strip.end && end > strip.start) ? 1 : 0,
  }));
  const kept = keptStrips({ text: piece.text, strips: judged });
  return { ...piece, text: kept.map(({ start, end }) => piece.text.slice(start, end)).join("\n\n"), strips: [] };
}

/** Characters; no passage of a store is longer. */
const LONG = 4000;
