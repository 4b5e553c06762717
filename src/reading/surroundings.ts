import { headLine } from "../text/head-line.js";
import { orders } from "../text/orders.js";
import { indentAt, introduces } from "../text/outline.js";
import { overlap } from "../text/spans.js";
import type { Evidence } from "../types/evidence.js";
import { type Unit, unitsOf } from "./units.js";

/** An entry of a list: its sentences, and the entries, paragraphs and code below them. */
export type Entry = readonly Unit[];

/** A list with the sentence that introduces it, if there is one. */
export interface List {
  lead: readonly Unit[];
  entries: readonly Entry[];
}

/**
 * Returns the units of a unit's document, in order, without orders to the assistant: of the passages at hand that
 * follow each other around its own. What a later passage repeats, the introduction of a list, is left out.
 */
export function documentOf({ evidence: own }: Unit, all: readonly Evidence[]): Unit[] {
  const place = placeOf(own);
  const pieces = new Map(all.filter(({ uri }) => uri === own.uri).map((piece) => [placeOf(piece), piece]));
  if (place !== undefined) pieces.set(place, own);
  const run = [own];
  if (place !== undefined) {
    for (let piece = pieces.get(place - 1), at = place; piece; piece = pieces.get(--at - 1)) run.unshift(piece);
    for (let piece = pieces.get(place + 1), at = place; piece; piece = pieces.get(++at + 1)) run.push(piece);
  }
  const found: Unit[] = [];
  for (const piece of run) {
    const ordered = orders(piece.text);
    const units = unitsOf(piece).filter(({ from, end }) => !ordered.some((one) => overlap(one, { start: from, end })));
    const isRepeated = ({ text }: Unit, i: number) =>
      i === 0 && introduces(text) && found.some((other) => other.text === text);
    found.push(...units.filter((unit, i) => !isRepeated(unit, i)));
  }
  return found;
}

/** Its place in its document; undefined for anything but a passage of a document. */
const placeOf = ({ id, source }: Evidence): number | undefined => {
  const place = source === "document" ? /#(\d+)$/.exec(id)?.[1] : undefined;
  return place === undefined ? undefined : Number(place);
};

/** The title and the headings above a unit. */
export const pathOf = ({ evidence, headings }: Unit): string => headLine(evidence, headings);

export const isOneUnit = (one: Unit, other: Unit): boolean =>
  one.evidence.id === other.evidence.id && one.start === other.start;

/** Returns the list in which a unit stands, or that it introduces; undefined if there is none. */
export function listAround(unit: Unit, document: readonly Unit[]): List | undefined {
  const path = pathOf(unit);
  const all = document.filter((other) => other.kind !== "heading" && pathOf(other) === path);
  const listed = areListed(all);
  const at = all.findIndex((other) => isOneUnit(other, unit));
  const isLead = !listed[at] && introduces(unit.text) && listed[at + 1];
  if (!listed[at] && !isLead) return undefined;
  const first = isLead ? at + 1 : listed.lastIndexOf(false, at) + 1;
  const end = listed.indexOf(false, first);
  const before = all[first - 1];
  return {
    lead: before && introduces(before.text) ? [before] : [],
    entries: entriesOf(all.slice(first, end < 0 ? undefined : end)),
  };
}

/**
 * Returns the units of a unit's section; with those of the sections below it if these are its steps, and with the next
 * one if its last sentence points there. The section of one step is the one above it.
 */
export function sectionOf(unit: Unit, document: readonly Unit[]): Unit[] {
  const path = pathOf(unit);
  const end = ` - ${unit.headings.at(-1) ?? unit.evidence.section.split(" › ").at(-1)}`;
  const base = isStep(end.slice(3)) && path.endsWith(end) ? path.slice(0, -end.length) : path;
  const own = document.filter((other) => other.kind !== "heading" && pathOf(other) === base);
  const below = document.filter(
    (other) => pathOf(other).startsWith(`${base} - `) || (other.kind === "heading" && pathOf(other) === base),
  );
  if (below.some(({ kind, text }) => kind === "heading" && isStep(text)))
    return document.filter((other) => own.includes(other) || below.includes(other));
  const last = own.at(-1);
  if (!last || !POINTS_BELOW.test(last.text)) return own;
  const rest = document.slice(document.indexOf(last) + 1);
  const next = rest.find(({ kind }) => kind !== "heading");
  const to = rest.findIndex((other) => next && other.kind !== "heading" && pathOf(other) !== pathOf(next));
  const after = rest.slice(0, to < 0 ? undefined : to);
  return [...own, ...after.slice(0, 1 + after.findLastIndex(({ kind }) => kind !== "heading"))];
}

/** What comes is told in the next section: "using the process below", 步骤如下：. */
const POINTS_BELOW = /\b(?:below|following|these steps)\b[^.]{0,20}\.?$|[:：]$|(?:如下|下面|以下)[^。]{0,6}。?$/iu;

/** True for the heading of a step: "Step 1", "2. Sign in", 第三步. */
const isStep = (heading: string) =>
  /^(?:(?:step|phase)\s*\p{N}|\p{N}{1,2}[.)、．]|第\s*[\p{N}一二三四五六七八九十]+\s*[步阶]|步骤\s*[\p{N}一二三四五六七八九十])/iu.test(
    heading,
  );

/** Tells for each unit whether it belongs to a list: entries, and code or indented paragraphs below them. */
export function areListed(all: readonly Unit[]): boolean[] {
  let isOpen = false;
  return all.map((unit, i) => {
    const isBelow = unit.kind === "code" || (unit.kind === "prose" && indentOf(unit) > 0);
    isOpen = unit.kind === "item" || (isOpen && isBelow && pathOf(unit) === pathOf(all[i - 1] ?? unit));
    return isOpen;
  });
}

/** Cuts a list into its outermost entries. */
export function entriesOf(all: readonly Unit[]): Entry[] {
  const least = Math.min(...all.filter(({ kind }) => kind === "item").map(indentOf));
  const entries: Unit[][] = [];
  all.forEach((unit, i) => {
    const before = all[i - 1];
    const isMarked = unit.kind === "item" && !(before && isOfOneBlock(before, unit));
    if (entries.length === 0 || (isMarked && indentOf(unit) <= least)) entries.push([unit]);
    else entries.at(-1)?.push(unit);
  });
  return entries;
}

const indentOf = ({ evidence, start }: Unit) => indentAt(evidence.text, start);

/** True for an entry that a number or a letter precedes. */
export const isNumbered = ({ evidence: { text }, start, kind }: Unit): boolean =>
  kind === "item" && /[\p{L}\p{N}①-⑳]/u.test(text.slice(text.lastIndexOf("\n", start - 1) + 1, start));

/** Cuts units into runs of sentences of one paragraph or entry. */
export function blocksOf(all: readonly Unit[]): Unit[][] {
  const runs: Unit[][] = [];
  for (const unit of all) {
    const before = runs.at(-1)?.at(-1);
    if (before && isOfOneBlock(before, unit)) runs.at(-1)?.push(unit);
    else runs.push([unit]);
  }
  return runs;
}

function isOfOneBlock(before: Unit, unit: Unit): boolean {
  const between = unit.evidence.text.slice(before.end, unit.start);
  const isProse = unit.kind === "prose" && !/\n[^\S\n]*\n/.test(between);
  return (
    before.evidence.id === unit.evidence.id &&
    before.kind === unit.kind &&
    (isProse || unit.kind === "item") &&
    !/\S/.test(between)
  );
}
