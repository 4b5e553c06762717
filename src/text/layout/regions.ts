import { baseline, inRows, type Row, right, segments } from "./rows.js";
import { type Table, whiteTable } from "./tables.js";
import type { Rule, Word } from "./words.js";

/** A line of text, or a table. */
export type Piece = Line | Table;

export interface Line {
  words: readonly Word[];
  y: number;
  height: number;
  x: number;
  right: number;
  /** True if it does not go on from the line before it, because another column lies between them. */
  isApart: boolean;
  /** True for the first line of a column that follows another. */
  isNextColumn: boolean;
  /** The right end of the longest line of its column. */
  edge: number;
}

/**
 * Puts the words of a part of a page in the order in which they are read: what lies side by side is either columns of
 * text, which are read one after the other, or a table.
 */
export function inOrder(
  words: readonly Word[],
  tables: readonly Table[],
  rules: readonly Rule[],
  depth = 0,
): Piece[] {
  const strips = inStrips(words, tables);
  const areas = depth < DEEPEST ? areasIn(strips) : [];
  const pieces: Piece[] = [];
  let at = 0;
  for (const { first, last, gutters } of areas) {
    pieces.push(...plain(strips.slice(at, first)));
    at = last + 1;
    const within = strips.slice(first, last + 1);
    const table = within.some((strip) => strip.table) ? undefined : asTable(within, gutters, rules);
    if (table) pieces.push(...table);
    else {
      const [main] = gutters;
      const middle = main ? (main.left + main.right) / 2 : 0;
      const isLeft = ({ x, width }: { x: number; width: number }) => x + width / 2 < middle;
      const inside = within.flatMap((strip) => strip.words);
      const boxes = within.flatMap(({ table: box }) => (box ? [box] : []));
      const columns = [true, false].map((side) =>
        inOrder(
          inside.filter((word) => isLeft(word) === side),
          boxes.filter((box) => isLeft(box) === side),
          rules,
          depth + 1,
        ),
      );
      for (const column of columns) {
        const [start] = column;
        if (start && "words" in start) {
          start.isApart = true;
          start.isNextColumn = column !== columns[0];
        }
        pieces.push(...column);
      }
      // What follows the columns is no part of the last one.
      pieces.push(...apart(plain(strips.slice(at, at))));
    }
    const after = pieces.length;
    void after;
  }
  const rest = plain(strips.slice(at));
  return [...pieces, ...(areas.length > 0 ? apart(rest) : rest)];
}

/** How often columns may be cut into columns. */
const DEEPEST = 8;

function apart(pieces: Piece[]): Piece[] {
  const [first] = pieces;
  if (first && "words" in first) first.isApart = true;
  return pieces;
}

/** A row or a table, with the parts of the page that it takes up from left to right. */
interface Strip {
  top: number;
  bottom: number;
  height: number;
  words: Word[];
  row?: Row;
  table?: Table;
  spans: [left: number, right: number][];
}

function inStrips(words: readonly Word[], tables: readonly Table[]): Strip[] {
  const strips: Strip[] = [
    ...inRows(words).map((row): Strip => ({
      top: row.y,
      bottom: row.y + row.height,
      height: row.height,
      words: row.words,
      row,
      spans: segments(row, GAP).map((part) => [part[0]?.x ?? 0, Math.max(...part.map(right))]),
    })),
    ...tables.map((table): Strip => ({
      top: table.y,
      bottom: table.y + table.height,
      height: 10,
      words: [],
      table,
      spans: [[table.x, table.x + table.width]],
    })),
  ];
  return strips.sort((a, b) => a.top - b.top);
}

/** The least width of white between two columns, in sizes of the letters. */
const GAP = 0.9;

/** White space that runs down between text on both sides, over the strips from first to last. */
interface Gutter {
  left: number;
  right: number;
  first: number;
  last: number;
  /** The last strip that has text on both sides. */
  lastBoth: number;
  /** How many strips have text on both sides, or beside text on the other side. */
  both: number;
}

function guttersIn(strips: readonly Strip[]): Gutter[] {
  let open: Gutter[] = [];
  const closed: Gutter[] = [];
  for (const [i, strip] of strips.entries()) {
    const taken = takenAt(strips, i);
    const free = freeBetween(taken);
    const least = GAP * strip.height;
    const still: Gutter[] = [];
    for (const gutter of open) {
      let best: [number, number] | undefined;
      for (const [from, to] of free) {
        const [left, end] = [Math.max(from, gutter.left), Math.min(to, gutter.right)];
        if (end - left >= least && (!best || end - left > best[1] - best[0])) best = [left, end];
      }
      if (!best) {
        closed.push(gutter);
        continue;
      }
      [gutter.left, gutter.right] = best;
      gutter.last = i;
      const isBoth = taken.some(([, to]) => to <= gutter.left) && taken.some(([from]) => from >= gutter.right);
      if (isBoth) {
        gutter.both += 1;
        gutter.lastBoth = i;
      }
      still.push(gutter);
    }
    for (const [left, end] of free.slice(1, -1))
      if (end - left >= least && !still.some((gutter) => gutter.left < end && gutter.right > left))
        still.push({ left, right: end, first: i, last: i, lastBoth: i, both: 1 });
    open = still;
  }
  return [...closed, ...open];
}

