import { outlineOf } from "../text/outline.js";
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

/** Returns the places in which these spans lie, and their neighbours in the same table or list. */
export const sourceUnitsAround = (spans: readonly (Span & { evidence: Evidence })[]): SourceUnit[] =>
  spans.flatMap(({ evidence, ...span }) => placesAround(placesOf(evidence.text), span));

/**
 * Returns the rows, items and sentences of a source, in order. The first row of a table is its head and not a place.
 */
const placesOf = (source: string): SourceUnit[] =>
  outlineOf(source).flatMap(({ start, end, kind, text, head, group }): SourceUnit[] => {
    if (kind !== "row") return [{ start, end, group, kind: kind === "item" ? kind : "sentence", text, cells: [] }];
    return head ? [{ start, end, group, kind, text: underHead(head.text, text), cells: cells(text) }] : [];
  });

function placesAround(places: readonly SourceUnit[], { start, end }: Span): SourceUnit[] {
  const first = places.findIndex((place) => place.end > start);
  const last = places.findLastIndex((place) => place.start < end);
  if (first < 0) return [];
  const groups = new Set(places.slice(first, last + 1).map(({ group }) => group));
  return places.slice(Math.max(0, first - BESIDE), last + 1 + BESIDE).filter(({ group }) => groups.has(group));
}

/** The most rows or items on either side. */
const BESIDE = 200;
