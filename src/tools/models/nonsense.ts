import { names } from "../../checking/facts/names.js";
import { AUXILIARIES, anyOf, QUESTION_WORDS } from "../../text/lexicon.js";
import { contentTerms } from "../../text/tokens.js";
import type { Language } from "../../types/evidence.js";

/**
 * True for what asks nothing: one word or character over and over, or words without a question around them of which no text
 * that was found for them has one ("asdf", "ok"). False in languages without word lists.
 */
export function isNonsense(question: string, language: Language, texts: readonly string[]): boolean {
  if (language === "other") return false;
  const all = contentTerms(question);
  const asked = new Set(all);
  if (asked.size === 0 || (asked.size === 1 && (all.length > 1 || REPEATED.test(all[0] ?? "")))) return true;
  // "When's payday?" asks, whatever a payday is; so does a name.
  if (ASKING.test(question) || names(question).length > 0) return false;
  return asked.isDisjointFrom(new Set(texts.flatMap(contentTerms)));
}

const REPEATED = /^(.)\1+$/u;
const ASKING = anyOf({ en: `${QUESTION_WORDS.en} ${AUXILIARIES}`, zh: `${QUESTION_WORDS.zh} 几 哪 多` });
