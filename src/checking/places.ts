import { sentences } from "../language/sentences.js";
import { cells, underHead } from "../language/tables.js";
import type { Span } from "../types/evidence.js";

/** A part of a source in which what stands together belongs together: a row, an entry of a list, a sentence. */
export interface Place extends Span {
  kind: "row" | "item" | "sentence";
  /** A row is read under its headings. */
  text: string;
  /** Of a row. */
  cells: readonly string[];
  /** The rows of one table, the entries of one list have one. */
  group: object;
}

/** The rows, entries and sentences of a source, in order; the first row of a table is its head, and no place. */
export function placesOf(text: string): Place[] {
  let group = {};
  let head: string | undefined;
  let last = "";
  return sentences(text).flatMap(({ start, end, kind }): Place[] => {
    const words = text.slice(start, end);
    if (kind !== last || (kind !== "row" && kind !== "item")) {
      group = {};
      head = undefined;
    }
    last = kind;
    if (kind !== "row")
      return [{ start, end, kind: kind === "item" ? "item" : "sentence", text: words, group, cells: [] }];
    if (head !== undefined)
      return [{ start, end, kind: "row", text: underHead(head, words), group, cells: cells(words) }];
    head = words;
    return [];
  });
}

/** Those that these spans lie in, with what stands beside them in their table or list. */
export function placesAround(places: readonly Place[], spans: readonly Span[]): Place[] {
  const near = new Set<Place>();
  for (const { start, end } of spans) {
    const first = places.findIndex((place) => place.end > start);
    const last = places.findLastIndex((place) => place.start < end);
    if (first < 0) continue;
    const groups = new Set(places.slice(first, last + 1).map(({ group }) => group));
    for (const one of places.slice(Math.max(0, first - BESIDE), last + 1 + BESIDE)) {
      if (groups.has(one.group)) near.add(one);
    }
  }
  return [...near];
}

/** Rows or entries on either side; of a longer table the others are not looked at. */
const BESIDE = 200;
