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
  /** True if other text on its height stands before it, so that it does not go on from the line before. */
  isApart: boolean;
  /** True for the first line of a column that follows another. */
  isNextColumn: boolean;
  /** True for the last line of a column. */
  isLast: boolean;
  /** The right end of the longest line of its column. */
  edge: number;
}

/**
 * Puts the words of a part of a page in the order in which they are read: what lies side by side is either columns of
 * text, which are read one after the other, or a table.
 */
export const inOrder = (words: readonly Word[], tables: readonly Table[], rules: readonly Rule[]): Piece[] =>
  ordered(inStrips(words, tables), rules, 0);

function ordered(strips: readonly Strip[], rules: readonly Rule[], depth: number): Piece[] {
  const areas = depth < DEEPEST ? areasIn(strips) : [];
  if (areas.length === 0) return plain(strips);
  const pieces: Piece[] = [];
  let at = 0;
  for (const { first, last, gutters } of areas) {
    pieces.push(...ordered(strips.slice(at, first), rules, depth + 1));
    pieces.push(...sideBySide(strips.slice(first, last + 1), gutters, rules, depth));
    at = last + 1;
  }
  return [...pieces, ...ordered(strips.slice(at), rules, depth + 1)];
}

/** Reads an area with text side by side: a table, columns, or the lines of a form. */
function sideBySide(
  strips: readonly Strip[],
  gutters: readonly Gutter[],
  rules: readonly Rule[],
  depth: number,
): Piece[] {
  const [main] = gutters;
  const cells = inCells(strips, gutters);
  const kind = strips.some(({ table }) => table) ? "columns" : kindOf(cells, strips);
  if (kind === "lines") return plain(strips);
  if (kind === "table") {
    const parts = betweenBlanks(strips);
    if (parts.length > 1) return parts.flatMap((part) => ordered(part, rules, depth + 1));
    const [from, to] = bodyOf(cells.rows, strips);
    const table = whiteTable(cells.rows.slice(from, to), cells.cuts, rules);
    return table ? [...plain(strips.slice(0, from)), table, ...plain(strips.slice(to))] : plain(strips);
  }
  const middle = main ? (main.left + main.right) / 2 : 0;
  const isLeft = ({ x, width }: { x: number; width: number }) => x + width / 2 < middle;
  const words = strips.flatMap((strip) => strip.words);
  const tables = strips.flatMap(({ table }) => (table ? [table] : []));
  return [true, false].flatMap((side) => {
    const own = inStrips(
      words.filter((word) => isLeft(word) === side),
      tables.filter((table) => isLeft(table) === side),
    );
    const column = ordered(own, rules, depth + 1);
    const [start] = column;
    if (start && "words" in start) start.isNextColumn = !side;
    const end = column.at(-1);
    if (end && "words" in end) end.isLast = true;
    return column;
  });
}

/** How often columns may be cut into columns. */
const DEEPEST = 8;

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
    ...inRows(words).map(
      (row): Strip => ({
        top: row.y,
        bottom: row.y + row.height,
        height: row.height,
        words: row.words,
        row,
        spans: withMarks(segments(row, GAP)).map((part) => [part[0]?.x ?? 0, Math.max(...part.map(right))]),
      }),
    ),
    ...tables.map(
      (table): Strip => ({
        top: table.y,
        bottom: table.y + table.height,
        height: 10,
        words: [],
        table,
        spans: [[table.x, table.x + table.width]],
      }),
    ),
  ];
  return strips.sort((a, b) => a.top - b.top);
}

/** Joins the bullet or number of a list entry with its text. */
const withMarks = (parts: readonly Word[][]): Word[][] =>
  parts.reduce<Word[][]>((joined, part) => {
    const before = joined.at(-1);
    if (before && LIST_MARK.test(wordsIn(before))) before.push(...part);
    else joined.push([...part]);
    return joined;
  }, []);

