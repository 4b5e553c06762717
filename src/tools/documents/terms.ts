import { FUNCTION_WORDS } from "../../text/lexicon.js";
import { contentTerms, plain, terms } from "../../text/tokens.js";
import type { Passage } from "../../types/evidence.js";

/**
 * Returns the index terms of a passage: the terms of its title, section and text in order, then each Chinese character
 * alone, so that a one-character word is also found inside longer words.
 */
export function passageTerms(passage: PassageText): string[] {
  const whole = passageText(passage);
  return [...terms(whole), ...characters(plain(whole))];
}

/** Returns the text of a passage that is analysed and embedded for search. */
export const passageText = ({ title, section, text }: PassageText) =>
  [title, section, text].filter((part) => part !== "").join("\n");

type PassageText = Pick<Passage, "title" | "section" | "text">;

/** Returns the distinct terms to search for: content words, or all words if there are none. */
export function queryTerms(text: string): string[] {
  const isContent = (one: string) => !FUNCTION_WORDS.zh.has(plain(one));
  const content = [...contentTerms(text), ...characters(plain(text)).filter(isContent)];
  const wanted = content.length > 0 ? content : [...terms(text), ...characters(plain(text))];
  return [...new Set(wanted)].slice(0, MAX_QUERY_TERMS);
}

/** In terms: about a page of text. More would take time and find little else. */
export const MAX_QUERY_TERMS = 256;

const characters = (text: string) => text.match(/\p{Script=Han}/gu) ?? [];
