import { stemmer } from "stemmer";
import { CHINESE_FUNCTION_WORDS, ENGLISH_FUNCTION_WORDS } from "./function-words.js";
import { simplified } from "./simplified.js";

/**
 * The terms a text is found by, in order and with repeats: English words stemmed, numbers, identifiers whole and in
 * parts ("iso-27001", "iso", "27001"), Chinese as overlapping pairs of characters, single where a character stands alone.
 */
export function terms(text: string): string[] {
  return pieces(text).flatMap((piece) => (piece.han ? pairs(piece.text) : wordTerms(piece.text)));
}

/** The same without words that carry no meaning of their own: articles, auxiliaries, question words, 的了吗呢. */
export function contentTerms(text: string): string[] {
  return pieces(text).flatMap((piece) =>
    piece.han
      ? contentRuns(piece.text).flatMap(pairs)
      : ENGLISH_FUNCTION_WORDS.has(piece.text)
        ? []
        : wordTerms(piece.text),
  );
}

/** Whether there is anything to search for: at least one letter or digit. */
export function hasWords(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/** One spelling for all that means the same: full and half width, case, accents, apostrophes, traditional characters. */
export const plain = (text: string): string => simplified(plainAsWritten(text));

/** The same but for traditional characters, which stay: for what is looked up in a store that keeps them. */
export function plainAsWritten(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .replace(/[’‘ʼ`]/g, "'");
}

/** The Chinese words of a run of Han characters, by the dictionary that comes with the runtime. */
export function chineseWords(run: string): string[] {
  return [...SEGMENTER.segment(run)].map(({ segment }) => segment);
}

const SEGMENTER = new Intl.Segmenter("zh", { granularity: "word" });

const PIECE =
  /(?<han>\p{Script=Han}+)|(?<![\p{L}\p{N}_.+-])[\p{L}\p{N}_.+-]{1,64}@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+|\p{N}{1,3}(?:,\p{N}{3})+(?:\.\p{N}+)?|(?:(?!\p{Script=Han})[\p{L}\p{N}\p{M}])+(?:[-._/:'&+#](?:(?!\p{Script=Han})[\p{L}\p{N}\p{M}])+)*/gu;

const pieces = (text: string) =>
  [...plain(text).matchAll(PIECE)].map((match) => ({ text: match[0], han: match.groups?.han !== undefined }));

function pairs(run: string): string[] {
  const characters = [...run];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, i) => `${characters[i]}${character}`);
}

function wordTerms(word: string): string[] {
  if (/^[\p{N},.]+$/u.test(word)) return [word.replaceAll(",", "")];
  const bare = word.replace(/(?:n't|'(?:ll|ve|re|d|m|s)?)$/, "");
  if (/^[\p{L}\p{M}']+$/u.test(bare)) return [stem(bare.replaceAll("'", ""))];
  const parts = bare.match(/\p{L}[\p{L}\p{M}]*|\p{N}+(?:\.\p{N}+)*/gu) ?? [];
  const whole = /[\p{N}@._/:&+#]/u.test(bare) ? [bare] : [];
  return [...whole, ...parts.filter((part) => part !== bare && !/^\p{L}$/u.test(part)).map(stem)];
}

const stem = (word: string) => (/^[a-z]+$/.test(word) ? stemmer(word) : word);

/** Runs of Chinese between function words. */
function contentRuns(run: string): string[] {
  const runs: string[] = [];
  let current = "";
  for (const word of chineseWords(run)) {
    if (CHINESE_FUNCTION_WORDS.has(word)) {
      runs.push(current);
      current = "";
    } else current += word;
  }
  return [...runs, current].filter((part) => part !== "");
}

/** The words of a text that carry meaning, each once, as they are written. */
export function contentWords(text: string): string[] {
  const runs = text.match(/\p{Script=Han}+|[^\s\p{Script=Han}]+/gu) ?? [];
  const words = runs.flatMap((run) =>
    /\p{Script=Han}/u.test(run) ? chineseWords(run) : [run.replace(/^[^\p{L}\p{N}$€£¥]+|[^\p{L}\p{N}%]+$/gu, "")],
  );
  return [...new Set(words.filter((word) => contentTerms(word).length > 0))];
}
