import { stemmer } from "stemmer";
import { languageOf } from "./language.js";
import { among, FUNCTION_WORDS, PERSONS, POINTERS, QUESTION_WORDS } from "./lexicon.js";
import { memoize } from "./memoize.js";
import { simplified } from "./simplified.js";

/**
 * Cuts a text into index terms, in order and with repeats: stemmed English words, numbers, identifiers whole and in
 * parts ("iso-27001", "iso", "27001"), and scripts written without spaces, such as Chinese, as overlapping pairs of
 * characters; a lone character is a term. A word is cut in the same way whatever the language of its text.
 */
export const terms: (text: string) => readonly string[] = memoize((text) =>
  pieces(text).flatMap((piece) => (piece.run ? pairs(piece.text) : wordTerms(piece.text))),
);

/** The same without English and Chinese function words: articles, auxiliaries, question words, 的了吗呢. */
export const contentTerms: (text: string) => readonly string[] = memoize((text) => {
  // English and Chinese function words may be content words elsewhere: French "or" is gold.
  if (languageOf(text) === "other") return terms(text);
  return pieces(text).flatMap((piece) =>
    piece.run ? contentRuns(piece.text).flatMap(pairs) : FUNCTION_WORDS.en.has(piece.text) ? [] : wordTerms(piece.text),
  );
});

/** True if there is at least one letter or digit. */
export const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

/** Normalises a text for comparison: width, case, accents, apostrophes and traditional characters. */
export const plain = (text: string): string => simplified(plainAsWritten(text));

/** The same, but traditional characters stay: for look-ups in a store that keeps them. */
export function plainAsWritten(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase().replaceAll("`", "'");
  return text
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .replace(/[’‘ʼ`]/g, "'");
}

const ASCII = /^[\0-\x7f]*$/;

/** Normalises a text to words between single spaces, without punctuation. */
export const plainWithoutMarks = (text: string): string =>
  plain(text)
    .replace(/[\s\p{P}]+/gu, " ")
    .trim();

/** Segments a run of Han characters into words, by the runtime's dictionary. */
export function chineseWords(run: string): string[] {
  segmenter ??= new Intl.Segmenter("zh", { granularity: "word" });
  return [...segmenter.segment(run)].map(({ segment }) => segment);
}

/** Loads the dictionary, so not before it is used. */
let segmenter: Intl.Segmenter | undefined;

/** Scripts written without spaces or, like Korean, with attached endings; part of a regular expression. */
export const RUN =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";
const WORD = `(?![${RUN}])[\\p{L}\\p{N}\\p{M}]`;

const PIECE = new RegExp(
  `(?<run>[${RUN}]+)|(?<![\\p{L}\\p{N}_.+-])[\\p{L}\\p{N}_.+-]{1,64}@[\\p{L}\\p{N}-]+(?:\\.[\\p{L}\\p{N}-]+)+|\\p{N}{1,3}(?:,\\p{N}{3})+(?:\\.\\p{N}+)?|(?:${WORD})+(?:[-._/:'&+#](?:${WORD})+)*`,
  "gu",
);

const pieces = (text: string) =>
  [...plain(text).matchAll(PIECE)].map((match) => ({ text: match[0], run: match.groups?.run !== undefined }));

function pairs(run: string): string[] {
  const characters = [...run];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, i) => `${characters[i]}${character}`);
}

function wordTerms(word: string): string[] {
  if (/^[\p{N},.]+$/u.test(word)) return [word.replaceAll(",", "")];
  const bare = word.replace(/(?:n't|'(?:ll|ve|re|d|m|s)?)$/, "").replace(ELISION, "");
  if (/^[\p{L}\p{M}']+$/u.test(bare)) return [stem(bare.replaceAll("'", ""))];
  const parts = bare.match(/\p{L}[\p{L}\p{M}]*|\p{N}+(?:\.\p{N}+)*/gu) ?? [];
  const whole = /[\p{N}@._/:&+#]/u.test(bare) ? [bare] : [];
  return [...whole, ...parts.filter((part) => part !== bare && !/^\p{L}$/u.test(part)).map(stem)];
}

/** Matches the article or preposition of "l'école", "d'eau", "dell'acqua"; not of "o'clock". */
const ELISION = /^(?!o')(?:\p{L}|qu|un|\p{L}{1,4}ll)'(?=\p{L}{2})/u;

const stem = (word: string) => (/^[a-z]+$/.test(word) ? stemmer(word) : word);

/** Returns the runs of Chinese between function words. */
const contentRuns = (run: string): string[] =>
  chineseWords(run)
    .map((word, i, words) => (isFunctionWord(word, words[i - 1], words[i + 1]) ? " " : word))
    .join("")
    .split(" ")
    .filter((part) => part !== "");

/** The dictionary makes one word of 它 and 是, and two of 怎么样. */
const isFunctionWord = (word: string, before = "", behind = "") =>
  [word, before + word, word + behind].some((one) => FUNCTION_WORDS.zh.has(one)) || RUN_TOGETHER.test(word);

/** A pronoun or a question word followed by function words. Other function words may form a content word: 时 and 间. */
const RUN_TOGETHER = new RegExp(
  `^(?:${among(`${PERSONS.zh} ${POINTERS.zh} ${QUESTION_WORDS.zh}`)})(?:${[...FUNCTION_WORDS.zh].join("|")})+$`,
  "u",
);

/** Returns the words of a text as written, without the punctuation around them, each once. */
export function wordsAsWritten(text: string): string[] {
  const runs = text.match(/\p{Script=Han}+|[^\s\p{Script=Han}]+/gu) ?? [];
  const words = runs.flatMap((run) =>
    /\p{Script=Han}/u.test(run) ? chineseWords(run) : [run.replace(/^[^\p{L}\p{N}$€£¥]+|[^\p{L}\p{N}%]+$/gu, "")],
  );
  return [...new Set(words)];
}
