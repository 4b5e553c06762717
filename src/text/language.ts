import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { Language } from "../types/language.js";
import { memoize } from "./memoize.js";

/**
 * Detects the language of a text. In doubt it is English: of 1,441 English questions, none is taken for another
 * language; of 7,165 questions in six other languages of Latin script, 98 % are recognised as "other" (XQuAD, PIAF,
 * SQuAD 2.0; `LEAST_WORDS` and `FAR_AHEAD` were set on them).
 */
export const languageOf = (text: string): Language => read(text).language;

/** Returns the English name of the language of a text: "German". Undefined if it is not known. */
export function languageName(text: string): string | undefined {
  const { language, code } = read(text);
  if (code === undefined && language === "other") return undefined;
  return new Intl.DisplayNames("en", { type: "language" }).of(code ?? language);
}

/** Returns the language of emend's own words for a reader of this language. They exist in English and Chinese. */
export const ownLanguage = (language: Language): "en" | "zh" => (language === "zh" ? "zh" : "en");

const read = memoize((text): { language: Language; code?: string | undefined } => {
  const words = text.match(LATIN_WORD) ?? [];
  const [han = 0, kana = 0, letters = 0] = [HAN, KANA, OTHER_LETTER].map((script) => text.match(script)?.length);
  // English and Chinese may name a thing in another script.
  const isJapanese = kana > KANA_PER_HAN * han && han + kana >= KANA_PER_WORD * words.length;
  if (isJapanese || letters > han + LETTERS_PER_WORD * words.length) return { language: "other", code: detected(text) };
  // A Han character says about as much as half an English word, so that English names and code change nothing.
  if (han > 0) return { language: han >= words.length * HAN_PER_WORD ? "zh" : "en" };
  // Names and codes alone do not show a language.
  const telling = words.filter((word) => /\p{Ll}/u.test(word));
  const isTold = telling.length >= LEAST_WORDS && telling.some((word) => /^\p{Ll}{2}/u.test(word));
  const code = isTold ? detected(text) : undefined;
  return code === undefined || code === "en" ? { language: "en" } : { language: "other", code };
});

/**
 * Loaded on first use: its table takes a fifth of a second and 50 MB, and most texts do not need it. Loaded by
 * `require`, since callers are synchronous, and by its path, since its package exports it only to `import`.
 */
let detector: typeof import("eld/extrasmall").default | undefined;
const load = () => createRequire(import.meta.url)(fileURLToPath(import.meta.resolve("eld/extrasmall"))).default;
/** Never called: file tracing (Next.js, Vercel) finds the package by it. */
load.traced = () => import("eld/extrasmall");

/** Detects a language by groups of letters. Returns undefined if English is nearly as likely. */
function detected(text: string): string | undefined {
  detector ??= load() as NonNullable<typeof detector>;
  const result = detector.detect(text.slice(0, ENOUGH));
  const scores = result.getScores();
  const ahead = (scores[result.language] ?? 0) - (scores.en ?? 0);
  return ahead >= FAR_AHEAD && result.isReliable() ? result.language : undefined;
}

/** In characters. Detection takes a tenth of a millisecond for that many. */
const ENOUGH = 500;
const LEAST_WORDS = 3;
/** On the detector's scale of 0 to 1. */
const FAR_AHEAD = 0.1;
/** Chinese about software has two or three characters for each Latin word, English with a Chinese name far fewer. */
const HAN_PER_WORD = 0.7;
/** Half of Japanese is kana. */
const KANA_PER_HAN = 0.2;
const KANA_PER_WORD = 1.2;
const LETTERS_PER_WORD = 5;

const HAN = /\p{Script=Han}/gu;
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/gu;
const OTHER_LETTER =
  /(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Latin}\p{Script=Common}])\p{L}/gu;
const LATIN_WORD = /\p{Script=Latin}+(?:[-_.'’/@\p{N}]+\p{Script=Latin}+)*/gu;
