import type { SpendCharacters } from "./content.js";
import { isNumber, type WideCell, withTitles } from "./table.js";

/** A row of a sheet. */
export interface SheetRow {
  /** From 1. */
  number: number;
  /** The texts of its cells that are not empty, by their columns, from 1. */
  cells: Map<number, string>;
  /** True if all of them are in bold letters. */
  isBold: boolean;
}

/** How many columns a merged cell has, by its row and column. */
export type WideCells = Map<number, Map<number, number>>;

/** Writes the tables and the lines of a sheet, in order. */
export const sheetTables = (rows: readonly SheetRow[], wide: WideCells, spend: SpendCharacters): string[] =>
  regions(rows).map((region) => tableOf(region, wide, spend));

/** A part of a sheet that is a table, or lines of text. */
interface Region {
  rows: readonly SheetRow[];
  /** Those that hold something, in order. */
  columns: readonly number[];
}

/**
 * Cuts a sheet into its tables, which empty rows or columns set apart. An empty row or column within a table cuts nothing:
 * a part is a table of its own if it has a header of its own.
 */
function regions(rows: readonly SheetRow[], depth = 0): Region[] {
  const columns = usedColumns(rows);
  if (depth < DEEPEST) {
    const beside = besideEachOther(rows, columns);
    if (beside.length > 1) return beside.flatMap((part) => regions(part, depth + 1));
    const below = belowEachOther(rows);
    if (below.length > 1) return below.flatMap((part) => regions(part, depth + 1));
  }
  return [{ rows, columns }];
}

const DEEPEST = 4;

/** Writes a part of a sheet. A wide cell repeats its text in its columns, unless it is as wide as the part. */
function tableOf({ rows, columns }: Region, wide: WideCells, spend: SpendCharacters): string {
  const cells: WideCell[] = [];
  const places = new Map(columns.map((column, i) => [column, i]));
  const filled = rows.map(({ number, cells: texts }, row) => {
    const written = columns.map((column) => texts.get(column) ?? "");
    for (const [from, count] of wide.get(number) ?? []) {
      const column = places.get(from) ?? -1;
      const text = written[column] ?? "";
      if (text === "") continue;
      let end = column;
      while ((columns[end] ?? Number.POSITIVE_INFINITY) < from + count) end += 1;
      cells.push({ row, column, columns: end - column });
      if (end - column === columns.length) continue;
      spend(text.length * (end - column));
      written.fill(text, column, end);
    }
    return written;
  });
  return withTitles(filled, spend, cells);
}

const usedColumns = (rows: readonly SheetRow[]): number[] => {
  const used = new Set<number>();
  for (const { cells } of rows) for (const column of cells.keys()) used.add(column);
  return [...used].sort((a, b) => a - b);
};

/** Cuts at empty columns with a table on either side. */
function besideEachOther(rows: readonly SheetRow[], columns: readonly number[]): SheetRow[][] {
  const groups: number[][] = [];
  for (const column of columns) {
    if (column - 1 === groups.at(-1)?.at(-1)) groups.at(-1)?.push(column);
    else groups.push([column]);
  }
  if (groups.length < 2 || groups.length > MOST_GROUPS) return [[...rows]];
  const parts: SheetRow[][] = [];
  let wide: number[] = [];
  for (const group of groups) {
    const own = within(rows, group);
    const last = parts.at(-1);
    if (!last || (headOf(last) && isBeside(own, last))) {
      wide = group;
      parts.push(own);
    } else {
      wide = [...wide, ...group];
      parts.splice(-1, 1, within(rows, wide));
    }
  }
  return parts;
}

const MOST_GROUPS = 20;

function within(rows: readonly SheetRow[], columns: readonly number[]): SheetRow[] {
  const [first = 0, last = 0] = [columns[0], columns.at(-1)];
  return rows.flatMap((row) => {
    const cells = new Map([...row.cells].filter(([column]) => column >= first && column <= last));
    return cells.size === 0 ? [] : [{ ...row, cells }];
  });
}

/** Returns the header of a table, which may be of two rows; undefined if the rows are no table. */
function headOf(rows: readonly SheetRow[]): SheetRow | undefined {
  const at = rows.findIndex(({ cells }) => cells.size > 1);
  const [head, next] = [rows[at], rows[at + 1]];
  const columns = usedColumns(rows.slice(at, at + 1 + ENOUGH));
  if (!head || !next || columns.length < 2 || [...head.cells.values()].some(isNumber)) return undefined;
  const isHeaded = (column: number) =>
    head.cells.has(column) || (next.cells.has(column) && !isNumber(next.cells.get(column) ?? ""));
  return columns.every(isHeaded) ? head : undefined;
}

/**
 * True if the rows are a table beside another one, not its last columns: it begins in another row, has a column of the same
 * name, or names its rows.
 */
function isBeside(rows: readonly SheetRow[], left: readonly SheetRow[]): boolean {
  const [head, other] = [headOf(rows), headOf(left)];
  if (!head || !other) return false;
  const names = new Set(other.cells.values());
  if (head.number !== other.number || [...head.cells.values()].some((name) => names.has(name))) return true;
  const below = rows.filter(({ number }) => number > head.number).slice(0, ENOUGH);
  const [first = 0] = usedColumns(rows);
  return below.every(({ cells }) => cells.has(first) && !isAmount(cells.get(first) ?? ""));
}

/** In rows. */
const ENOUGH = 20;

/** True for a number that names nothing, as a date does. */
const isAmount = (cell: string) => isNumber(cell) && !/^\d{4}-\d\d/.test(cell);

/** Cuts at empty rows before a header, and before the lines at the end. */
function belowEachOther(rows: readonly SheetRow[]): SheetRow[][] {
  const bands: SheetRow[][] = [];
  for (const row of rows) {
    if (row.number - 1 === bands.at(-1)?.at(-1)?.number) bands.at(-1)?.push(row);
    else bands.push([row]);
  }
  const lastTable = bands.findLastIndex((band) => band.some(({ cells }) => cells.size > 1));
  const parts: SheetRow[][] = [];
  bands.forEach((band, i) => {
    const part = parts.at(-1);
    if (!part || (lastTable >= 0 && i === lastTable + 1) || beginsTable(band, part)) parts.push([...band]);
    else for (const row of band) part.push(row);
  });
  return parts;
}

/** True if the rows have a header of their own, after titles. */
function beginsTable(band: readonly SheetRow[], before: readonly SheetRow[]): boolean {
  const at = band.findIndex(({ cells }) => cells.size > 1);
  const [head, next] = [band[at], band[at + 1]];
  if (!head || !next || [...head.cells.values()].some(isNumber)) return false;
  const earlier = before.find(({ cells }) => cells.size > 1);
  const sameColumns = [...head.cells.keys()].join() === [...(earlier?.cells.keys() ?? [])].join();
  const below = band.slice(at + 1, at + 1 + ENOUGH);
  const headsNumbers = [...head.cells.keys()].some((column) =>
    below.some(({ cells }) => isNumber(cells.get(column) ?? "")),
  );
  return !earlier || !sameColumns || headsNumbers || (head.isBold && !next.isBold);
}
