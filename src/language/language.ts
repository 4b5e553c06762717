import type { Language } from "../types/evidence.js";

/**
 * The language of a text: "zh" where Han script carries it, else "en".
 * A Han character says about as much as half an English word, so English names and code inside Chinese do not flip it.
 */
export function languageOf(text: string): Language {
  const han = text.match(HAN)?.length ?? 0;
  if (han === 0) return "en";
  const words = text.match(LATIN_WORD)?.length ?? 0;
  return han >= words * HAN_PER_WORD ? "zh" : "en";
}

/** Chinese about software may hold one Latin word for every two or three characters; English citing a name has far fewer. */
const HAN_PER_WORD = 0.7;

const HAN = /\p{Script=Han}/gu;
const LATIN_WORD = /\p{Script=Latin}+(?:[-_.'’/@\p{N}]+\p{Script=Latin}+)*/gu;
