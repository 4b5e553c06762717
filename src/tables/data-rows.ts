import type { Language } from "../types/language.js";
import type { Column, TableValue } from "../types/table.js";
import { cellValue } from "./cell-values.js";
import { typedColumns } from "./typed-columns.js";

/** The rows of a table that are data, typed, and the others as they are written. */
interface DataRows<Row> {
  rows: readonly Row[];
  columns: Column[];
  values: TableValue[][];
  notes: string[];
  /** How many rows are struck out. */
  struck: number;
}

/**
 * Tells the rows of data from titles between them, notes and totals. Undefined if the table has no header, holds pairs of a
 * name and a value, or only arranges text.
 * @param rows each has as many cells as the table has columns.
 */
export function dataRows<Row extends { cells: readonly string[] }>(
  names: readonly string[],
  rows: readonly Row[],
  language: Language,
): DataRows<Row> | undefined {
  if (names.filter((name) => name === "").length > names.length / 2 || isLayout(rows)) return undefined;
  const texts = aside(names, rows);
  const told = rows.filter((row) => !texts.has(row));
  const cells = told.map((row) => row.cells);
  const labelled = new Set(told.flatMap(({ cells }, i) => (isTotal(cells, i === told.length - 1) ? [i] : [])));
  let typed = typedColumns(names, cells, language, labelled);
  const totals = totalsIn(cells, labelled, typed);
  if (totals.size < labelled.size) typed = typedColumns(names, cells, language, totals);
  if (!hasHeader(names, cells, typed.columns)) return undefined;
  const isData = (_: unknown, i: number) => !totals.has(i);
  const kept = told.filter(isData);
  const keptRows = new Set(kept);
  return {
    rows: kept,
    columns: typed.columns,
    values: typed.values.filter(isData),
    struck: rows.filter(({ cells }) => isStruck(cells)).length,
    notes: rows
      .filter((row) => !keptRows.has(row) && !isSame(row.cells, names) && !isStruck(row.cells))
      .map((row) => row.cells.filter((cell, i) => cell !== "" && cell !== row.cells[i - 1]).join(" | ")),
  };
}

const isSame = (row: readonly string[], names: readonly string[]) => row.every((cell, i) => cell === names[i]);

/** In characters: a mean cell of more is running text. */
const LONG_CELL = 200;

function isLayout(rows: readonly { cells: readonly string[] }[]): boolean {
  let [filled, size] = [0, 0];
  for (const { cells } of rows) {
    for (const cell of cells) {
      if (cell === "") continue;
      filled += 1;
      size += cell.length;
    }
  }
  return filled === 0 || size / filled > LONG_CELL;
}

const filledIn = (cells: readonly string[]) => cells.reduce((count, cell) => (cell === "" ? count : count + 1), 0);

/** True for a row that is struck out. A cell that is merged with the one above may not be. */
function isStruck(cells: readonly string[]): boolean {
  const struck = cells.filter((cell) => cell.startsWith("~~") && /^~~.*~~$/s.test(cell)).length;
  return struck > 1 && struck >= filledIn(cells) - 1;
}

/**
 * Returns the rows that hold but one text: notes at the end, and titles of groups if the first row is one and others
 * follow. Also headers that are repeated, and rows that are struck out.
 */
function aside<Row extends { cells: readonly string[] }>(names: readonly string[], rows: readonly Row[]): Set<Row> {
  const found = new Set(rows.filter(({ cells }) => isSame(cells, names) || isStruck(cells)));
  const isSingle = ({ cells }: Row) => filledIn(cells) === 1;
  const last = rows.findLastIndex((row) => !isSingle(row));
  const inside = rows.slice(0, last + 1);
  const titles = inside.filter(isSingle);
  const [first] = rows;
  const areGroups = first !== undefined && first.cells.length > 2 && titles.length > 1 && titles[0] === first;
  if (areGroups) for (const title of titles) if (title.cells[0] !== "") found.add(title);
  for (const row of rows.slice(last + 1)) {
    const [text = ""] = row.cells.filter((cell) => cell !== "");
    const isNote = NOTE.test(text) || /[.。]$/.test(text);
    if (isNote || (row.cells.length > 2 && titles.length === 0 && !TOTAL.test(labelOf(row.cells)))) found.add(row);
  }
  return found;
}

