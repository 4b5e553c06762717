import { languageOf } from "../text/language.js";
import { among, anyOf, DENIALS, NO_DENIALS } from "../text/lexicon.js";
import { chineseWords, contentTerms, plain } from "../text/tokens.js";

/**
 * Counts the negations of an English or Chinese text: "not", "never", "without", 不, 没有, 并非. Returns 0 for other
 * languages.
 */
export const negations = (text: string): number =>
  languageOf(text) === "other" ? 0 : (plain(text).replace(HARMLESS, " ").match(DENIAL)?.length ?? 0);

/**
 * Finds what a text denies: for each negation, the first two content terms after it in its clause. "The plant does not
 * run night shifts" denies run and night.
 */
export function denied(text: string): string[][] {
  const folded = plain(text).replace(HARMLESS, (word) => " ".repeat(word.length));
  return [...folded.matchAll(DENIAL)]
    .map(({ index, 0: denial }) => folded.slice(index + denial.length, index + denial.length + FAR))
    .map((rest) => (rest.length < FAR ? rest : rest.replace(CUT, "")).split(/[.,;:()，。；：！？]/u, 1)[0] ?? "")
    .map((clause) => {
      const words = chineseWords(clause).values().flatMap(contentTerms).filter(isWord).take(2).toArray();
      // The dictionary cuts 发纸质的 into single characters.
      return words.length > 0 ? words : contentTerms(clause).filter(isWord).slice(0, 2);
    })
    .filter((terms) => terms.length > 0);
}

/** Counts what `denied` finds, but 不……也不…… and "not … and not …" once, which deny one thing after the other. */
export const denials = (text: string): number => denied(text).length - (plain(text).match(COORDINATED)?.length ?? 0);

const COORDINATED = new RegExp(
  `[也亦又](?:${among(DENIALS.zh)})|\\b(?:and|or)\\s+(?:[a-z]+\\s+){0,3}?(?:${among(DENIALS.en)})\\b`,
  "g",
);

/**
 * In characters. Two terms are usually much closer, and the limit keeps the cost linear in a text full of negations.
 */
const FAR = 60;
/** A word or a surrogate pair that may be cut off. */
const CUT = /(?:[a-z]+|[\ud800-\udbff])$/;

const isWord = (term: string) => !/^\p{Script=Han}$/u.test(term);

const DENIAL = anyOf(DENIALS, "g");
const HARMLESS = new RegExp(among(NO_DENIALS), "gu");
