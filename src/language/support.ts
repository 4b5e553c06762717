import type { Span } from "../types/evidence.js";
import { type Fault, faultOf } from "./faults.js";
import { findQuote } from "./quotes.js";
import { sentences } from "./sentences.js";
import { cellSays, isRow, readRow } from "./tables.js";
import { hasWords, plain } from "./tokens.js";
import { wordsOf } from "./words.js";

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
  const whole = quotes.flatMap((quote) => sentences(quote).map(({ start, end }) => quote.slice(start, end)));
  if (parts.length === 1 && whole.some((sentence) => isSame(claim, sentence)))
    return said("supported", "The source says it word for word, amounts written otherwise.");
  const faults = parts.flatMap(({ start, end }): Fault[] => {
    const part = claim.slice(start, end);
    const fault = quotes.some((quote) => findQuote(quote, part)) ? undefined : faultOf(part, quotes);
    return fault
      ? [{ ...fault, wrong: fault.wrong.map((at) => ({ start: at.start + start, end: at.end + start })) }]
      : [];
  });
  return faults.find(({ verdict }) => verdict === "contradicted") ?? faults[0] ?? DOUBTFUL;
}

const MOST_SENTENCES = 12;

const said = (verdict: Settlement["verdict"], reason: string): Settlement => ({ verdict, reason, wrong: [] });
const DOUBTFUL = said("doubtful", "No source says it word for word.");

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
  const [here, there] = [wordsOf(claim), wordsOf(sentence)];
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
