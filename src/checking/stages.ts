import type { Find } from "../citing/attach.js";
import { valueIn } from "../facts/disagree.js";
import { addedTo } from "../facts/live.js";
import { quantities } from "../facts/numbers.js";
import { stated } from "../facts/stated.js";
import { settle } from "../facts/support.js";
import { blocks } from "../text/blocks.js";
import { LINK_DEFINITION, linksAsWords } from "../text/markup.js";
import { outlineOf } from "../text/outline.js";
import { asks } from "../text/prose.js";
import { findQuote } from "../text/quotes.js";
import { coverage } from "../text/similarity.js";
import { overlap } from "../text/spans.js";
import { piecesIn } from "../text/token-count.js";
import { contentTerms, plainWithoutMarks } from "../text/tokens.js";
import { CHECKING } from "../thresholds.js";
import { relationWords, standsInRows } from "../tools/knowledge/facts.js";
import type { Fact, KnowledgeGraph } from "../tools/knowledge/port.js";
import type { CheckedClaim, CheckStage, DraftClaim } from "../types/answer.js";
import type { Call } from "../types/call.js";
import type { Evidence } from "../types/evidence.js";
import type { Task } from "../types/reasoners.js";
import type { TableHead } from "../types/table.js";
import { isTimeUp, mapWithTurns } from "../waiting.js";
import { misplaced } from "./belongs.js";
import { doubtOf } from "./doubts.js";
import { sourceUnitsAround, unitsIn } from "./source-units.js";
import { windowAround } from "./windows.js";

/** A claim on its way through the cascade. */
export interface Doubt {
  claim: DraftClaim;
  checked: CheckedClaim;
  /** The stage that gave its verdict, if a later one may overrule it. */
  tentative?: CheckStage | undefined;
}

/** The finding of a stage on a claim. Without a verdict, or with a tentative one, the claim stays in doubt. */
export type Finding = Partial<Omit<CheckedClaim, "text" | "settledBy">> & { tentative?: boolean };

export interface CheckingTask extends Task {
  /**
   * Present for the claims of any text: finds the supporting words in all sources, and a claim without a quote may
   * hold. Absent for an answer: each of its claims needs a quote, and is checked against the quote's context.
   */
  find?: Find;
  /** The tables that could have been queried. Default: none. */
  tables?: readonly TableHead[];
}

/** A stage of the cascade: returns one finding for each claim, in order. */
export type Stage = (
  doubts: readonly Doubt[],
  task: CheckingTask,
  call: Call,
) => Promise<readonly Finding[]> | readonly Finding[];

/**
 * A claim of an answer is unsupported if none of its quotes is in the source that it names, or if it states nothing.
 */
export const byCitations: Stage = (doubts, task, call) =>
  mapWithTurns(doubts, ({ claim }) => checkCitations(claim, task), unlessTimeIsUp(call));

/** Exact code runs even when the time is up. */
const unlessTimeIsUp = ({ signal }: Call) => (isTimeUp(signal) ? undefined : signal);

export function checkCitations(
  claim: DraftClaim,
  { evidence, find, tables = [] }: Pick<CheckingTask, "evidence" | "find" | "tables">,
): Finding {
  const limit = longestClaim(claim.text);
  if (claim.text.length > limit) return { verdict: "unsupported", reason: { code: "too_long", limit } };
  const hidden = find ? hiddenIn(claim.text).filter((one) => !evidence.some(({ text }) => text.includes(one))) : [];
  if (hidden.length > 0) return { verdict: "unsupported", reason: { code: "added", missing: hidden.map(codesOf) } };
  const quotes = quoted(claim, evidence);
  // A heading may be the line above a list.
  if (!find && claim.form?.kind !== "lead" && isNoStatement(claim.text, quotes, evidence))
    return { quotes, verdict: "unsupported", reason: { code: "no_statement" } };
  if (isOwnFigure(claim.text, quotes, evidence, tables))
    return { quotes, verdict: "unsupported", reason: { code: "not_computed" } };
  if (quotes.length > 0) return { quotes };
  const isCited = claim.citations.length > 0;
  const reason = { code: isCited ? "quote_not_found" : "no_source" } as const;
  return find && !isCited ? { reason } : { quotes, verdict: "unsupported", reason };
}

/**
 * True if a claim has an amount that none of its sources states, and one of them is a part of a table of which not all rows
 * were read: it was counted or calculated over what happened to be found.
 */
