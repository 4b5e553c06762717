import { chineseNames } from "../facts/chinese-names.js";
import { differInAmount } from "../facts/disagree.js";
import { mentions, names, serialNames, shapeOf } from "../facts/names.js";
import { headingText } from "../text/markup.js";
import { contentTerms, plain } from "../text/tokens.js";
import type { Evidence } from "../types/evidence.js";
import { textInContext, type Unit, unitsOf } from "./units.js";

/**
 * Finds what is about a sibling of the thing that a question names. Manuals of the X200, the X300 and the X350 say the
 * same in the same words, and so do the pages of two cabins: what tells them apart is a title, a file name, a heading or
 * a code. A question that names one of them is not answered from another one.
 * @returns a function that says whether a unit is about a sibling.
 */
export function aboutSibling(question: string, evidence: readonly Evidence[]): (unit: Unit) => boolean {
  const asked = new Set(contentTerms(question));
  const series = Map.groupBy(serialNames(question.toUpperCase()), shapeOf);
  // A name that nobody mentions may be that of another member: bridge Sedge, where only Alder and Birch are described.
  const isUnknown = [...names(question), ...chineseNames(question).map(({ name }) => name)].some(
    (name) =>
      !evidence.some((piece) => mentions(`${piece.title} ${nameOf(piece.uri)} ${piece.section}\n${piece.text}`, name)),
  );
  const isAsked = (terms: readonly string[]) => terms.length > 0 && terms.every((term) => asked.has(term));
  const known = new Map<string, readonly (readonly string[])[] | "all">();

  /**
   * Returns the words by which the question names siblings of this piece, or "all" if it names one that is not described:
   * then the piece is about another one, whatever it says.
   */
  function namedBeside(own: Evidence): readonly (readonly string[])[] | "all" {
    const found: (readonly string[])[] = [];
    for (const other of evidence) {
      if (other.id === own.id) continue;
      for (const [theirs, ours, shared] of labelsOf(other).flatMap((label) =>
        labelsOf(own).flatMap((mine) => apartIn(label, mine)),
      )) {
        const isKind = isUnknown && shared.some((term) => asked.has(term));
        const isNamed = isAsked(theirs) && ours.length > 0 && !isAsked(ours);
        if (!(isKind || isNamed) || !isAlike(own, other)) continue;
        if (isKind) return "all";
        found.push(theirs);
      }
    }
    return found;
  }

  return (unit) => {
    const { evidence: piece } = unit;
    const about = [
      piece.title,
      nameOf(piece.uri).toUpperCase(),
      piece.section,
      ...unit.headings,
      textInContext(unit),
    ].join("\n");
    const isOfOthers = [...series.values()].some(
      ([code = "", ...more]) =>
        ![code, ...more].some((one) => mentions(about, one)) &&
        serialNames(about).some((other) => shapeOf(code) === shapeOf(other)),
    );
    if (isOfOthers) return true;
    const beside = known.get(piece.id) ?? namedBeside(piece);
    known.set(piece.id, beside);
    if (beside === "all") return true;
    const there = new Set(contentTerms(about));
    return beside.some((terms) => !terms.some((term) => there.has(term)));
  };
}

/** True for two pieces about different members of a series, such as X200 and X300; not for versions of one thing. */
export function areSiblings(a: Evidence, b: Evidence): boolean {
  const [here, there] = [labelsOf(a).join("\n"), labelsOf(b).join("\n")];
  const others = serialNames(there).map(shapeOf);
  return serialNames(here).some(
    (code) => !/^v?\d/i.test(code) && !mentions(there, code) && others.includes(shapeOf(code)),
  );
}

/** The title, the file's name, and the headings above a piece. */
const labelsOf = ({ title, uri, section }: Evidence): string[] => [
  ...new Set([title, nameOf(uri), ...section.split(" › ")].filter((label) => label !== "").slice(0, 8)),
];

const nameOf = (uri: string) => /([^/\\]+?)(?:\.\w{1,5})?(?:[?#].*)?$/.exec(uri)?.[1] ?? "";

/** The terms in which two labels differ, and those of the rest. */
type Apart = readonly [here: readonly string[], there: readonly string[], shared: readonly string[]];

/**
 * Returns where two labels differ, if the rest is the same: "Alder", "Birch" and "cabin" for "Cabin Alder" and "Cabin
 * Birch". None if nothing is the same, or if one only adds words to the other.
 */
function apartIn(a: string, b: string): Apart[] {
  const [left, right] = [piecesOf(a), piecesOf(b)];
  const least = Math.min(left.length, right.length);
  let start = 0;
  while (start < least && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < least - start && left.at(-1 - end) === right.at(-1 - end)) end += 1;
  const edges = [left.slice(0, start), left.slice(left.length - end)];
  const [here, there] = [left.slice(start, left.length - end), right.slice(start, right.length - end)];
  const shared = edges.flat();
  const isEnough = shared.some((word) => word.length > 1) || shared.length > 1;
  const longest = Math.max(here.length, there.length);
  if (!isEnough || here.length === 0 || there.length === 0 || longest > LONGEST) return [];
  const termsOf = (some: readonly string[]) =>
    contentTerms(some.join(/\p{Script=Han}/u.test(some.join("")) ? "" : " "));
  return [[termsOf(here), termsOf(there), edges.flatMap(termsOf)]];
}

/** In words or Chinese characters. */
const LONGEST = 4;

const piecesOf = (label: string) => plain(label).match(/\p{Script=Han}|[^\s\p{P}\p{Script=Han}]+/gu) ?? [];

/** True if two pieces say things in the same form: under the same headings, or in the same words but for an amount. */
function isAlike(a: Evidence, b: Evidence): boolean {
  const headings = (piece: Evidence) =>
    new Set(
      unitsOf(piece)
        .filter(({ kind }) => kind === "heading")
        .map(({ text }) => plain(headingText(text)))
        .filter((text) => !labelsOf(piece).some((label) => plain(label) === text)),
    );
  if (!headings(a).isDisjointFrom(headings(b))) return true;
  const bare = (text: string) => text.replace(/\d+/g, "0");
  return unitsOf(a).some((one) =>
    unitsOf(b).some((other) => bare(one.text) === bare(other.text) || differInAmount(one.text, other.text)),
  );
}
