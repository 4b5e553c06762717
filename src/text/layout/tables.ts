import { inRows, right, textOf } from "./rows.js";
import type { Rule, Word } from "./words.js";

export interface Table {
  x: number;
  y: number;
  width: number;
  height: number;
  /** Text above the table that stands inside its borders, such as a title. */
  title: string;
  rows: string[][];
  /** False if its first row is one of its values: it has no names for its columns. */
  hasHeader: boolean;
}

/** Returns text on several rows as one line. */
export function wordsOf(words: readonly Word[]): string {
  return inRows(words).reduce((text, row) => joined(text, textOf(row.words)), "");
}

/** Joins two lines. Drops the line end inside a hyphenated word and between Chinese characters. */
export function joined(text: string, line: string, between = " "): string {
  if (text === "") return line;
  const end = text.slice(-3);
  if (/\p{Ll}[-\u00ad]$/u.test(end) && /^\p{Ll}/u.test(line)) return text.slice(0, -1) + line;
  return CHINESE_END.test(end) && CHINESE_START.test(line) ? text + line : `${text}${between}${line}`;
}

const CHINESE_END = /[\p{Script=Han}\u3000-\u303f\uff01-\uff65]$/u;
const CHINESE_START = /^[\p{Script=Han}\u3000-\u303f\uff01-\uff65]/u;

/** Writes a table as Markdown, with a header of empty cells if it has none. */
export function tableAsMarkdown({ rows, hasHeader, title }: Table): string {
  const width = rows[0]?.length ?? 0;
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  const [head = [], ...rest] = hasHeader ? rows : [Array<string>(width).fill(""), ...rows];
  const table = [line(head), `|${" --- |".repeat(width)}`, ...rest.map(line)].join("\n");
  return title === "" ? table : `${title}\n\n${table}`;
}

/**
 * Returns a table without borders between its cells.
 * @param lines for each line of text, its words by column.
 * @param cuts the white space between two columns, from left to right.
 */
export function whiteTable(
  lines: readonly Word[][][],
  cuts: readonly { left: number; right: number }[],
  rules: readonly Rule[],
): Table | undefined {
  const words = lines.flat(2);
  if (words.length === 0) return undefined;
  const x = Math.min(...words.map((word) => word.x));
  const y = Math.min(...words.map((word) => word.y));
  const end = Math.max(...words.map(right));
  const bottom = Math.max(...words.map((word) => word.y + word.height));
  const across = rules
    .filter(
      ({ x1, x2, y1, y2 }) =>
        y2 - y1 < 1 && y1 > y && y1 < bottom && Math.min(x2, end) - Math.max(x1, x) > 0.7 * (end - x),
    )
    .map(({ y1 }) => y1)
    .sort((a, b) => a - b)
    .filter((at, i, ys) => i === 0 || at - (ys[i - 1] ?? 0) > 3);
  const all = grouped(lines, cuts, across);
  const title = isTitle(all) ? wordsOf(all[0]?.flat() ?? []) : "";
  const rows = title === "" ? all : all.slice(1);
  if (rows.length < 2) return undefined;
  const used = (rows[0] ?? []).map((_, c) => rows.some((cells) => (cells[c] ?? []).length > 0));
  const texts = rows.map((cells) => cells.filter((_, c) => used[c]).map(wordsOf));
  const isBold = (cells: readonly Word[][]) => cells.flat().every((word) => word.isBold);
  const [first = [], second = []] = rows;
  const firstBottom = Math.max(...first.flat().map((word) => word.y + word.height * 0.8));
  const secondTop = Math.min(...second.flat().map((word) => word.y + word.height * 0.5));
  const isSetOff =
    (isBold(first) && !isBold(second)) ||
    (across.length <= 2 && across.some((at) => at > firstBottom && at < secondTop));
  return { x, y, width: end - x, height: bottom - y, title, rows: texts, hasHeader: hasHeader(texts, isSetOff, 3) };
}

/** True if the first row is a title in larger letters, which happens to stand above some of the columns. */
function isTitle([first = [], second = [], ...more]: readonly Word[][][]): boolean {
  const filled = (row: readonly Word[][]) => row.filter((cell) => cell.length > 0).length;
  const size = (row: readonly Word[][]) => Math.max(...row.flat().map(({ height }) => height));
  return more.length > 0 && filled(first) <= filled(second) / 2 && size(first) > LARGER * size(second);
}

const LARGER = 1.15;

