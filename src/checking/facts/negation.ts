import { languageOf } from "../../text/language.js";
import { among, anyOf, DENIALS, NO_DENIALS } from "../../text/lexicon.js";
import { chineseWords, contentTerms, plain } from "../../text/tokens.js";

/** Counts the negations of an English or Chinese text: "not", "never", "without", 不, 没有, 并非. In any other it is 0. */
export const negations = (text: string): number =>
  languageOf(text) === "other" ? 0 : (plain(text).replace(HARMLESS, " ").match(DENIAL)?.length ?? 0);

/**
 * Finds what a text denies: for each negation the first two content terms behind it in its clause. "The plant does not
 * run night shifts" denies run and night.
 */
export function denied(text: string): string[][] {
  const folded = plain(text).replace(HARMLESS, (word) => " ".repeat(word.length));
  return [...folded.matchAll(DENIAL)]
    .map(({ index, 0: denial }) => folded.slice(index + denial.length, index + denial.length + FAR))
    .map((rest) => (rest.length < FAR ? rest : rest.replace(CUT, "")).split(/[.,;:()，。；：！？]/u, 1)[0] ?? "")
    .map((clause) => chineseWords(clause).values().flatMap(contentTerms).filter(isWord).take(2).toArray())
    .filter((terms) => terms.length > 0);
}

/** In characters: two terms stand much nearer, and a text full of denials costs no more than its length. */
const FAR = 60;
/** A word or a pair of surrogates that may go on. */
const CUT = /(?:[a-z]+|[\ud800-\udbff])$/;

const isWord = (term: string) => !/^\p{Script=Han}$/u.test(term);

const DENIAL = anyOf(DENIALS, "g");
const HARMLESS = new RegExp(among(NO_DENIALS), "gu");
