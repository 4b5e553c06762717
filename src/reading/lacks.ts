import { chineseNames, unlistedWords } from "../facts/chinese-names.js";
import { mentions, names } from "../facts/names.js";
import { quantities } from "../facts/numbers.js";
import { mayTellOf } from "../facts/stated.js";
import { languageOf } from "../text/language.js";
import { coverage } from "../text/similarity.js";
import { contentTerms, terms } from "../text/tokens.js";
import type { Evidence } from "../types/evidence.js";
import { isDay } from "./lacks-kind.js";

/**
 * Returns the shares of the question's names and amounts that a piece lacks, and whether its language differs (0 or 1).
 */
export function lacks(question: string, piece: Evidence) {
  const all = whole(piece);
  const other = languageOf(question) === piece.language ? 0 : 1;
  const named = [...names(question), ...chineseNames(question).map(({ name }) => name)];
  const lacked = [
    ...named.map((name) => (!mentions(all, name) && !(isDay(name) && isDay(all)) ? 1 : 0)),
    // Some are two words, so what counts is how many of their pairs of characters are missing.
    ...unlistedWords(question).map((word) => 1 - coverage(terms(word), new Set(terms(all)))),
  ];
  return {
    // A name may be spelt differently in another language.
    names: (1 - 0.6 * other) * mean(lacked),
    amounts: mean(quantities(question).map((amount) => (mayTellOf(amount, all) ? 0 : 1))),
    language: other,
  };
}

export const whole = ({ title, section, text }: Evidence) => `${title} ${section}\n${text}`;

const mean = (values: readonly number[]) =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Returns the share of the words that answer a question, without those of the question, that a text has: 0 to 1;
 * undefined if no words are left.
 */
export function answerShare(words: string, text: string, question: string): number | undefined {
  const asked = new Set(contentTerms(question));
  const answer = contentTerms(words).filter((term) => !asked.has(term));
  return answer.length === 0 ? undefined : coverage(answer, new Set(contentTerms(text)));
}
