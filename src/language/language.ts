import type { Language } from "../types/evidence.js";

/**
 * Tells the language of a text: "zh" or "en".
 * A Han character says about as much as half an English word, so that English names and code in Chinese change nothing.
 */
export function languageOf(text: string): Language {
  const han = text.match(HAN)?.length ?? 0;
  if (han === 0) return "en";
  const words = text.match(LATIN_WORD)?.length ?? 0;
  return han >= words * HAN_PER_WORD ? "zh" : "en";
}

/** Chinese about software has two or three characters for each Latin word, English with a Chinese name far fewer. */
const HAN_PER_WORD = 0.7;

const HAN = /\p{Script=Han}/gu;
const LATIN_WORD = /\p{Script=Latin}+(?:[-_.'’/@\p{N}]+\p{Script=Latin}+)*/gu;