/** Joins the lines of each row. */
function grouped(
  lines: readonly Word[][][],
  cuts: readonly { left: number; right: number }[],
  across: readonly number[],
): Word[][][] {
  const middles = lines.map((cells) => {
    const words = cells.flat();
    return words.reduce((sum, word) => sum + word.y + word.height / 2, 0) / Math.max(1, words.length);
  });
  const bandOf = (i: number) => across.filter((at) => at < (middles[i] ?? 0)).length;
  const bands = new Set(lines.map((_, i) => bandOf(i))).size;
  const isByRule = bands >= 3 && lines.length / bands <= 4;
  const filled = (cells: readonly Word[][]) => cells.filter((cell) => cell.length > 0).length;
  const size = (i: number) => lines[i]?.flat()[0]?.height ?? 10;
  const pitch = (i: number) => (middles[i] ?? 0) - (middles[i - 1] ?? Number.NEGATIVE_INFINITY);
  const tightest = Math.min(...lines.map((_, i) => pitch(i)));
  const isTight = (i: number) => pitch(i) <= Math.min(1.25 * tightest, 1.5 * size(i));
  const tight = lines.flatMap((cells, i) => (i > 0 && isTight(i) ? [filled(cells) < filled(lines[i - 1] ?? [])] : []));
  const isSpaced = tight.length < lines.length - 2 && tight.filter(Boolean).length >= 0.7 * tight.length;
  const rows: Word[][][] = [];
  for (const [i, cells] of lines.entries()) {
    const row = rows.at(-1);
    const before = lines[i - 1] ?? [];
    const goesOn = isByRule
      ? bandOf(i) === bandOf(i - 1)
      : across.length > 0 && bandOf(i) !== bandOf(i - 1)
        ? false
        : (i === 1 && across.length > 0 && bandOf(i) === bandOf(0) && bandOf(lines.length - 1) !== bandOf(0)) ||
          (isSpaced && isTight(i) && filled(cells) < cuts.length + 1) ||
          (i === 1 && isName(lines)) ||
          wraps(before, cells, cuts);
    if (row && goesOn) for (const [c, cell] of cells.entries()) row[c]?.push(...cell);
    else rows.push(cells.map((cell) => [...cell]));
  }
  return rows;
}

/** True if the names of the columns go on in the second line: most lines below it have numbers. */
function isName([first = [], second = [], ...more]: readonly Word[][][]): boolean {
  const hasNumber = (cells: readonly Word[][]) =>
    cells.slice(1).some((cell) => cell.some(({ text }) => /\d/.test(text)));
  const gaps = first.filter((cell) => cell.length === 0).length;
  return (
    gaps > 0 &&
    second.every((cell) => cell.length > 0) &&
    !hasNumber(first) &&
    !hasNumber(second) &&
    more.filter(hasNumber).length > more.length / 2
  );
}

/** True if each cell of a line goes on from the cell above, because its first word found no room there. */
function wraps(
  above: readonly Word[][],
  line: readonly Word[][],
  cuts: readonly { left: number; right: number }[],
): boolean {
  const used = line.flatMap((cell, c) => (cell.length > 0 ? [c] : []));
  if (used.length === 0 || used.length >= above.filter((cell) => cell.length > 0).length) return false;
  return used.every((c) => {
    const [before = [], cell = []] = [above[c], line[c]];
    const [word] = cell;
    if (before.length === 0 || !word) return false;
    const room =
      (cuts[c]?.right ?? Math.max(...before.map(right), ...cell.map(right)) + 1) - Math.max(...before.map(right));
    if (c > 0 && /^\p{Ll}/u.test(word.text) && (line[0]?.length ?? 0) === 0) return true;
    return room < word.width + word.height && /^[\p{Ll}\p{N}(（\p{Script=Han}]/u.test(word.text);
  });
}

/**
 * False if the first row cannot name the columns: a number stands above numbers like it, or its first cell is named as
 * those below it are.
 * @param least the number of columns from which a first row is a header without another sign.
 */
export function hasHeader(rows: readonly string[][], isSetOff: boolean, least: number): boolean {
  const [first = [], ...rest] = rows;
  if (rest.length === 0) return false;
  const named = rows.filter(([cell = ""]) => /[:：]$/.test(cell)).length;
  if (named > rows.length / 2 && /[:：]$/.test(first[0] ?? "")) return false;
  const isLike = first.some((cell, c) => {
    const below = rest.map((row) => row[c] ?? "").filter((text) => text !== "");
    return c > 0 && shape(cell) !== "" && below.filter((text) => shape(text) === shape(cell)).length > below.length / 2;
  });
  if (isLike) return false;
  if (isSetOff || first.length >= least) return true;
  const shapes = rest.map((row) => shape(row[1] ?? ""));
  const isAlike = shapes.filter((each) => each !== "" && each === shapes[0]).length > 0.6 * rest.length;
  return rest.length >= 2 && isAlike && shape(first[1] ?? "") === "";
}

/** How a number is written, without its digits: "EUR 0,0". Years differ from other numbers. Empty for words. */
function shape(cell: string): string {
  if (/^(?:19|20)\d\d$/.test(cell.trim())) return "year";
  return /\d/.test(cell) && cell.replace(/[^\p{L}]/gu, "").length <= 6
    ? cell.replace(/\d+/g, "0").replace(/0(?:[.,]0)+/g, "0")
    : "";
}
