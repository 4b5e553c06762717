import type { Language } from "../types/evidence.js";
import { names } from "./names.js";
import { isInVocabulary } from "./spelling.js";
import { contentTerms, terms } from "./tokens.js";

/**
 * True for what asks nothing: one word or character over and over, or nothing but words that neither the vocabulary nor a text
 * found for it has. False in languages without word lists.
 */
export function isNonsense(question: string, language: Language, texts: readonly string[]): boolean {
  if (language === "other") return false;
  const all = contentTerms(question);
  const asked = new Set(all);
  if (asked.size === 0 || (asked.size === 1 && (all.length > 1 || REPEATED.test(all[0] ?? "")))) return true;
  // "When's payday?" asks, whatever a payday is.
  if (terms(question).length > all.length || names(question).length > 0) return false;
  if ([...asked].some((term) => KNOWN.test(term) || isInVocabulary(term))) return false;
  return asked.isDisjointFrom(new Set(texts.flatMap(contentTerms)));
}

const REPEATED = /^(.)\1+$/u;
/** A number, or in a script that the vocabulary does not cut into words. */
const KNOWN = /\p{N}|\p{Script=Han}/u;
