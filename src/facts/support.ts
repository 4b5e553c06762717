import { blocks } from "../text/blocks.js";
import { inForce } from "../text/marks.js";
import { plainWords, wordsAndCode } from "../text/markup.js";
import { introduces, outlineOf } from "../text/outline.js";
import { findQuote } from "../text/quotes.js";
import { overlap } from "../text/spans.js";
import { readRow } from "../text/tables.js";
import { hasWords, plain } from "../text/tokens.js";
import type { ClaimReason } from "../types/claim-reason.js";
import type { Span } from "../types/evidence.js";
import { type Mismatch, mismatchOf } from "./mismatches.js";
import { negations } from "./negation.js";
import { quantities } from "./numbers.js";
import { cellSays } from "./tables.js";
import { signs, signsBesideAmounts, wordsOf } from "./words.js";

interface Settlement {
  verdict: "supported" | "unsupported" | "contradicted" | "doubtful";
  reason: ClaimReason;
  /** The wrong words, as spans of the claim; empty if none can be named. */
  wrong: readonly Span[];
}

/**
 * Checks a claim against what its quotes state (`inForce`) by exact code alone. It is supported if it is whole
 * sentences of a quote, a row of a table under its headings, or an item of a list after its introduction. It is
 * unsupported or contradicted if it agrees with a sentence in all but an amount, a name, a denial, an opposite or an
 * order. Anything else is "doubtful": a judge has to decide whether other words mean the same.
 */
export function settle(written: string, quoted: readonly string[]): Settlement {
  const claim = inForce(written.replaceAll("☐", "[ ]"));
  const quotes = quoted.map(inForce);
  if (!hasWords(claim)) return settlement("unsupported", { code: "no_statement" });
  if (!quotes.some(hasWords)) return settlement("unsupported", { code: "no_source" });
  if (quotes.some((quote) => saysWhole(quote, claim) || saysItem(quote, claim))) return STATED;
  const units = quotes.flatMap(outlineOf);
  const rows = units.filter(({ kind }) => kind === "row").map(({ text }) => text);
  const table = readFromTable(claim, rows, quotes);
  if (table) return table;
  const whole = units.map(({ text }) => text);
  const parts = outlineOf(claim);
  if (parts.length > MOST_SENTENCES) return DOUBTFUL;
  const plainly = [...(parts.length === 1 ? whole : []), ...quotes].map(wordsAndCode);
  if (plainly.flatMap(withEnds).some((sentence) => isSame(untilEnd(claim), sentence))) return STATED;
  const mismatches = parts.flatMap(({ start, text: part }): Mismatch[] => {
    const mismatch = isWritten(part, whole) ? undefined : mismatchOf(part, quotes);
    const wrong = mismatch?.wrong.map((at) => ({ start: at.start + start, end: at.end + start })) ?? [];
    return mismatch ? [{ ...mismatch, wrong }] : [];
  });
  return mismatches.find(({ verdict }) => verdict === "contradicted") ?? mismatches[0] ?? DOUBTFUL;
}

/** A longer text is a page rather than a claim, and comparing it would take long. */
const MOST_SENTENCES = 12;

const settlement = (verdict: Settlement["verdict"], reason: ClaimReason): Settlement => ({
  verdict,
  reason,
  wrong: [],
});
const STATED = settlement("supported", { code: "stated" });
const DOUBTFUL = settlement("doubtful", { code: "not_verbatim" });

