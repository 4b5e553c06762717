import { CHINESE_FUNCTION_WORDS } from "../../language/function-words.js";
import { contentTerms, plain, plainAsWritten, terms } from "../../language/tokens.js";
import type { Passage } from "../../types/evidence.js";

/**
 * The terms a passage is found by: those of its title, section and text in order, then every Chinese character on its
 * own, so that a word of one character is found inside longer ones.
 */
export function passageTerms(passage: Pick<Passage, "title" | "section" | "text">): string[] {
  const whole = passageText(passage);
  return [...terms(whole), ...characters(plain(whole))];
}

/** What stands for a passage where it is read whole, as by a model that embeds it. */
export const passageText = ({ title, section, text }: Pick<Passage, "title" | "section" | "text">) =>
  [title, section, text].filter((part) => part !== "").join("\n");

/**
 * What to look for, each term once: the words that carry meaning, or all of them where none does. Traditional characters
 * as they are written too: a store that was filled before they were taken for the simplified ones still finds them.
 */
export function queryTerms(text: string): string[] {
  const isTelling = (one: string) => !CHINESE_FUNCTION_WORDS.has(plain(one));
  const asWritten = characters(plainAsWritten(text)).filter((one) => plain(one) !== one && isTelling(one));
  const telling = [...contentTerms(text), ...characters(plain(text)).filter(isTelling), ...asWritten];
  const wanted = telling.length > 0 ? telling : [...terms(text), ...characters(plain(text))];
  return [...new Set(wanted)].slice(0, QUERY_TERMS);
}

/** Enough for a page of text. What follows would cost time and tell little more. */
const QUERY_TERMS = 256;

const characters = (text: string) => text.match(/\p{Script=Han}/gu) ?? [];
