import type { Span } from "../types/evidence.js";
import { tokensOf } from "./alignment.js";
import { otherBounds } from "./bounds.js";
import { cellSays } from "./cells.js";
import {
  exchangedWords,
  type Fault,
  type FindFault,
  otherAmounts,
  otherNames,
  strayAmounts,
  turned,
} from "./changes.js";
import { nearest, readSource, type Source } from "./near.js";
import { findQuote } from "./quotes.js";
import { sentences } from "./sentences.js";
import { isRow, readRow } from "./tables.js";
import { contentTerms, hasWords, plain } from "./tokens.js";

export interface Settlement {
  verdict: "supported" | "unsupported" | "contradicted" | "doubtful";
  /** Why, in words. */
  reason: string;
  /** The words of the claim that are at fault, as places in it; empty where none can be named. */
  wrong: readonly Span[];
}

/**
 * Holds a claim against the sentences it rests on, by exact code alone: supported where it is whole sentences of theirs,
 * or a row of a table read under its headings; unsupported or contradicted where it follows a sentence so closely that
 * nothing but another amount, name, denial or order is left. All else is "doubtful": whether other words say the same is
 * for a judge.
 */
export function settle(claim: string, quotes: readonly string[]): Settlement {
  if (!hasWords(claim)) return said("unsupported", "The claim says nothing.");
  if (!quotes.some(hasWords)) return said("unsupported", "There is no quote.");
  if (quotes.some((quote) => saysWhole(quote, claim))) return said("supported", "The source says it word for word.");
  const table = readFromTable(claim, quotes);
  if (table) return table;
  const parts = sentences(claim);
  // A page held against its quotes is no claim; what can be said of it costs more than it is worth.
  if (parts.length > MOST_SENTENCES) return DOUBTFUL;
  const source = readSource(quotes);
  if (parts.length === 1 && source.sentences.some(({ text }) => isSame(claim, text)))
    return said("supported", "The source says it word for word, amounts written otherwise.");
  const faults = parts.flatMap(({ start, end }) => faultOf(claim.slice(start, end), start, source) ?? []);
  return faults.find(({ verdict }) => verdict === "contradicted") ?? faults[0] ?? DOUBTFUL;
}

const MOST_SENTENCES = 12;

const said = (verdict: Settlement["verdict"], reason: string): Settlement => ({ verdict, reason, wrong: [] });
const DOUBTFUL = said("doubtful", "No source says it word for word.");

/** What is wrong for sure with one sentence of a claim, which begins at `offset`. */
function faultOf(sentence: string, offset: number, source: Source): Fault | undefined {
  if (source.quotes.some((quote) => findQuote(quote, sentence))) return undefined;
  const tokens = tokensOf(sentence);
  const near = nearest(contentTerms(sentence), tokens, source);
  const pair = { claim: sentence, tokens, near, source };
  for (const find of FAULTS) {
    const fault = find(pair);
    if (fault)
      return { ...fault, wrong: fault.wrong.map(({ start, end }) => ({ start: start + offset, end: end + offset })) };
  }
  return undefined;
}

const FAULTS: readonly FindFault[] = [otherAmounts, strayAmounts, otherNames, turned, exchangedWords, otherBounds];

/** Whether the claim is one or more whole sentences of the text; a heading, a question or code states nothing. */
function saysWhole(text: string, claim: string): boolean {
  if (!findQuote(text, claim)) return false;
  const all = sentences(text);
  return [{ start: 0, end: text.length }, ...all].some((part) => {
    const found = findQuote(text.slice(part.start, part.end), claim);
    if (!found) return false;
    const [start, end] = [part.start + found.start, part.start + found.end];
    const own = all.filter((sentence) => sentence.start < end && start < sentence.end);
    const [first, last] = [own[0], own.at(-1)];
    if (!first || !last) return false;
    return (
      isBare(text.slice(first.start, start)) &&
      !hasWords(text.slice(end, last.end)) &&
      own.every(({ kind }) => kind !== "heading" && kind !== "code") &&
      !/[?？]["'”’)）」』]*\s*$/u.test(text.slice(start, last.end))
    );
  });
}

/** Word by word and amount by amount. Equal stems are not enough: "university" and "universal" have one. */
function isSame(claim: string, sentence: string): boolean {
  const [here, there] = [tokensOf(claim), tokensOf(sentence)];
  const written = (text: string, { start, end }: Span) => plain(text.slice(start, end));
  return (
    here.length === there.length &&
    !/[?？]/.test(sentence) &&
    here.every((token, i) => {
      const other = there[i];
      if (!other || token.key !== other.key) return false;
      return token.kind === "amount" || written(claim, token) === written(sentence, other);
    })
  );
}

/** Nothing, or the mark of a list entry. */
const isBare = (text: string) => !hasWords(text) || /^\s*\d{1,4}[.)、]\s*$/.test(text);

/** A table row read under its headings from its first cell on, or one of its cells. */
function readFromTable(claim: string, quotes: readonly string[]): Settlement | undefined {
  const rows = quotes
    .flatMap((quote) => sentences(quote).map(({ start, end }) => quote.slice(start, end)))
    .filter(isRow)
    .slice(0, MOST_ROWS);
  const leads = quotes.filter((quote) => /[:：]\s*$/.test(quote));
  for (const row of rows) {
    for (const head of rows) {
      if (head === row) continue;
      if (findQuote(readRow(head, row), claim)?.start === 0) return TABLE;
      const found = cellSays(claim, { head, row, leads });
      if (found?.verdict === "supported") return TABLE;
      if (found) return said("contradicted", `The table says ${found.cell}.`);
    }
  }
  return undefined;
}

const TABLE = said("supported", "The table says it, row and heading.");
/** Of a longer table the rows that are quoted are looked at. */
const MOST_ROWS = 40;
