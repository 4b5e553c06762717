import { negations } from "../facts/negation.js";
import { absentFrom } from "../reading/missing.js";
import { languageOf } from "../text/language.js";
import { chineseWords, hasWords, plainWithoutMarks, terms } from "../text/tokens.js";

/**
 * True if a rewritten query may replace the original: one line of about the same length, in the same language, with
 * every name, amount and negation kept. An essay, an answer or a translation fails.
 */
export function acceptableRewrite(original: string, rewritten: string): boolean {
  return (
    hasWords(rewritten) &&
    !/[\r\n]/.test(rewritten.trim()) &&
    length(rewritten) <= Math.max(LONGER * length(original), length(original) + MORE_WORDS) &&
    languageOf(rewritten) === languageOf(original) &&
    absentFrom(original, rewritten).length === 0 &&
    negations(original) > 0 === negations(rewritten) > 0
  );
}

/** True if two queries differ only in case, width, punctuation and white space. */
export const sameQuery = (a: string, b: string) => plainWithoutMarks(a) === plainWithoutMarks(b);

const LONGER = 1.5;
const MORE_WORDS = 8;

/** Counts words; Chinese is segmented by the dictionary. */
const length = (text: string) =>
  (text.match(/\p{Script=Han}+/gu) ?? []).flatMap(chineseWords).length +
  terms(text.replace(/\p{Script=Han}+/gu, " ")).length;
