import { chineseNames } from "../facts/chinese-names.js";
import { isWithinLimits } from "../facts/limits.js";
import { mentions, names } from "../facts/names.js";
import { quantities } from "../facts/numbers.js";
import { stated } from "../facts/stated.js";
import { outlineOf } from "../text/outline.js";
import type { Evidence } from "../types/evidence.js";
import { textInContext, type Unit } from "./units.js";

/**
 * Finds the sentences that stand under another heading than the one that the question names: what is under "3.1.0" is
 * not about version 3.1.2, the next heading, and the opening hours under "Leeds" are not those of Bergen. A sentence that
 * has one of the names or amounts itself may be about it. Of 331 sentences with the expected words, it finds none
 * (nine sets).
 * @returns a function that gives the shares of the question's names and amounts that a sentence lacks in this way: 0 or 1.
 */
export function underOthers(question: string): (unit: Unit) => { names: number; amounts: number } {
  const named = [...names(question), ...chineseNames(question).map(({ name }) => name)];
  const has = {
    names: [
      ...named.map((name) => (text: string) => mentions(text, name)),
      ...versions(question).map((version) => (text: string) => versions(text).includes(version)),
    ],
    amounts: quantities(question).map(
      (amount) => (text: string) => isWithinLimits(amount, text) ?? stated(amount, quantities(text)) === "yes",
    ),
  };
  const known = new Map<string, Record<keyof typeof has, Named[]>>();

  const namedIn = (piece: Evidence) => {
    const sections = [...new Set(outlineOf(piece.text).map(({ headings }) => headings))];
    return { names: namedBy(has.names, sections, piece), amounts: namedBy(has.amounts, sections, piece) };
  };

  return (unit) => {
    const { names, amounts } = known.get(unit.evidence.id) ?? namedIn(unit.evidence);
    known.set(unit.evidence.id, { names, amounts });
    return { names: isBeside(unit, names) ? 1 : 0, amounts: isBeside(unit, amounts) ? 1 : 0 };
  };
}

/** A test for a name or an amount, and the sections whose headings have it, each with the place of that heading. */
interface Named {
  has: (text: string) => boolean;
  sections: readonly { headings: readonly string[]; at: number }[];
}

/** Returns the numbers with two dots or more: the 3.1.2 of a release. */
const versions = (text: string): readonly string[] => text.match(/(?<![\w.])\d+(?:\.\d+){2,}(?![\w.]*\w)/g) ?? [];

/** What is in the title, or above all of the piece, tells none of its sections apart. */
const namedBy = (
  all: readonly Named["has"][],
  sections: readonly (readonly string[])[],
  { title, section }: Evidence,
): Named[] =>
  all
    .filter((has) => !has(`${title} ${section}`))
    .map((has) => ({
      has,
      sections: sections
        .map((headings) => ({ headings, at: headings.findIndex((heading) => has(subjectOf(heading))) }))
        .filter(({ at }) => at >= 0),
    }));

/** True if a unit is in a section beside those that have the names or the amounts, and has none of them. */
function isBeside(unit: Unit, named: readonly Named[]): boolean {
  const { headings } = unit;
  const isBesideOne = named.some(({ sections }) =>
    sections.some(
      ({ headings: other, at }) =>
        headings[at] !== undefined &&
        headings[at] !== other[at] &&
        other.slice(0, at).every((heading, i) => heading === headings[i]),
    ),
  );
  if (!isBesideOne) return false;
  const own = [...headings.map(subjectOf), textInContext(unit)].join("\n");
  return !named.some(({ has }) => has(own));
}

/** A heading without its number: "3. Hiring" is not about three of anything. */
const subjectOf = (heading: string) => heading.replace(NUMBERING, "");
const NUMBERING =
  /^(?:\d{1,2}(?:\.\d{1,2})*[.)、]?\s+(?=\p{L})|[（(]?[一二三四五六七八九十]+[)）、.]\s*|第[一二三四五六七八九十\d]+[章节条部分]+\s*)/u;