/** The spans of a strip, and of those that overlap it in height. */
function takenAt(strips: readonly Strip[], i: number): [number, number][] {
  const strip = strips[i];
  if (!strip) return [];
  const taken = [...strip.spans];
  for (const step of [-1, 1])
    for (let j = i + step; j >= 0 && j < strips.length && Math.abs(j - i) < FARTHEST; j += step) {
      const other = strips[j];
      if (!other || (step > 0 && other.top >= strip.bottom)) break;
      const overlap = Math.min(strip.bottom, other.bottom) - Math.max(strip.top, other.top);
      if (overlap > 0.2 * Math.min(strip.height, other.height)) taken.push(...other.spans);
    }
  return taken;
}

/** In strips. Only a table is taller than a few of them. */
const FARTHEST = 100;

/** Returns what is free between spans, including what is left and right of all of them. */
function freeBetween(taken: readonly [number, number][]): [number, number][] {
  const free: [number, number][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const [from, to] of [...taken].sort(([a], [b]) => a - b)) {
    if (from > end) free.push([end, from]);
    end = Math.max(end, to);
  }
  free.push([end, Number.POSITIVE_INFINITY]);
  return free;
}

/** Strips with the gutters that run through them, the longest first. */
interface Area {
  first: number;
  last: number;
  gutters: Gutter[];
}

/** Returns the areas with text side by side, from the top down. None shares a strip with another. */
function areasIn(strips: readonly Strip[]): Area[] {
  const pitch = usualPitch(strips);
  const gutters = guttersIn(strips)
    .filter(({ both, left, right: end, first }) => both >= 2 && (both >= 4 || end - left >= 1.4 * (strips[first]?.height ?? 0)))
    .sort((a, b) => b.both - a.both || b.right - b.left - (a.right - a.left))
    .slice(0, MOST_GUTTERS);
  const areas: Area[] = [];
  for (const gutter of gutters) {
    const home = areas.find(({ first, last }) => gutter.first <= last && gutter.lastBoth >= first);
    if (home) {
      const shared = Math.min(gutter.lastBoth, home.last) - Math.max(gutter.first, home.first) + 1;
      if (shared * 2 >= gutter.lastBoth - gutter.first + 1) home.gutters.push(gutter);
    } else areas.push({ ...extended(gutter, strips, pitch), gutters: [gutter] });
  }
  return areas.sort((a, b) => a.first - b.first).filter((area, i, all) => i === 0 || area.first > (all[i - 1]?.last ?? 0));
}

const MOST_GUTTERS = 200;

/** Adds the strips above and below that have text on one side, up to a wide space. */
function extended({ left, right: end, first, last, lastBoth }: Gutter, strips: readonly Strip[], pitch: number) {
  const gapAbove = (i: number) => (strips[i]?.top ?? 0) - (strips[i - 1]?.top ?? Number.NEGATIVE_INFINITY);
  const isBeside = ({ spans }: Strip) => spans.every(([from, to]) => to <= left || from >= end);
  let top = first;
  while (top > 0 && gapAbove(top) <= pitch * 1.5 && isBeside(strips[top - 1] as Strip)) top -= 1;
  if (last === strips.length - 1) return { first: top, last };
  let bottom = lastBoth;
  while (bottom < last && gapAbove(bottom + 1) <= pitch * 1.5) bottom += 1;
  // Without a space before the text that crosses, what stands on one side belongs to that text.
  const isCut = bottom < last || gapAbove(last + 1) > pitch * 1.3;
  return { first: top, last: isCut ? bottom : lastBoth };
}

/** The most frequent distance from one strip to the next, rounded to points. */
function usualPitch(strips: readonly Strip[]): number {
  const counts = new Map<number, number>();
  for (const [i, { top }] of strips.entries()) {
    const pitch = Math.round(top - (strips[i - 1]?.top ?? top));
    if (pitch > 3) counts.set(pitch, (counts.get(pitch) ?? 0) + 1);
  }
  const [[usual] = [12]] = [...counts].sort(([, a], [, b]) => b - a);
  return usual;
}

