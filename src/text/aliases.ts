import { FUNCTION_WORDS } from "./lexicon.js";

/** Names that mean the same, for a question and for a text that may have another of them. */
export interface Aliases {
  /** Returns the question, then with each of its names replaced by each other name for the same: at most eight in all. */
  wordings(question: string): string[];
  /** Returns the question with its names as the text has them, where the text has only others for the same. */
  inWordsOf(text: string, question: string): string;
  /** Returns the names in the question that have others, each with those. */
  found(question: string): { name: string; others: readonly string[] }[];
}

/**
 * Compares names by groups of those that mean the same. They are found whole and in any case, but IT, US and WHO only in
 * capitals. Of names that overlap, the longest counts.
 */
export function aliasesOf(groups: readonly (readonly string[])[]): Aliases {
  const groupOf = new Map(groups.flatMap((group) => group.map((name) => [aliasKey(name), group] as const)));
  const any = patternOf(groups.flat());
  const each = new Map(groups.flat().map((name) => [name, patternOf([name])]));
  const holds = (text: string, name: string) => [...text.matchAll(each.get(name) ?? any)].some(([it]) => isName(it));
  const found = (text: string) =>
    [...text.matchAll(any)]
      .filter(([name]) => isName(name))
      .map(({ index: start, 0: name }) => {
        const others = groupOf.get(aliasKey(name))?.filter((other) => aliasKey(other) !== aliasKey(name)) ?? [];
        const replacedBy = (asked: string, other: string) =>
          `${asked.slice(0, start)}${other}${asked.slice(start + name.length)}`;
        return { name, others, replacedBy };
      });

  return {
    wordings(question) {
      const reworded = found(question).flatMap(({ others, replacedBy }) =>
        others.map((other) => replacedBy(question, other)),
      );
      return [question, ...reworded].slice(0, MOST_WORDINGS);
    },
    inWordsOf: (text, question) =>
      found(question).reduceRight((asked, { name, others, replacedBy }) => {
        const there = text.includes(name) ? undefined : others.find((other) => holds(text, other));
        return there === undefined ? asked : replacedBy(asked, there);
      }, question),
    found: (question) => found(question).map(({ name, others }) => ({ name, others })),
  };
}

export const NO_ALIASES: Aliases = aliasesOf([]);

const MOST_WORDINGS = 8;

/** The same for a name in any case and with any white space. */
export const aliasKey = (name: string): string => name.trim().replace(/\s+/g, " ").toLowerCase();

const isName = (written: string) => !FUNCTION_WORDS.en.has(written.toLowerCase()) || /^\p{Lu}+$/u.test(written);

/** Matches the names, the longest first. One that begins or ends with a letter or digit does so at the edge of a word. */
function patternOf(names: readonly string[]): RegExp {
  const words = names
    .toSorted((a, b) => b.length - a.length)
    .map((name) => {
      const words = name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replace(/\s+/g, "\\s+");
      return `${EDGE.test(name) ? `(?<!${LETTER})` : ""}${words}${EDGE.test(name.at(-1) ?? "") ? `(?!${LETTER})` : ""}`;
    });
  return words.length === 0 ? /(?!)/g : new RegExp(words.join("|"), "giu");
}

/** Chinese has no spaces between words. */
const LETTER = "(?!\\p{Script=Han})[\\p{L}\\p{N}]";
const EDGE = new RegExp(`^${LETTER}`, "u");
