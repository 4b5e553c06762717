import type { Find } from "../citing/attach.js";
import { valueIn } from "../language/disagree.js";
import { findQuote } from "../language/quotes.js";
import { sentences, strips } from "../language/sentences.js";
import { coverage } from "../language/similarity.js";
import { settle } from "../language/support.js";
import { contentTerms, plain } from "../language/tokens.js";
import { relationWords, standsInRows } from "../tools/knowledge/facts.js";
import type { Fact, KnowledgeGraph } from "../tools/knowledge/port.js";
import type { Call, Checker, Task } from "../tools/reasoner/port.js";
import { keptStrips } from "../tools/reasoner/strips.js";
import type { CheckedClaim, DraftClaim } from "../types/answer.js";
import type { Evidence } from "../types/evidence.js";
import { misplaced } from "./belongs.js";
import { type Place, placesAround, placesOf } from "./places.js";
import { THRESHOLDS } from "./thresholds.js";
import type { Window } from "./windows.js";

/** A claim that is in doubt, with what is known of it so far. */
export interface Doubt {
  claim: DraftClaim;
  checked: CheckedClaim;
  /** Its verdict is only what is likelier: whoever comes next may know better. */
  tentative: boolean;
}

/** What a stage adds to what is known of a claim. Without a verdict, or with a tentative one, it is still in doubt. */
export type Finding = Partial<Omit<CheckedClaim, "text" | "settledBy">> & { tentative?: boolean };

/** What is checked against what. */
export interface CheckingTask extends Task {
  /**
   * The claims are those of any text, and the sources whatever was given: what has no quote may still hold, and all of the
   * sources is looked through, the words that carry a claim being found by this. Default: an answer, each sentence of
   * which has to have a quote, and is held against what stands around it.
   */
  find?: Find;
}

/** One way to settle claims: a finding a claim, in order. */
export type Judge = (
  doubts: readonly Doubt[],
  task: CheckingTask,
  call: Call,
) => Promise<readonly Finding[]> | readonly Finding[];

/** A claim of an answer without a quote that stands in the source it names is unsupported, whatever it says. */
export const byCitations: Judge = (doubts, task) => doubts.map(({ claim }) => citationsOf(claim, task));

export function citationsOf(claim: DraftClaim, { evidence, find }: Pick<CheckingTask, "evidence" | "find">): Finding {
  const quotes = quoted(claim, evidence);
  if (quotes.length > 0) return { quotes };
  if (find && claim.citations.length === 0) return { reason: "No source speaks of it." };
  const reason = claim.citations.length > 0 ? "Its quote does not stand in the source." : "No source speaks of it.";
  return { quotes, verdict: "unsupported", reason };
}

/** Amounts, dates, units, names, denials and wording of the claim, held against the sentences that its quotes stand in. */
export const byStatements: Judge = (doubts, { evidence }) =>
  doubts.map(({ checked }) => statementsOf(checked, evidence));

export function statementsOf(
  { text, quotes }: Pick<CheckedClaim, "text" | "quotes">,
  evidence: readonly Evidence[],
): Finding {
  if (quotes.length === 0) return {};
  const { verdict, reason, wrong } = settle(
    text,
    quotes.map((quote) => wholeSentences(quote, evidence)),
  );
  return { ...(verdict !== "doubtful" && { verdict }), reason, ...(wrong.length > 0 && { wrong: [...wrong] }) };
}

/** A quote with the rest of the sentences that it begins and ends in. */
function wholeSentences({ evidenceId, quote, start, end }: CheckedClaim["quotes"][number], all: readonly Evidence[]) {
  const piece = all.find(({ id }) => id === evidenceId);
  const own = sentences(piece?.text ?? "").filter((sentence) => sentence.start < end && start < sentence.end);
  const [first, last] = [own[0], own.at(-1)];
  if (!piece || !first || !last) return quote;
  return piece.text.slice(Math.min(first.start, start), Math.max(last.end, end));
}

/** The rows, entries and sentences that these parts lie in, with what stands beside them in their table or list. */
export const placesIn = (parts: Window["parts"]): Place[] =>
  parts.flatMap(({ evidence, ...span }) => placesAround(placesOf(evidence.text), [span]));

/**
 * Without an encoder, any text is held against its sources by the share of its content words that the nearest sentences
 * have; of an answer what exact code leaves in doubt stays unsupported.
 */
export const byWords: Judge = (doubts, { evidence, find }) =>
  doubts.map(({ checked: { text, quotes } }): Finding => {
    if (!find || quotes.length === 0) return {};
    const has = new Set(quotes.flatMap(({ quote }) => contentTerms(quote)));
    const share = coverage(contentTerms(text), has);
    const told = `Its nearest sentences have ${Math.round(share * 100)} % of its words.`;
    const parts = quotes.flatMap(({ evidenceId, ...span }) =>
      evidence.filter(({ id }) => id === evidenceId).map((piece) => ({ ...span, evidence: piece })),
    );
    const amiss = misplaced(text, quotes.map(({ quote }) => quote).join("\n"), placesIn(parts));
    const verdict = share >= THRESHOLDS.words && !amiss ? "likely" : "unsupported";
    return { verdict, reason: amiss ?? told, tentative: true };
  });

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

/**
 * The quotes of a claim as they stand in the evidence they name, in the source's own characters; those that do not are
 * left out. What is quoted of a graph's fact has to stand in the rows it was made from as well.
 */
export function quoted({ citations }: DraftClaim, evidence: readonly Evidence[]): CheckedClaim["quotes"] {
  return citations.flatMap(({ evidenceId, quote, start }) => {
    const piece = evidence.find(({ id }) => id === evidenceId);
    const stands = start !== undefined && piece?.text.startsWith(quote, start);
    const span = stands ? { start, end: start + quote.length } : piece && findQuote(piece.text, quote);
    if (!piece || !span) return [];
    const words = piece.text.slice(span.start, span.end);
    return !piece.provenance || standsInRows(words, piece.provenance) ? [{ ...span, evidenceId, quote: words }] : [];
  });
}

/**
 * What a knowledge graph says to a sentence of the form "the <relation> of <entity> is <value>": it has that value, it has
 * one other value and no more, or it says nothing. A sentence that goes on behind the value is never supported by it.
 */
async function statedInGraph(claim: string, knowledge: KnowledgeGraph, signal: AbortSignal): Promise<Finding> {
  const facts = await knowledge.facts([], claim, { limit: FACTS, signal });
  for (const fact of facts) {
    const value = saidOf(claim, fact);
    if (value === undefined) continue;
    const all = fact.others.join(", ");
    if (fact.others.some((other) => folded(other) === folded(value)))
      return GOES_ON.test(claim) ? {} : { verdict: "supported", reason: `The knowledge graph says so: ${all}.` };
    if (fact.total === 1) return { verdict: "contradicted", reason: `The knowledge graph says ${all}, not ${value}.` };
  }
  return {};
}

const FACTS = 20;
const GOES_ON = /[,，;；:：(（]/;

const saidOf = (claim: string, { direction, entity, predicate }: Fact) =>
  direction === "out" ? valueIn(claim, { entity, predicate: relationWords(predicate) }) : undefined;

const folded = (text: string) =>
  plain(text)
    .replace(/[\s\p{P}]+/gu, " ")
    .trim();