/** True if the claim is one or more whole sentences of the text. Headings, questions and code state nothing. */
function saysWhole(text: string, claim: string): boolean {
  if (!findQuote(text, claim)) return false;
  const all = outlineOf(text);
  // Lines of code that are quoted as they stand.
  const isCode = /^`[^`]+`$/.test(claim);
  return [{ start: 0, end: text.length }, ...all].some((part) => {
    const found = findQuote(text.slice(part.start, part.end), claim);
    if (!found) return false;
    const [start, end] = [part.start + found.start, part.start + found.end];
    const own = all.filter((sentence) => overlap(sentence, { start, end }));
    const [first, last] = [own[0], own.at(-1)];
    if (!first || !last) return false;
    return (
      amountsIn(text.slice(start, end)) === amountsIn(claim) &&
      signsIn(own.map((sentence) => sentence.text).join("\n")) === signsIn(claim) &&
      isBare(text.slice(first.start, start)) &&
      !hasWords(text.slice(end, last.end)) &&
      own.every(({ kind }) => kind !== "heading" && (kind !== "code" || isCode)) &&
      !/[?？]["'”’)）」』]*\s*$/u.test(text.slice(start, last.end))
    );
  });
}

/**
 * Quotes are found regardless of case and superscript, so amounts are compared too: 5 mW is not 5 MW, and 10⁶ is not
 * 106.
 */
const amountsIn = (text: string) =>
  quantities(text)
    .map(({ key }) => key)
    .join();

/**
 * Quotes are also found without the signs at their edges, so signs are compared too: "Pets: ✓" is not "Pets: ✗". They
 * are found whatever their dashes.
 */
const signsIn = (text: string) => signs(text.replaceAll("−", "-"));

/** True if the claim is the introduction of a list and whole sentences of one of its items. */
function saysItem(text: string, claim: string): boolean {
  const list = readList(text, claim);
  return list?.items.some((item) => saysWhole(item, list.rest)) ?? false;
}

/**
 * If the text is a list with the sentence that introduces it, and the claim begins with that sentence, returns the
 * items and the rest of the claim. Undefined for nested lists, whose items depend on several introductions.
 */
function readList(text: string, claim: string): { items: string[]; rest: string } | undefined {
  const [lead, ...below] = blocks(text);
  if (lead?.kind !== "prose" || below.some(({ kind }) => kind !== "item")) return undefined;
  const [led, words] = [plainWords(text.slice(lead.start, lead.end)), plainWords(claim)];
  const items = below.map(({ start, end }) => text.slice(start, end));
  if (!introduces(led) || !words.startsWith(led) || items.some(introduces)) return undefined;
  return { items, rest: words.slice(led.length).trim() };
}

/** Returns a sentence, and each of its ranges as one end: "open from 9 to 5" is "open from 9" and "open until 5". */
function withEnds(sentence: string): string[] {
  const found = quantities(sentence);
  return [
    untilEnd(sentence),
    ...found.flatMap((to, i) => {
      const from = found[i - 1];
      if (!from || from.kind !== to.kind || !BETWEEN.test(sentence.slice(from.end, to.start))) return [];
      const before = sentence.slice(0, from.start).replace(/(?:\bfrom|从|自)\s*$/i, "");
      const [isChinese, after] = [/\p{Script=Han}\s*$/u.test(before), sentence.slice(to.end)];
      return isChinese
        ? [`${before}从${from.text}${after}`, `${before}到${to.text}${after}`]
        : ["from", "to", "until"].map((word) => `${before}${word} ${(word === "from" ? from : to).text}${after}`);
    }),
  ];
}

const BETWEEN = /^\.?(?:\s*[-–—~～]\s*|\s*(?:to|until|till|起?[至到])\s*)$/i;
const untilEnd = (text: string) => text.replace(/\btill\b/gi, "until").replace(/直?至|直到/g, "到");

/** Compares word by word and amount by amount. Equal stems are not enough: "university" and "universal" share one. */
function isSame(claim: string, sentence: string): boolean {
  const [here, there] = [wordsOf(claim), wordsOf(sentence)];
  const written = (text: string, { start, end }: Span) => plain(text.slice(start, end));
  return (
    here.length === there.length &&
    !/[?？]/.test(sentence) &&
    signsBesideAmounts(claim) === signsBesideAmounts(sentence) &&
    here.every((token, i) => {
      const other = there[i];
      if (!other || token.key !== other.key) return false;
      return token.kind !== "word" || written(claim, token) === written(sentence, other);
    })
  );
}

/** True if a sentence has these words and no further negation. */
const isWritten = (part: string, whole: readonly string[]) =>
  whole.some((sentence) => findQuote(sentence, part) && negations(sentence) <= negations(part));

/** True for a text of marks only, the number of a list item, or the mark of an answer. */
const isBare = (text: string) =>
  !hasWords(text) || /^\s*(?:\d{1,4}[.)、]|(?:a|answer|答|答案|回答)\s*[:：])\s*$/iu.test(text);

/** Compares the claim with every row under every other one, since any row may be the head. */
function readFromTable(claim: string, all: readonly string[], quotes: readonly string[]): Settlement | undefined {
  const rows = all.slice(0, MOST_ROWS);
  const leads = quotes.filter(introduces);
  for (const row of rows) {
    for (const head of rows) {
      if (head === row) continue;
      if (saysRow(head, row, claim)) return STATED;
      const found = cellSays(claim, { head, row, leads });
      if (found === "supported") return STATED;
      if (found) return settlement("contradicted", { code: "says_otherwise", source: found.cell, claim: found.claim });
    }
  }
  return undefined;
}

/**
 * True if the claim is the first cells of a row, or all of them, under their headings. Each has to be whole: "no" is
 * not "no longer than 30 days".
 */
function saysRow(head: string, row: string, claim: string): boolean {
  const isAll = (text: string) => {
    const found = findQuote(text, claim);
    return (
      found?.start === 0 &&
      !hasWords(text.slice(found.end)) &&
      amountsIn(text) === amountsIn(claim) &&
      signsIn(text) === signsIn(claim)
    );
  };
  if (findQuote(readRow(head, row), claim)?.start !== 0) return false;
  const bars = [...row.matchAll(/(?<!\\)\|/g)];
  return [...bars.map(({ index }) => row.slice(0, index)), row].some((first) => isAll(readRow(head, first)));
}

/** The number of pairs of rows grows with the square. */
const MOST_ROWS = 40;
