import { readFileSync } from "node:fs";
import wordListPath from "word-list";
import { editDistance } from "../options.js";
import type { Misspelt } from "../types/answer.js";
import { languageOf } from "./language.js";
import { FUNCTION_WORDS } from "./lexicon.js";
import { memoize } from "./memoize.js";
import { LONGEST_QUESTION } from "./question-parts.js";
import { plain } from "./tokens.js";

/**
 * Finds the misspelt words of a question, in Latin letters, with the help of the texts that were found for it. A
 * misspelt word is in none of these texts and in no dictionary, and is read as the most frequent word of the texts
 * that is one typing error away (Damerau 1964). Ignores quoted text, codes, words of fewer than four letters, and
 * names: a name that differs by a letter may be another person's. Finds nothing in a text that is too long for a
 * question, or neither English nor Chinese.
 */
export function misspeltWords(question: string, texts: readonly string[]): Misspelt[] {
  if (question.length > LONGEST_QUESTION || languageOf(question) === "other") return [];
  const there = Map.groupBy(texts.flatMap(wordsOf), ({ key }) => key);
  const asked = question.match(WORD_OR_QUOTED)?.filter((found) => /^\p{L}/u.test(found));
  return [...new Set(asked)].flatMap((written) => {
    const key = plain(written);
    if (there.has(key) || FUNCTION_WORDS.en.has(key)) return [];
    if (isCapital(written) && !question.trimStart().startsWith(written)) return [];
    const [read] = [...there]
      .filter(([other]) => isOneError(key, other))
      .sort(([, a], [, b]) => b.length - a.length)
      .flatMap(
        ([other, words]) => words.find(({ written }) => !isCapital(written))?.written ?? commonWord(other, words),
      );
    return read && !isWord(key) ? [{ written, read }] : [];
  });
}

/**
 * Returns the word, in small letters, if the texts have it only at the beginning of sentences, where any word has a
 * capital, and the dictionary has it, unlike a name.
 */
const commonWord = (key: string, words: ReturnType<typeof wordsOf>) =>
  words.every(({ isFirst }) => isFirst) && isEnglish(key) ? [words[0]?.written.toLowerCase() ?? key] : [];

const isOneError = (a: string, b: string) => Math.abs(a.length - b.length) <= 1 && editDistance(a, b) === 1;

/** Writes the misspelt words of a question as they were read. */
export const respelt = (question: string, misspelt: readonly Misspelt[]): string =>
  question.replace(WORD_OR_QUOTED, (found) => misspelt.find(({ written }) => written === found)?.read ?? found);

const isCapital = (word: string) => /^\p{Lu}/u.test(word);

/**
 * Latin words of four or more letters, without capitals inside, that are not part of a code, an address or a
 * contraction.
 */
const WORD =
  /(?<![\p{Script=Latin}\p{M}\p{N}_'’.@/+#&-])\p{Script=Latin}\p{Ll}{3,}(?![\p{Script=Latin}\p{M}\p{N}_@/+#&-]|\.[\p{L}\p{N}]|['’](?!s\b)\p{L})/gu;
const wordsOf = memoize((text) =>
  [...text.matchAll(WORD)].map(({ 0: written, index }) => ({
    written,
    key: plain(written),
    isFirst: isCapital(written) && FIRST.test(text.slice(Math.max(0, index - FAR), index)),
  })),
);

/** What is before the first word of a sentence, a line, an item, a cell or a heading. */
const FIRST = /(?:^|[\n|.!?。！？])[\s#>*•"“(\d.-]*$/u;
/** In characters. */
const FAR = 12;
const WORD_OR_QUOTED = new RegExp(`["“„«「『《\`][^"“”„«»「」『』《》\`]*["“”»」』》\`]|${WORD.source}`, "gu");

/**
 * True for a word of an English dictionary, in any of its forms, and for a name or another word that is common enough to
 * be in the vocabulary of the encoder's tokenizer: "paris" is no misspelt "pairs".
 */
const isWord = (key: string) => isEnglish(key) || vocabulary().includes(`"▁${key}"`);

/** True for a word of an English dictionary, which has no names. */
const isEnglish = (key: string) => dictionary().includes(`\n${key}\n`);

/** The dictionary, one word a line, in small letters. */
const dictionary = once(() => readFileSync(wordListPath, "utf8"));

/** The tokenizer's file, searched without parsing it. */
const vocabulary = once(() =>
  readFileSync(new URL("../../model/tokenizer.json", import.meta.url), "utf8").toLowerCase(),
);

/** Reads a file when it is first needed. */
function once(read: () => string): () => string {
  let text: string | undefined;
  return () => (text ??= read());
}