function isOwnFigure(
  text: string,
  quotes: CheckedClaim["quotes"],
  evidence: readonly Evidence[],
  tables: readonly TableHead[],
): boolean {
  const cited = evidence.filter(({ id }) => quotes.some(({ evidenceId }) => evidenceId === id));
  const isOf =
    ({ documentId, section }: TableHead) =>
    (piece: Evidence) =>
      piece.section === section && piece.id.startsWith(`${documentId}#`);
  const isCut = tables.some((table) => {
    const rows = evidence.filter(isOf(table)).reduce((sum, piece) => sum + rowsIn(piece.text), 0);
    return cited.some(isOf(table)) && rows < table.rows;
  });
  // A figure beside the result of a query may be worked out from it.
  if (!isCut || cited.some(({ computed }) => computed)) return false;
  const known = quantities(cited.map((piece) => `${piece.title}\n${piece.section}\n${piece.text}`).join("\n\n"));
  return quantities(text).some((amount) => stated(amount, known) === "no");
}

/** Counts the rows of tables in a text, without their headers. */
const rowsIn = (text: string) => blocks(text).filter(({ kind, isRuled }) => kind === "row" && !isRuled).length;

/**
 * Returns the most characters that a claim of this kind of text may have. A longer one, such as a log without full stops,
 * is not checked: it would hold the process, and the encoder would not read all of it.
 */
export const longestClaim = (text: string): number =>
  text.length > LONGEST_CLAIM
    ? LONGEST_CLAIM
    : Math.min(LONGEST_CLAIM, Math.floor((text.length / piecesIn(text)) * MOST_PIECES));

/** In characters. */
const LONGEST_CLAIM = 5_000;
/** About as many tokens as the encoder reads of a claim. */
const MOST_PIECES = 900;

/**
 * Finds characters that hide words or change the order in which they are shown: tags, except in flags, and direction marks. An
 * answer is shown without them, but a text of somebody else has them.
 */
const hiddenIn = (text: string) =>
  text.match(/[\u202a-\u202e\u2066-\u2069]+|(?<!\u{1f3f4}[\u{e0000}-\u{e007f}]*)[\u{e0000}-\u{e007f}]+/gu) ?? [];

const codesOf = (hidden: string) =>
  [...hidden].map((one) => `U+${one.codePointAt(0)?.toString(16).toUpperCase()}`).join(" ");

/** True for a question, and for a heading that is repeated as it stands. */
const isNoStatement = (text: string, quotes: CheckedClaim["quotes"], evidence: readonly Evidence[]): boolean =>
  asks(text) ||
  (quotes.length > 0 &&
    quotes.every((span) => {
      const piece = evidence.find(({ id }) => id === span.evidenceId)?.text ?? "";
      const own = outlineOf(piece).filter((sentence) => overlap(sentence, span));
      return own.length > 0 && own.every((unit) => unit.kind === "heading" && findQuote(unit.text, text));
    }));

/** Compares amounts, units, names, denials and wording of the claim with the sentences of its quotes, by exact code. */
export const byStatements: Stage = (doubts, { evidence }, call) =>
  mapWithTurns(doubts, ({ checked }) => checkStatements(checked, evidence), unlessTimeIsUp(call));

export function checkStatements(
  { text, quotes }: Pick<CheckedClaim, "text" | "quotes">,
  evidence: readonly Evidence[],
): Finding {
  const added = addedBeside({ text, quotes }, evidence);
  if (added) return added;
  if (quotes.length === 0) return {};
  // The targets of its links are found there, so its words decide.
  const said = linksAsWords(text);
  const { verdict, reason, wrong } = settle(
    said,
    quotes.map((quote) => wholeSentences(quote, evidence)),
  );
  return {
    ...(verdict !== "doubtful" && { verdict }),
    reason,
    ...(wrong.length > 0 && said === text && { wrong: [...wrong] }),
  };
}

/**
 * Finds against a claim that has an address, a picture or a tag that its sources do not have around its quotes or, if it
 * has no quotes, anywhere. A judge reads words, so exact code alone decides on these.
 */
