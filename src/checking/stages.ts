import { misplaced } from "../text/belongs.js";
import { type Place, placesAround, placesOf } from "../text/places.js";
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
import { scoredTogether } from "./together.js";

/** A claim that is in doubt, with what is known of it so far. */
export interface Doubt {
  claim: DraftClaim;
  checked: CheckedClaim;
  /** Its quotes say otherwise in words like its own: that it is alike says nothing. */
  against: boolean;
}

/** What a stage adds to what is known of a claim. Without a verdict it is still in doubt. */
export type Finding = Partial<Omit<CheckedClaim, "text" | "settledBy">> & { against?: true };

/** What is checked against what. */
export interface CheckingTask extends Task {
  /**
   * The claims are those of any text, and the sources whatever was given: what has no quote may still hold, and short
   * sources are scored together. Default: an answer, each sentence of which has to have a quote.
   */
  anyText?: boolean;
}

/** One way to settle claims: a finding a claim, in order. */
export type Judge = (
  doubts: readonly Doubt[],
  task: CheckingTask,
  call: Call,
) => Promise<readonly Finding[]> | readonly Finding[];

/** A claim of an answer without a quote that stands in the source it names is unsupported, whatever it says. */
export const byCitations: Judge = (doubts, task) => doubts.map(({ claim }) => citationsOf(claim, task));

export function citationsOf(
  claim: DraftClaim,
  { evidence, anyText = false }: Pick<CheckingTask, "evidence" | "anyText">,
): Finding {
  const quotes = quoted(claim, evidence);
  if (quotes.length > 0) return { quotes };
  if (anyText && claim.citations.length === 0) return { reason: "No source speaks of it." };
  const reason = claim.citations.length > 0 ? "Its quote does not stand in the source." : "No source speaks of it.";
  return { quotes, verdict: "unsupported", reason };
}

/** Amounts, dates, units, names, denials, quantifiers and wording of the claim, held against its quotes. */
export const byStatements: Judge = (doubts) => doubts.map(({ checked }) => statementsOf(checked));

export function statementsOf({ text, quotes }: Pick<CheckedClaim, "text" | "quotes">): Finding {
  if (quotes.length === 0) return {};
  const words = quotes.map(({ quote }) => quote);
  const { verdict, ...rest } = settle(text, words);
  return verdict === "doubtful" ? rest : { verdict, ...rest };
}

/**
 * How sure a score is that the sources state the claim. It makes a claim likely, and never supported; not even that where
 * an amount or a name of the claim belongs to something else, or the quotes say otherwise.
 */
export const byEntailment =
  (entailment: Entailment): Judge =>
  async (doubts, { evidence, anyText = false }, { signal }) => {
    const groups = anyText ? scoredTogether(evidence) : evidence.map((piece) => [piece]);
    const groupOf = new Map(groups.toReversed().flatMap((group) => group.map(({ id }) => [id, group] as const)));
    const placed = new Map<string, Place[]>();
    const wanted = doubts.map(({ checked: { text, quotes } }) => {
      const cited = new Set(quotes.map(({ evidenceId }) => groupOf.get(evidenceId) ?? []));
      return [...cited].map((group) => ({ text, group }));
    });
    const pairs = wanted.flat().map(({ text, group }) => ({ claim: text, sources: group.map((piece) => piece.text) }));
    const scores = (await entailment.score(pairs, { signal })).values();
    const all = wanted.map((some) => some.map(({ group }) => ({ group, score: scores.next().value ?? 0 })));
    return doubts.map(({ against, checked }, at) => {
      const scored = (all[at] ?? []).toSorted((a, b) => b.score - a.score);
      const [best] = scored;
      if (!best) return {};
      const read = readScore(best.score, entailment.thresholds);
      const agree = `Its words and its sources' agree with a probability of ${best.score.toFixed(2)}.`;
      if (read === "unsupported") return { entailment: best.score, verdict: read, reason: agree };
      if (read === "doubtful" || against) return { entailment: best.score };
      const reason = misplaced(checked.text, placesNear(best.group, checked.quotes));
      return { entailment: best.score, ...(reason ? { reason } : { verdict: read, reason: agree }) };
    });

    function placesNear(group: readonly Evidence[], quotes: CheckedClaim["quotes"]): Place[] {
      return group.flatMap(({ id, text }) => {
        const own = quotes.filter(({ evidenceId }) => evidenceId === id);
        if (own.length === 0) return [];
        const places = placed.get(id) ?? placesOf(text);
        placed.set(id, places);
        return placesAround(places, own);
      });
    }
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
