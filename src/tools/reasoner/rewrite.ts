import { languageOf } from "../../language/language.js";
import { mentions, names } from "../../language/names.js";
import { negations } from "../../language/negation.js";
import { quantities, stated } from "../../language/numbers.js";
import { chineseWords, hasWords, plain, terms } from "../../language/tokens.js";

/**
 * Whether a rewritten query may stand in for the original: one line of about the same length, in the same language,
 * with every name, amount and negation kept. An essay, an answer or a translation fails.
 */
export function acceptableRewrite(original: string, rewritten: string): boolean {
  return (
    hasWords(rewritten) &&
    !/[\r\n]/.test(rewritten.trim()) &&
    length(rewritten) <= Math.max(LONGER * length(original), length(original) + MORE_WORDS) &&
    languageOf(rewritten) === languageOf(original) &&
    names(original).every((name) => mentions(rewritten, name)) &&
    keepsAmounts(original, rewritten) &&
    negations(original) > 0 === negations(rewritten) > 0
  );
}

/** Whether two queries are the same to a search: but for case, width, punctuation and white space. */
export const sameQuery = (a: string, b: string) => folded(a) === folded(b);

const folded = (text: string) =>
  plain(text)
    .replace(/[\s\p{P}]+/gu, " ")
    .trim();

const LONGER = 1.5;
const MORE_WORDS = 8;

/** In words; Chinese as its dictionary cuts it. */
const length = (text: string) =>
  (text.match(/\p{Script=Han}+/gu) ?? []).flatMap(chineseWords).length +
  terms(text.replace(/\p{Script=Han}+/gu, " ")).length;

function keepsAmounts(original: string, rewritten: string): boolean {
  const kept = quantities(rewritten);
  return quantities(original).every((quantity) => stated(quantity, kept) !== "no");
}