/** Begins a note below a table. */
export const NOTE: RegExp = /^(?:[*†‡¹²³]|notes?\b|sources?\b|as of\b|注|备注|说明|来源|数据来源|截至)/i;

const WORDS =
  "(?:(?:grand|overall|sub|running)[\\s-]?)?(?:totals?|sums?)|averages?|avg\\.?|mean|[∑ΣØ]|合计|小计|总计|共计|总和|平均值?|均值";
/** A label that says nothing but that its row is a total: "Total (EUR):", "Total 2026". */
const TOTAL = new RegExp(`^(?:${WORDS})(?:\\s+(?:[A-Z]{3}|(?:19|20)\\d\\d))?\\s*(?:[(（].*)?[:：]?$`, "i");
/** A label that may name a total, such as "Subtotal North" or 华北小计, or something else, such as "Total Energies". */
const MAYBE_TOTAL = new RegExp(
  `^(?:${WORDS})(?![\\p{Script=Latin}\\p{N}])|(?<!\\p{Script=Latin})(?:${WORDS})[:：]?$`,
  "iu",
);
const SUBTOTAL = /sub-?total|小计/i;
const AVERAGE = /average|avg|mean|Ø|平均|均值/i;

/** Without these, a row without an empty first cell is no total. Cheaper to look for than a label. */
const HINT = /total|sum|average|avg|mean|[∑ΣØ]|[合小总共]\s*[计和]|均/i;

