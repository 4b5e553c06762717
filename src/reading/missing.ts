import { addedTo } from "../facts/live.js";
import { mentions, names } from "../facts/names.js";
import { type Quantity, quantities } from "../facts/numbers.js";
import { mayTellOf, stated } from "../facts/stated.js";
import type { Aliases } from "../text/aliases.js";
import { languageOf, ownLanguage } from "../text/language.js";
import { hasWords } from "../text/tokens.js";
import type { Task } from "../types/reasoners.js";

/**
 * Says what the evidence lacks, in a sentence in the question's language: names, or else the answer as a whole.
 * @param isRelated true if some of the evidence is about the question.
 */
export function missingFrom({ question, evidence, language }: Task, aliases: Aliases, isRelated: boolean): string {
  if (evidence.every(({ text }) => !hasWords(text))) return WORDS[ownLanguage(language)].everything;
  const all = evidence.map(({ title, section, text }) => `${title} ${section}\n${text}`).join("\n");
  const asked = aliases.inWordsOf(all, question);
  const absent = names(asked).filter((name) => !mentions(all, name) && quantities(name).length === 0);
  const { notFound, together, everything } = WORDS[ownLanguage(language)];
  if (absent.length > 0) return notFound([...new Set(absent)].slice(0, 5));
  return isRelated ? together : everything;
}

/** Says which names and amounts of the question an answer lacks; empty if it lacks none. */
export function stillOpen(
  { question, language }: Pick<Task, "question" | "language">,
  text: string,
  aliases: Aliases,
): string {
  const absent = absentFrom(aliases.inWordsOf(text, question), text, mayTellOf).slice(0, 5);
  return absent.length > 0 ? WORDS[ownLanguage(language)].notTold(absent) : "";
}

/** Returns the names and amounts of a question that a text lacks, as the question writes them. */
export function absentFrom(question: string, text: string, tellsOf = states): string[] {
  const absent = quantities(question).filter((amount) => !tellsOf(amount, text));
  return [
    ...new Set([...names(question).filter((name) => !mentions(text, name)), ...absent.map((amount) => amount.text)]),
  ];
}

const states = (amount: Quantity, text: string) => stated(amount, quantities(text)) !== "no";

/**
 * Returns what a model says is missing, without a full stop: only emend's own sentences have one. People see it, and
 * nothing checks it against a source. So if it is in another language, or has a name or an amount that neither the
 * question nor the evidence has, or markup, or an address, a sentence of emend's own replaces it.
 */
export function missingOf(said: string, { question, language, evidence }: Task): string {
  if (!hasWords(said)) return "";
  const known = knownTo({ question, evidence });
  const isOwn = languageOf(said) === language || language === "other";
  if (!isOwn || ADDRESS.test(said) || addedTo(said, known).length > 0 || absentFrom(said, known).length > 0)
    return WORDS[ownLanguage(language)].part;
  return said.trim().replace(/[.。]+$/u, "");
}

/** The question and the evidence as one text. */
export const knownTo = ({ question, evidence }: Pick<Task, "question" | "evidence">): string =>
  [question, ...evidence.map((piece) => `${piece.title} ${piece.section}\n${piece.text}`)].join("\n");

const ADDRESS = /https?:|www\.|\S@\S/i;

const WORDS = {
  en: {
    everything: "Nothing I found is about this.",
    notFound: (words: readonly string[]) => `Nothing I found mentions ${quoted(words).join(" or ")}.`,
    notTold: (words: readonly string[]) => `This doesn't mention ${quoted(words).join(" or ")}.`,
    together: "I found related passages, but none that fully answers this.",
    part: "The sources do not say all of it.",
  },
  zh: {
    everything: "没有找到与问题相关的内容。",
    notFound: (words: readonly string[]) => `找到的内容都没有提到${quoted(words).join("或")}。`,
    notTold: (words: readonly string[]) => `以上内容没有提到${quoted(words).join("或")}。`,
    together: "找到了相关内容，但都没有完整回答这个问题。",
    part: "资料没有说明全部内容。",
  },
};

const quoted = (words: readonly string[]) => words.map((word) => `“${word}”`);
