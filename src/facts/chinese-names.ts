import { languageOf } from "../text/language.js";
import { among, FUNCTION_WORDS, NAME_ENDINGS, NO_NAMES, PLACES, SURNAMES, TRANSLITERATION } from "../text/lexicon.js";
import { chineseWords } from "../text/tokens.js";
import type { Span } from "../types/evidence.js";

/**
 * Finds the Chinese names that can be recognised by their form: with a dot (列奥纳多·达·芬奇), in the characters of
 * transliteration (华盛顿), with the ending of a place or an organisation (杭州市, 清华大学), a country or large city, or a
 * surname with a given name that is in no dictionary (谭望嵩). Finds none in Japanese. Sorted by start; they may overlap.
 */
export function chineseNames(text: string): (Span & { name: string })[] {
  const found: (Span & { name: string })[] = [];
  if (languageOf(text) === "other") return found;
  for (const match of text.matchAll(WRITTEN)) {
    const [name, start] = [match[0], match.index];
    if (/[·・]/.test(name) || KNOWN.test(name) || new Set(name).size > 2)
      found.push({ name, start, end: start + name.length });
  }
  for (const run of text.matchAll(HAN)) found.push(...inRun(run[0], run.index));
  return found.toSorted((a, b) => a.start - b.start);
}

/**
 * Finds the Chinese words of three or more characters that are in no dictionary: names that nothing else shows, of plants,
 * products and the like (黄鳍紫鱼), and now and then two words. Finds none in Japanese.
 */
export function unlistedWords(text: string): string[] {
  if (languageOf(text) === "other") return [];
  return [...text.matchAll(HAN)]
    .flatMap(([run]) => unlistedIn(chineseWords(run)).map(([word]) => word))
    .filter((word) => word.length >= 3);
}

function inRun(run: string, offset: number) {
  const found: (Span & { name: string })[] = [];
  const add = (start: number, name: string) =>
    found.push({ name, start: offset + start, end: offset + start + name.length });
  const words = chineseWords(run);
  for (const { 0: word, index } of unlistedIn(words))
    if (word.length >= 2 && word.length <= 3 && SURNAME.test(word)) add(index, word);
  let at = 0;
  for (const word of words) {
    if (word.length >= 3 && ENDED.test(word) && !COMMON.test(word)) add(at, word);
    at += word.length;
  }
  return found;
}

/** Finds the neighbouring characters that the dictionary does not join to words, without function words. */
const unlistedIn = (words: readonly string[]) => [
  ...words
    .map((word) => (word.length === 1 && !FUNCTION_WORDS.zh.has(word) ? word : " ".repeat(word.length)))
    .join("")
    .matchAll(/\S+/g),
];

const HAN = /\p{Script=Han}{1,400}/gu;
const KNOWN = new RegExp(`^(?:${among(PLACES)})$`);
const SPELLED = `[${TRANSLITERATION}]`;
const WRITTEN = new RegExp(`${SPELLED}{1,8}(?:[·・]${SPELLED}{1,8}){1,4}|${among(PLACES)}|${SPELLED}{3,8}`, "gu");
const ENDED = new RegExp(`(?:${among(NAME_ENDINGS)})$`, "u");
const COMMON = new RegExp(`^(?:${among(NO_NAMES)})$`, "u");
export const SURNAME = new RegExp(`^[${SURNAMES}]`, "u");
