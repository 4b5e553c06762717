import { FUNCTION_WORDS } from "./lexicon.js";

/** Finds names in a question, and replaces them by others that mean the same. */
export interface Aliases {
  /** Returns the question, then a wording for each other name of each name in it; at most eight in all. */
  wordings(question: string): string[];
  /** Returns the question, with each name that the text lacks replaced by one for the same thing that it has. */
  inWordsOf(text: string, question: string): string;
  /** Returns the known names in the question, each with its other names. */
  found(question: string): { name: string; others: readonly string[] }[];
}

/**
 * Builds aliases from groups of names that mean the same. Names match as whole words, in any case, but those that are
 * also function words (IT, US, WHO) only in capitals. Of overlapping names, the longest counts.
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

/** Returns a key for a name that ignores case and white space. */
export const aliasKey = (name: string): string => name.trim().replace(/\s+/g, " ").toLowerCase();

const isName = (written: string) => !FUNCTION_WORDS.en.has(written.toLowerCase()) || /^\p{Lu}+$/u.test(written);

/** Matches the names, the longest first. An end of a name that is a letter or digit must be at the edge of a word. */
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