export function addedBeside(
  { text, quotes }: Pick<CheckedClaim, "text" | "quotes">,
  evidence: readonly Evidence[],
): Finding | undefined {
  const cited = evidence.flatMap((piece) => {
    const own = quotes.filter(({ evidenceId }) => evidenceId === piece.id);
    if (own.length === 0 && quotes.length > 0) return [];
    const words = own.length > 0 ? windowAround(piece, own).text : piece.text;
    return [piece.title, piece.section, `[](${piece.uri})`, words, ...(piece.text.match(LINK_DEFINITION) ?? [])];
  });
  const parts = addedTo(text, cited.join("\n"));
  if (parts.length === 0) return undefined;
  const wrong = parts.flatMap((part) => {
    const start = text.indexOf(part);
    return start < 0 ? [] : [{ start, end: start + part.length }];
  });
  return { verdict: "unsupported", reason: { code: "added", missing: parts }, ...(wrong.length > 0 && { wrong }) };
}

/** Extends a quote to whole sentences. */
export function wholeSentences(
  { evidenceId, quote, start, end }: CheckedClaim["quotes"][number],
  all: readonly Evidence[],
) {
  const piece = all.find(({ id }) => id === evidenceId);
  const own = piece ? unitsIn(piece, { start, end }) : [];
  const [first, last] = [own[0], own.at(-1)];
  if (!piece || !first || !last) return quote;
  return piece.text.slice(Math.min(first.start, start), Math.max(last.end, end));
}

/** Stands in for the encoder in `verify`: judges by the share of the claim's content terms in the nearest sentences. */
export const byWords: Stage = (doubts, { evidence, find }, { signal }) => {
  const judge = ({ checked: { text: written, quotes } }: Doubt): Finding => {
    if (!find || quotes.length === 0) return {};
    const text = linksAsWords(written);
    const has = new Set(quotes.flatMap(({ quote }) => contentTerms(quote)));
    const share = coverage(contentTerms(text), has);
    const parts = quotes.flatMap(({ evidenceId, ...span }) =>
      evidence.filter(({ id }) => id === evidenceId).map((piece) => ({ ...span, evidence: piece })),
    );
    const near = quotes.map(({ quote }) => quote);
    const amiss = misplaced(text, near.join("\n"), sourceUnitsAround(parts)) ?? doubtOf(text, near.join("\n"), near);
    const verdict = share >= CHECKING.words && !amiss ? "likely" : "unsupported";
    return { verdict, reason: amiss ?? { code: "shared_words", share }, tentative: true };
  };
  return mapWithTurns(doubts, judge, signal);
};

/** Looks up in the knowledge graph what a claim states of an entity. */
export const byGraph =
  (knowledge: KnowledgeGraph): Stage =>
  (doubts, _task, { signal }) =>
    Promise.all(doubts.map(({ checked }, i) => (i < LOOK_UPS ? statedInGraph(checked.text, knowledge, signal) : {})));

const LOOK_UPS = 12;

/**
 * Finds the quotes of a claim in the evidence that they name, in the source's own characters; drops those that are not
 * there. A quote from a fact of the graph must be in the fact's rows as well.
 */
export function quoted(
  { citations }: Pick<DraftClaim, "citations">,
  evidence: readonly Evidence[],
): CheckedClaim["quotes"] {
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
 * Looks up a sentence of the form "the <relation> of <entity> is <value>". The graph supports it if it has that value,
 * and contradicts it if it has exactly one other value, no matter in how many sources. A sentence that goes on after
 * the value is never supported.
 */
async function statedInGraph(claim: string, knowledge: KnowledgeGraph, signal: AbortSignal): Promise<Finding> {
  const facts = await knowledge.facts([], claim, { limit: FACTS, signal });
  const told = facts.flatMap((fact) => {
    const value = saidOf(claim, fact);
    return value === undefined ? [] : [{ ...fact, value, all: fact.others.join(", ") }];
  });
  const isSame = (other: string, value: string) => plainWithoutMarks(other) === plainWithoutMarks(value);
  const agrees = told.find(({ others, value }) => others.some((other) => isSame(other, value)));
  if (agrees) return GOES_ON.test(claim) ? {} : { verdict: "supported", reason: { code: "stated" } };
  const [first, ...more] = told;
  if (first?.total === 1 && more.every(({ total, all }) => total === 1 && isSame(all, first.all)))
    return { verdict: "contradicted", reason: { code: "says_otherwise", source: first.all, claim: first.value } };
  return {};
}

const FACTS = 20;
const GOES_ON = /[,，;；:：(（]/;

const saidOf = (claim: string, { direction, entity, predicate }: Fact) =>
  direction === "out" ? valueIn(claim, { entity, predicate: relationWords(predicate) }) : undefined;
