import { FUNCTION_WORDS } from "../text/lexicon.js";
import { withoutMarkup } from "../text/markup.js";
import { memoize } from "../text/memoize.js";
import { simplified } from "../text/simplified.js";
import { contentTerms, plain } from "../text/tokens.js";
import type { Span } from "../types/evidence.js";
import { digitsOf, quantities } from "./numbers.js";

/** A word, a Chinese character or a whole amount; equal words have equal keys. */
export interface Word extends Span {
  key: string;
  kind: "amount" | "han" | "word";
}

/**
 * Returns the words of one sentence. Equal amounts that are written differently have equal keys, and so do words with
 * the same stem.
 */
export const wordsOf: (text: string) => readonly Word[] = memoize(readWords);

function readWords(text: string): Word[] {
  const amounts = quantities(text).map(({ text: written, key, start, end }): Word => {
    // Bare digits are equal whether they were read as a year or as a count. 3.10 and 3.1 may be versions.
    const isDecimal = /^\d+\.\d+$/.test(written);
    const bare = isDecimal ? written : digitsOf(written);
    return { key: bare ?? key.replace(/^number:/, ""), start, end, kind: "amount" };
  });
  const found: Word[] = [];
  let from = 0;
  for (const amount of [...amounts, undefined]) {
    // Text joined to an amount is a separate word: the A of "5A", the 10 of "8-10".
    for (const { 0: piece, index } of text.slice(from, amount?.start).matchAll(PIECE)) {
      const start = from + index;
      const isHan = /^\p{Script=Han}/u.test(piece);
      const key = isHan ? simplified(piece) : keyOf(piece);
      found.push({ key, start, end: start + piece.length, kind: isHan ? "han" : "word" });
    }
    if (amount) found.push(amount);
    from = amount?.end ?? text.length;
  }
  return found;
}

/**
 * Returns the signs of a text, in order: ✓, →, ≥, €, the # of "C#", the ″ of 5″ and the last minus of "A-", but not the
 * marks of Markdown. Texts with the same words may say the opposite by them.
 */
export const signs = (text: string): string =>
  withoutMarkup(text.replace(LINE_MARKS, "").replace(AUTOLINK, "$1")).normalize("NFKC").match(SIGN)?.join("") ?? "";

/** The same outside amounts, whose signs may be written as words: €5 and "5 euros". */
export const signsBesideAmounts = (text: string): string =>
  // A digit in its place keeps a link whose words are an amount a link.
  signs(quantities(text).reduceRight((rest, { start, end }) => `${rest.slice(0, start)}0${rest.slice(end)}`, text));

/** NFKC makes ″ of two ′. */
const SIGN = /!=|(?![|`~])[\p{S}#′]|-(?=[^\p{L}\p{N}]{0,20}$)/gu;
/** The mark of a heading or a list item, and of a quoted line but the first: a cell may be "> 5 dB". */
const LINE_MARKS = /^[ \t]*(?:#{1,6}|[+●○▪])(?=[ \t])|(?<=\n)[ \t]*(?:>[ \t]?)+/gmu;
const AUTOLINK = /<(https?:[^\s<>]+|[^\s<>@]+@[^\s<>@]+)>/gu;

const PIECE =
  /\p{Script=Han}|(?:(?!\p{Script=Han})[\p{L}\p{M}\p{N}])+(?:[-'’.](?:(?!\p{Script=Han})[\p{L}\p{M}\p{N}])+)*/gu;

function keyOf(piece: string): string {
  const word = plain(piece);
  const bare = word.replace(/'s?$/, "");
  return FUNCTION_WORDS.en.has(word) ? word : contentTerms(bare).join("-") || bare;
}