const wordsIn = (words: readonly Word[]) => words.map(({ text }) => text).join(" ");
const LIST_MARK = /^(?:[•·●○▪‣◦–*-]|[(（]?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)）]|\[\d{1,3}\])$/i;
/** The number of a section, such as 2.1 or A.3. */
const SECTION_MARK = /^(?:\d{1,2}|[A-Z])(?:\.\d{1,2})+\.?$/;

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

/** White from side to side of more than this many sizes ends all columns. */
const BLANK = 3.5;

function guttersIn(strips: readonly Strip[]): Gutter[] {
  let open: Gutter[] = [];
  const closed: Gutter[] = [];
  let bottom = Number.POSITIVE_INFINITY;
  for (const [i, strip] of strips.entries()) {
    if (strip.top - bottom > BLANK * strip.height) closed.push(...open.splice(0));
    bottom = i === 0 ? strip.bottom : Math.max(bottom, strip.bottom);
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
    .filter(
      ({ both, left, right: end, first }) =>
        both >= 2 && (both >= 4 || end - left >= 1.4 * (strips[first]?.height ?? 0)),
    )
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
  return areas
    .sort((a, b) => a.first - b.first)
    .filter((area, i, all) => i === 0 || area.first > (all[i - 1]?.last ?? 0));
}

const MOST_GUTTERS = 200;

/** Adds the strips above and below that have text on one side, up to a wide space. */
function extended({ left, right: end, first, last, lastBoth }: Gutter, strips: readonly Strip[], pitch: number) {
  const gapAbove = (i: number) => (strips[i]?.top ?? 0) - (strips[i - 1]?.top ?? Number.NEGATIVE_INFINITY);
  const isBeside = ({ spans }: Strip) => spans.every(([from, to]) => to <= left || from >= end);
  let top = first;
  while (top > 0 && gapAbove(top) <= pitch * 1.5 && isBeside(strips[top - 1] as Strip)) top -= 1;
  // A line that is longer than its column so far belongs to other text.
  const edge = Math.max(
    ...strips.slice(top, lastBoth + 1).flatMap(({ spans }) => spans.flatMap(([, to]) => (to <= left ? [to] : []))),
  );
  const isLonger = ({ spans, height }: Strip) => spans.some(([, to]) => to <= left && to > edge + 2 * height);
  let bottom = lastBoth;
  while (bottom < last && !isLonger(strips[bottom + 1] as Strip)) bottom += 1;
  // Without a space before the text that crosses, what stands on one side belongs to that text.
  if (bottom < strips.length - 1) while (bottom > lastBoth && gapAbove(bottom + 1) <= pitch * 1.3) bottom -= 1;
  return { first: top, last: bottom };
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

/** Cuts a table where it is blank for more than a line: two tables, one below the other. */
function betweenBlanks(strips: readonly Strip[]): Strip[][] {
  const pitch = usualPitch(strips);
  return strips.reduce<Strip[][]>((parts, strip, i) => {
    const gap = strip.top - (strips[i - 1]?.top ?? strip.top);
    if (i === 0 || (gap > 2 * pitch && gap > 2.2 * strip.height)) parts.push([strip]);
    else parts.at(-1)?.push(strip);
    return parts;
  }, []);
}

/** The words of an area by row and column, and the white space between its columns. */
interface Cells {
  rows: Word[][][];
  cuts: { left: number; right: number }[];
}

function inCells(strips: readonly Strip[], gutters: readonly Gutter[]): Cells {
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
  return { rows, cuts };
}

/**
 * Tells a table from columns of running text, whose lines are long and full and do not begin together as cells do, and
 * from the lines of a form.
 */
function kindOf({ rows, cuts }: Cells, strips: readonly Strip[]): "columns" | "table" | "lines" {
  const columns = Array.from({ length: cuts.length + 1 }, (_, c) => {
    const lines = rows.flatMap((cells, i) => {
      const cell = cells[c] ?? [];
      return cell.length > 0 ? [{ i, cell, width: Math.max(...cell.map(right)) - (cell[0]?.x ?? 0) }] : [];
    });
    const widest = lines.reduce((most, { width }) => Math.max(most, width), 0);
    const letters = lines.reduce((sum, { cell }) => sum + lengthOf(cell), 0) / Math.max(1, lines.length);
    const full = lines.filter(({ width }) => width >= 0.75 * widest).length / Math.max(1, lines.length);
    return { lines, widest, isProse: lines.length >= 3 && letters >= 18 && full >= 0.5 };
  });
  const prose = columns.filter(({ isProse }) => isProse);
  if (prose.length === columns.length) return "columns";
  const isFilled = (cell: readonly Word[] | undefined) => cell !== undefined && cell.length > 0;
  const shared = rows.filter((cells) => cells.filter(isFilled).length > 1).length;
  const fewest = Math.min(...columns.map(({ lines }) => lines.length));
  if (shared < ALIGNED * fewest) return "columns";
  const marked = rows.filter(([first = []]) => SECTION_MARK.test(wordsIn(first))).length;
  if (marked > 0 && marked === rows.filter(([first = []]) => first.length > 0).length) return "lines";
  const has = (mark: RegExp) => rows.filter((cells) => cells.flat().some(({ text }) => mark.test(text))).length;
  if (has(/[:：]$/) > 0.6 * rows.length || has(/^\[[ x]\]$/) > rows.length / 3) return "lines";
  // Beside running text that goes on from line to line, a cell would stand only at the first line.
  let [wraps, besides] = [0, 0];
  for (const { lines, widest } of prose)
    for (const [n, line] of lines.entries()) {
      const above = lines[n - 1];
      const pitch = (strips[line.i]?.top ?? 0) - (strips[above?.i ?? 0]?.top ?? 0);
      if (!above || above.width < 0.8 * widest || pitch > 1.6 * (strips[line.i]?.height ?? 0)) continue;
      wraps += 1;
      if (columns.some(({ isProse }, c) => !isProse && isFilled(rows[line.i]?.[c]))) besides += 1;
    }
  if (wraps >= 3 && besides > 0.4 * wraps) return "columns";
  if (columns.length >= 3 || shared >= 3) return "table";
  return shared === rows.length ? "lines" : "columns";
}

/** The least share of the lines of a column of cells that stand on one baseline with another cell. */
const ALIGNED = 0.7;

/** Returns the rows of a table, without those above and below that have only a first cell: titles and notes. */
function bodyOf(rows: readonly Word[][][], strips: readonly Strip[]): [from: number, to: number] {
  const isAlone = ([first = [], ...more]: readonly Word[][]) =>
    first.length > 0 && more.every((cell) => cell.length === 0);
  const pitch = usualPitch(strips);
  let [from, to] = [0, rows.length];
  const gap = (i: number) => (strips[i]?.top ?? 0) - (strips[i - 1]?.top ?? 0);
  while (from < to && isAlone(rows[from] ?? []) && gap(from + 1) > 0.8 * pitch) from += 1;
  while (to > from && isAlone(rows[to - 1] ?? []) && !/^[\p{Ll}(（]/u.test(rows[to - 1]?.[0]?.[0]?.text ?? "")) to -= 1;
  return [from, to];
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
      isLast: false,
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
    const words = wordsIn(part);
    const isValue = words.length <= 25 && /\p{N}|^\[[ x]\]/u.test(words);
    const isNamed = /[:：]$/.test(before?.at(-1)?.text ?? "");
    const isNumber = before !== undefined && (LIST_MARK.test(wordsIn(before)) || SECTION_MARK.test(wordsIn(before)));
    if (before && (isValue || isNamed || isNumber)) before.push(...part);
    else joined.push([...part]);
  }
  return joined;
}
