import type { Span } from "../types/evidence.js";
import { type Quantity, quantities } from "./numbers.js";
import { sentences } from "./sentences.js";
import { cells, underHead } from "./tables.js";
import { contentTerms } from "./tokens.js";

/** A part of a source in which what stands together belongs together: a row, an entry of a list, a sentence. */
export interface Place extends Span {
  kind: "row" | "item" | "sentence";
  /** A row is read under its headings. */
  text: string;
  /** Of a row. */
  cells: readonly string[];
  /** The rows of one table, the entries of one list have one. */
  group: object;
  readonly terms: ReadonlySet<string>;
  readonly amounts: readonly Quantity[];
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
    if (kind !== "row") return [place({ start, end }, kind === "item" ? "item" : "sentence", words, { group })];
    if (head !== undefined)
      return [place({ start, end }, "row", underHead(head, words), { group, cells: cells(words) })];
    head = words;
    return [];
  });
}

/** Those that these spans lie in, with what stands beside them in their table or list. */
export function placesAround(places: readonly Place[], spans: readonly Span[]): Place[] {
  const near = new Set<Place>();
  for (const { start, end } of spans) {
    const first = firstEndingAfter(places, start);
    let behind = first;
    while (behind < places.length && (places[behind]?.start ?? 0) < end) behind += 1;
    const groups = new Set(places.slice(first, behind).map(({ group }) => group));
    for (const one of places.slice(Math.max(0, first - BESIDE), behind + BESIDE)) {
      if (groups.has(one.group)) near.add(one);
    }
  }
  return [...near];
}

function firstEndingAfter(places: readonly Place[], offset: number): number {
  let [from, to] = [0, places.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((places[middle]?.end ?? 0) > offset) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** Rows or entries on either side; of a longer table the others are not looked at. */
const BESIDE = 200;

/** Its words and amounts are read when first asked for: most places never are. */
function place(
  span: Span,
  kind: Place["kind"],
  text: string,
  { group, cells = [] }: { group: object; cells?: readonly string[] },
): Place {
  let terms: ReadonlySet<string> | undefined;
  let amounts: readonly Quantity[] | undefined;
  return {
    ...span,
    kind,
    text,
    group,
    cells,
    get terms() {
      terms ??= new Set(contentTerms(text));
      return terms;
    },
    get amounts() {
      amounts ??= quantities(text);
      return amounts;
    },
  };
}
