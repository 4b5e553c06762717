import type { Aliases } from "../../language/aliases.js";
import { languageOf, ownLanguage } from "../../language/language.js";
import { mentions, names } from "../../language/names.js";
import { quantities } from "../../language/numbers.js";
import { coverage } from "../../language/similarity.js";
import { stated } from "../../language/stated.js";
import { contentTerms, hasWords } from "../../language/tokens.js";
import type { Task } from "./port.js";

/** Describes, in the question's language, what the evidence lacks: names and amounts, or else the answer as a whole. */
export function missingFrom({ question, evidence, language }: Task, aliases: Aliases): string {
  if (evidence.every(({ text }) => !hasWords(text))) return WORDS[ownLanguage(language)].everything;
  const all = evidence.map(({ title, section, text }) => `${title} ${section}\n${text}`).join("\n");
  return stillOpen({ question, language }, all, aliases) || WORDS[ownLanguage(language)].together;
}

/** Describes the names and amounts of the question that a text lacks; empty where it has them all. */
export function stillOpen(
  { question, language }: Pick<Task, "question" | "language">,
  text: string,
  aliases: Aliases,
): string {
  const absent = absentFrom(aliases.inWordsOf(text, question), text).slice(0, 5);
  return absent.length > 0 ? WORDS[ownLanguage(language)].notFound(absent) : "";
}

/** Returns the names and amounts of a question that a text lacks, as the question writes them. */
export function absentFrom(question: string, text: string): string[] {
  const amounts = quantities(text);
  return [
    ...new Set([
      ...names(question).filter((name) => !mentions(text, name)),
      ...quantities(question).flatMap((amount) => (stated(amount, amounts) === "no" ? [amount.text] : [])),
    ]),
  ];
}

/**
 * Returns what a model says is missing if it says so in the question's language and mostly in the question's words;
 * otherwise an empty text. People see it, and nothing checks it against a source, so it must not add information.
 */
export function missingOf(said: string, { question, language }: Pick<Task, "question" | "language">): string {
  if (languageOf(said) !== language) return "";
  return coverage(contentTerms(said), new Set(contentTerms(question))) >= MOSTLY ? said : "";
}

const MOSTLY = 0.5;

const WORDS = {
  en: {
    everything: "any passage that is judged to be about the question",
    notFound: (words: readonly string[]) => `anything about ${words.map((word) => `“${word}”`).join(", ")}`,
    together: "a passage that says all of what is asked, for the very thing it is asked about",
  },
  zh: {
    everything: "判定为与问题有关的内容",
    notFound: (words: readonly string[]) => `关于${words.map((word) => `“${word}”`).join("、")}的内容`,
    together: "完整说明所问内容的资料",
  },
};
