import { keptFor, type Unit, unitsOf } from "../reading/units.js";
import { cells, underHead } from "../text/tables.js";
import type { Evidence, Span } from "../types/evidence.js";

/** A row, a list item or a sentence of a source (a "place"): values in one place belong together. */
export interface SourceUnit extends Span {
  kind: "row" | "item" | "sentence";
  /** For a row, each cell under its heading. */
  text: string;
  /** Empty for anything but a row. */
  cells: readonly string[];
  /** The same for all rows of one table, and all items of one list. */
  group: object;
}

/** Returns the units of a source that a span overlaps. Takes no longer in a long source. */
export function unitsIn(evidence: Evidence, span: Span): readonly Unit[] {
  const units = unitsOf(evidence);
  const { from, to } = rangeIn(units, span);
  return units.slice(from, to);
}

/** Returns the places in which these spans lie, and their neighbours in the same table or list. */
export const sourceUnitsAround = (spans: readonly (Span & { evidence: Evidence })[]): SourceUnit[] =>
  spans.flatMap(({ evidence, ...span }) => placesAround(placesOf(evidence), span));

/**
 * Returns the rows, items and sentences of a source, in order. The first row of a table is its head and not a place.
 */
const placesOf: (evidence: Evidence) => readonly SourceUnit[] = keptFor((evidence) =>
  unitsOf(evidence).flatMap(({ start, end, kind, text, head, group }): SourceUnit[] => {
    if (kind !== "row") return [{ start, end, group, kind: kind === "item" ? kind : "sentence", text, cells: [] }];
    return head ? [{ start, end, group, kind, text: underHead(head.text, text), cells: cells(text) }] : [];
  }),
);

function placesAround(places: readonly SourceUnit[], { start, end }: Span): SourceUnit[] {
  const { from: first, to } = rangeIn(places, { start, end });
  const last = to - 1;
  if (first === places.length) return [];
  const groups = new Set(places.slice(first, last + 1).map(({ group }) => group));
  return places.slice(Math.max(0, first - BESIDE), last + 1 + BESIDE).filter(({ group }) => groups.has(group));
}

/** The most rows or items on either side. */
const BESIDE = 200;

/** Returns the indices of those of ordered spans, none of which overlap, that overlap this one: `to` is behind the last. */
export const rangeIn = (spans: readonly Span[], { start, end }: Span): { from: number; to: number } => ({
  from: firstIndex(spans, (span) => span.end > start),
  to: firstIndex(spans, (span) => span.start >= end),
});

/** Returns the index of the first span that passes a test, which all after it pass too; their number if none does. */
function firstIndex(spans: readonly Span[], passes: (span: Span) => boolean): number {
  let [from, to] = [0, spans.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const span = spans[middle];
    if (span && passes(span)) to = middle;
    else from = middle + 1;
  }
  return from;
}
