import type { Span } from "../types/evidence.js";
import { FUNCTION_WORDS } from "./lexicon.js";
import { digitsOf, quantities } from "./numbers.js";
import { remembered } from "./remembered.js";
import { contentTerms, plain } from "./tokens.js";

/** A word, a Chinese character or a whole amount; equal words have equal keys. */
export interface Word extends Span {
  key: string;
  kind: "amount" | "han" | "word";
}

/** Returns the words of one sentence. Amounts that are written differently have equal keys, and so have words with one stem. */
export const wordsOf: (text: string) => readonly Word[] = remembered(readWords);

function readWords(text: string): Word[] {
  const amounts = quantities(text).map(({ text: written, key, start, end }): Word => {
    // Bare digits are equal whether they were read as a year or as a count.
    return { key: digitsOf(written) ?? key.replace(/^number:/, ""), start, end, kind: "amount" };
  });
  const found: Word[] = [];
  let next = 0;
  for (const { 0: piece, index: start } of text.matchAll(PIECE)) {
    const end = start + piece.length;
    while ((amounts[next]?.end ?? end) <= start) next += 1;
    const amount = amounts[next];
    const isHan = /^\p{Script=Han}/u.test(piece);
    if (!amount || amount.start >= end)
      found.push({ key: isHan ? piece : keyOf(piece), start, end, kind: isHan ? "han" : "word" });
    else if (found.at(-1) !== amount) found.push(amount);
  }
  return found;
}

const PIECE =
  /\p{Script=Han}|(?:(?!\p{Script=Han})[\p{L}\p{M}\p{N}])+(?:[-'’.](?:(?!\p{Script=Han})[\p{L}\p{M}\p{N}])+)*/gu;

function keyOf(piece: string): string {
  const word = plain(piece);
  const bare = word.replace(/'s?$/, "");
  return FUNCTION_WORDS.en.has(word) ? word : contentTerms(bare).join("-") || bare;
}