const labelOf = (cells: readonly string[]): string =>
  (cells.find((cell) => cell !== "") ?? "")
    .replace(/[*_~`]/g, "")
    .replace(/(?<=\p{Script=Han})\s+(?=\p{Script=Han})/gu, "")
    .trim();

/** True for a row that may be a total: by its label, or the last one if it has none. */
const isTotal = (cells: readonly string[], isLast: boolean): boolean => {
  if (!isLast && !HINT.test(cells[0] || (cells.find((cell) => cell !== "") ?? ""))) return false;
  const label = labelOf(cells);
  return label.length <= LONGEST_LABEL && (MAYBE_TOTAL.test(label) || (isLast && cells.includes("")));
};

/** In characters. */
const LONGEST_LABEL = 80;

/**
 * Returns which of these rows are totals. A total states the sum or the mean of rows above it or of all others; a row that
 * is only called total also counts if it is the last one, or lacks what other rows have.
 */
function totalsIn(
  rows: readonly (readonly string[])[],
  labelled: ReadonlySet<number>,
  { columns, values }: { columns: readonly Column[]; values: readonly TableValue[][] },
): Set<number> {
  const totals = new Set<number>();
  if (labelled.size === 0) return totals;
  const numeric = columns.flatMap(({ type }, i) =>
    type === "text" || type === "date" || type === "yes/no" ? [] : [i],
  );
  const data = rows.length - labelled.size;
  const usual = columns.flatMap(({ type, empty }, i) =>
    (type === "text" || type === "date") && empty <= 0.2 * data ? [i] : [],
  );
  const none = () => columns.map(() => ({ sum: 0, count: 0 }));
  const [all, above, parts] = [none(), none(), none()];
  let since = none();
  const add = (sums: { sum: number; count: number }[], row: number) => {
    for (const i of numeric) {
      const [one, value] = [sums[i], values[row]?.[i]];
      if (!one || typeof value !== "number") continue;
      one.sum += value;
      one.count += 1;
    }
  };
  let lastData = -1;
  rows.forEach((_, row) => {
    if (labelled.has(row)) return;
    add(all, row);
    lastData = row;
  });
  rows.forEach((cells, row) => {
    if (!labelled.has(row)) {
      add(above, row);
      add(since, row);
      return;
    }
    const label = labelOf(cells);
    const isExact = TOTAL.test(label);
    const first = cells.findIndex((cell) => cell !== "");
    const others = usual.filter((i) => i !== first);
    const isBare = others.length > 0 && others.every((i) => cells[i] === "");
    const least = SUBTOTAL.test(label) || isExact || isBare ? 1 : 2;
    const given = numeric.filter((i) => typeof values[row]?.[i] === "number");
    const agreeing = given.filter((i) => {
      const value = values[row]?.[i] as number;
      return [since, above, parts, all].some((sums) => {
        const { sum = 0, count = 0 } = sums[i] ?? {};
        return count >= least && isNear(value, AVERAGE.test(label) ? sum / count : sum);
      });
    });
    const isLast = row > lastData;
    const isNamed = MAYBE_TOTAL.test(label);
    const isSum = agreeing.length > 0 && agreeing.length >= given.length / 2;
    const isTold = isExact
      ? agreeing.length > 0 || isLast || isBare
      : isNamed
        ? isSum
        : // Without a word for it, all that it says besides a label has to be sums: "All shops".
          data > 1 &&
          isSum &&
          agreeing.length === given.length &&
          given.length >= filledIn(cells) - (given.length > 1 ? 1 : 0);
    if (isTold) {
      totals.add(row);
      if (!AVERAGE.test(label)) {
        if (SUBTOTAL.test(label)) add(parts, row);
        since = none();
      }
    } else {
      add(above, row);
      add(since, row);
    }
  });
  return totals;
}

/** Sums of rounded numbers differ a little. */
const isNear = (value: number, sum: number) => value !== 0 && Math.abs(value - sum) <= 0.002 * Math.abs(sum) + 1e-9;

/** False if the first row is as the others: it holds values, or the rows are pairs of a name and a value. */
function hasHeader(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  columns: readonly Column[],
): boolean {
  const values = names.flatMap((name, i) => {
    const [value, column] = [cellValue(name), columns[i]];
    // "Half-year" is a heading.
    if (!column || PERIOD.test(name) || !/\d/.test(name)) return [];
    if (value.kind === "date") return column.type === "date" ? [Number.NaN] : [];
    if (value.kind !== "amount" || value.numeral.isOpen) return [];
    const isAlike = column.type !== "text" && column.type !== "date" && column.type !== "yes/no";
    return isAlike || columns.length === 2 ? [value.numeral.point ?? Number.NaN] : [];
  });
  // 1, 2, 3 name columns.
  const isSeries = values.length > 1 && values.every((value, i) => i === 0 || value > (values[i - 1] ?? 0));
  if (values.length > 0 && !isSeries) return false;
  return columns.length > 2 || !arePairs(names, rows, columns);
}

const PERIOD = /^(?:(?:19|20)\d\d年?|\d{1,2}月)$/;

/** True for "Owner:" and "Ann", or for names beside values of three kinds or more. */
function arePairs(
  [name = ""]: readonly string[],
  rows: readonly (readonly string[])[],
  [, column]: readonly Column[],
): boolean {
  const isColon = (text: string | undefined) => /[:：]$/.test(text ?? "");
  if (isColon(name) || rows.filter(([cell]) => isColon(cell)).length > rows.length / 2) return true;
  if (column?.type !== "text" || rows.length > MOST_PAIRS) return false;
  const kinds = new Set(
    rows.map(([, cell = ""]) => {
      const value = cellValue(cell);
      return value.kind === "amount" ? `${value.unit.kind} ${value.unit.base}` : value.kind;
    }),
  );
  kinds.delete("empty");
  return kinds.size > 2;
}

const MOST_PAIRS = 50;