/** Returns the pieces of an area that is a table, with what stands above or below it; undefined for columns of text. */
function asTable(strips: readonly Strip[], gutters: readonly Gutter[], rules: readonly Rule[]): Piece[] | undefined {
  const least = Math.max(2, strips.length * 0.3);
  const cuts = gutters
    .filter(({ both }) => both >= least)
    .map(({ left, right: end }) => ({ left, right: end }))
    .sort((a, b) => a.left - b.left);
  const columnOf = (x: number) => cuts.filter(({ left, right: end }) => x >= (left + end) / 2).length;
  const rows = strips.map(({ words }) => {
    const cells: Word[][] = Array.from({ length: cuts.length + 1 }, () => []);
    for (const word of words) cells[columnOf(word.x + word.width / 2)]?.push(word);
    return cells;
  });
  if (isText(rows, strips)) return undefined;
  return whiteTable(rows, cuts, rules) ?? undefined;
}

/** True if the columns hold running text: their lines are long and full, and do not begin together as cells do. */
function isText(rows: readonly Word[][][], strips: readonly Strip[]): boolean {
  const count = rows[0]?.length ?? 0;
  const columns = Array.from({ length: count }, (_, c) => {
    const lines = rows.map((cells) => cells[c] ?? []);
    const filled = lines.filter((line) => line.length > 0);
    const widths = filled.map((line) => Math.max(...line.map(right)) - (line[0]?.x ?? 0));
    const widest = Math.max(0, ...widths);
    const letters = filled.reduce((sum, line) => sum + lengthOf(line), 0) / Math.max(1, filled.length);
    const full = widths.filter((width) => width >= 0.75 * widest).length / Math.max(1, filled.length);
    const isProse = filled.length >= 3 && letters >= 18 && full >= 0.5;
    const isFull = lines.map((line) => line.length > 0 && Math.max(...line.map(right)) - (line[0]?.x ?? 0) >= 0.8 * widest);
    return { lines, isProse, isFull };
  });
  const prose = columns.filter(({ isProse }) => isProse);
  if (prose.length === columns.length) return true;
  const aligned = rows.filter((cells) => cells.filter((cell) => cell.length > 0).length > 1).length;
  const most = Math.max(...columns.map(({ lines }) => lines.filter((line) => line.length > 0).length));
  if (prose.length === 0) return aligned < 0.5 * most && aligned < 3;
  // Beside running text that goes on from line to line, a cell would stand only at the first line.
  let wraps = 0;
  let besides = 0;
  for (let i = 1; i < rows.length; i++) {
    const pitch = (strips[i]?.top ?? 0) - (strips[i - 1]?.top ?? 0);
    const goesOn = prose.some(({ isFull, lines }) => isFull[i - 1] && (lines[i]?.length ?? 0) > 0) && pitch < 1.6 * (strips[i]?.height ?? 0);
    if (!goesOn) continue;
    wraps += 1;
    if (columns.some(({ isProse, lines }) => !isProse && (lines[i]?.length ?? 0) > 0)) besides += 1;
  }
  return wraps >= 3 && besides > 0.4 * wraps;
}

const lengthOf = (words: readonly Word[]) =>
  words.reduce((sum, { text }) => sum + (/\p{Script=Han}/u.test(text) ? 2 * text.length : text.length + 1), 0);

/** Returns strips that have no columns as lines. */
function plain(strips: readonly Strip[]): Piece[] {
  const pieces = strips.flatMap((strip): Piece[] => {
    if (!strip.row) return strip.table ? [strip.table] : [];
    const { y, height } = strip.row;
    return inSentences(segments(strip.row, WIDE_GAP)).map((words, i) => ({
      words,
      y,
      height,
      x: words[0]?.x ?? 0,
      right: Math.max(...words.map(right)),
      isApart: i > 0,
      isNextColumn: false,
      edge: 0,
    }));
  });
  const lines = pieces.filter((piece) => "words" in piece);
  const edge = lines.reduce((most, line) => Math.max(most, line.right), 0);
  for (const line of lines) line.edge = edge;
  for (const [i, piece] of pieces.entries()) {
    const before = pieces[i - 1];
    if (before && "words" in piece && "words" in before && baseline(before) === baseline(piece)) piece.isApart = true;
    else if (before && "words" in piece && "words" in before && before.isApart && i > 0) piece.isApart = true;
  }
  return pieces;
}

/** In sizes of the letters. */
const WIDE_GAP = 2;

/** Joins a value with what stands before it on the line: "Total      EUR 400". Anything else stays apart. */
function inSentences(parts: readonly Word[][]): Word[][] {
  const joined: Word[][] = [];
  for (const part of parts) {
    const before = joined.at(-1);
    const words = part.map(({ text }) => text).join(" ");
    const isValue = words.length <= 25 && /\p{N}|^\[[ x]\]/u.test(words);
    const isNamed = /[:：]$/.test(before?.at(-1)?.text ?? "");
    const isNumber = /^[(（]?(?:\d{1,3}|[a-z]|[ivx]+)[.)）]?$|^[•·●○▪–*-]$/i.test((before ?? []).map(({ text }) => text).join(""));
    if (before && (isValue || isNamed || isNumber)) before.push(...part);
    else joined.push([...part]);
  }
  return joined;
}
