import { parse } from "csv-parse/sync";
import { decode } from "../../text/decode.js";
import { allowance, type FormatReader, inLine, inMarkdown, type SpendCharacters } from "./content.js";

/**
 * CSV and TSV. The delimiter is the most frequent one in the first line that has any: some spreadsheets write
 * semicolons.
 */
export const csv: FormatReader = (bytes, name) => {
  const whole = decode(bytes).replace(/\r\n?/g, "\n");
  const [line = "", declared] = /^sep=(.)\n/.exec(whole) ?? [];
  const text = whole.slice(line.length);
  // Titles above the table have no delimiter.
  const lines = text
    .slice(0, 10_000)
    .replace(/"[^"]*"/g, "")
    .split("\n");
  const first = lines.find((each) => /[\t;|,]/.test(each)) ?? "";
  const count = (mark: string) => first.split(mark).length;
  const isTabbed = /\.(?:tsv|tab)$/i.test(name) && first.includes("\t");
  const likeliest = ["\t", ";", "|", ","].reduce((most, each) => (count(each) >= count(most) ? each : most));
  const rows = rowsOf(text, declared ?? (isTabbed ? "\t" : likeliest));
  const isTable = rows.some((row) => row.filter((cell) => cell.trim() !== "").length > 1);
  return inMarkdown((isTable ? withTitles : tables)(rows, allowance(bytes)));
};

/** Parses rows. If a quote is never closed, all quotes are text. */
export function rowsOf(text: string, delimiter: string): string[][] {
  const options = { delimiter, relax_column_count: true, relax_quotes: true, skip_empty_lines: true };
  try {
    return parse(text, options);
  } catch {
    return parse(text, { ...options, quote: false });
  }
}

/**
 * Writes rows as Markdown tables; the first row is the header. A new table begins every 500 rows, so that a Markdown
 * parser takes linear time. Empty columns and rows are left out.
 * @param spend is called with the number of characters that are written more than once.
 */
export function tables(rows: readonly (readonly string[])[], spend: SpendCharacters): string {
  const filled = rows.map((row) => row.map(inLine)).filter((row) => row.some((cell) => cell !== ""));
  const used = filled.reduce<boolean[]>((all, row) => {
    row.forEach((cell, i) => {
      all[i] ||= cell !== "";
    });
    return all;
  }, []);
  const columns = Array.from(used.keys()).filter((i) => used[i]);
  spend(filled.length * columns.length);
  const [head = [], ...rest] = filled.map((row) => columns.map((i) => row[i] ?? ""));
  const top = `${line(head)}\n|${" --- |".repeat(Math.max(1, columns.length))}`;
  if (rest.length === 0) return columns.length === 0 ? "" : top;
  const parts = Array.from({ length: Math.ceil(rest.length / ROWS) }, (_, i) => rest.slice(i * ROWS, (i + 1) * ROWS));
  spend(parts.length * top.length);
  return parts.map((part) => [top, ...part.map(line)].join("\n")).join("\n\n");
}

const ROWS = 500;

/** A cell that is wider than one column. Rows and columns count from 0. */
export interface WideCell {
  row: number;
  column: number;
  columns: number;
}

/**
 * Writes the rows of a sheet or a drawn table. Rows with one cell above the table are titles and notes, not its header. A
 * header of several rows becomes one: "Price" above "adult" and "child" is "Price adult" and "Price child".
 * @param rows in which a merged cell repeats its text in each row and column, but not in all columns of the table.
 * @param wide the merged cells that are wider than a column, by the indexes of `rows`.
 * @param heads the number of rows that the file itself calls header. Default: it is worked out from the wide cells.
 */
export function withTitles(
  rows: readonly (readonly string[])[],
  spend: SpendCharacters,
  wide: readonly WideCell[] = [],
  heads = 1,
): string {
  const filled = rows.flatMap((row, at) => (row.some((cell) => cell.trim() !== "") ? [{ row, at }] : []));
  const first = filled.findIndex(({ row, at }, i) => !isTitle(row, at, filled[i + 1]?.row, wide));
  const titles = first < 0 ? filled : filled.slice(0, first);
  const table = first < 0 ? [] : filled.slice(first);
  const count = Math.max(heads - titles.length, headRows(table, wide));
  const head = table.slice(0, count).map(({ row }) => row);
  const joined = count > 1 && count < table.length ? [oneHead(head)] : head;
  const written = tables([...joined, ...table.slice(count).map(({ row }) => row)], spend);
  return [...titles.map(({ row }) => inLine(row.find((cell) => cell.trim() !== "") ?? "")), written]
    .filter(Boolean)
    .join("\n\n");
}

/** Repeats the text of each wide cell in its columns, unless it is as wide as the table. Empty cells keep the place. */
export function fillWide(rows: readonly string[][], wide: readonly WideCell[], spend: SpendCharacters): void {
  const width = rows.reduce((most, { length }) => Math.max(most, length), 0);
  for (const { row, column, columns } of wide) {
    const cells = rows[row];
    const text = cells?.[column] ?? "";
    if (!cells || columns >= width) continue;
    spend(text.length * (columns - 1));
    for (let i = column; i < column + columns; i++) cells[i] = text;
  }
}

/** True for a row with one cell, unless it is the heading of the numbers below it. */
function isTitle(row: readonly string[], at: number, next: readonly string[] | undefined, wide: readonly WideCell[]) {
  const [column = 0, ...more] = row.flatMap((cell, i) => (cell.trim() === "" ? [] : [i]));
  if (more.length > 0) return false;
  return column === 0 || wide.some((cell) => cell.row === at) || !isNumber(next?.[column] ?? "");
}

/** True for an amount, a date or the like, but not for a year, a month or a text with a number in it. */
export const isNumber = (cell: string): boolean => NUMBER.test(cell.trim()) && !PERIOD.test(cell.trim());

const NUMBER = /^[^\p{L}\d]*(?:\p{Lu}{2,3}\s)?[^\p{L}\d]*\d[^\p{L}]*\p{L}{0,3}[^\p{L}]*$/u;
const PERIOD = /^(?:(?:19|20)\d\d年?|\d{1,2}月|\d{1,2}(?:st|nd|rd|th))$/;

/** Returns how many rows of a table are its header: a wide cell stands above the names of its columns. */
function headRows(table: readonly { row: readonly string[]; at: number }[], wide: readonly WideCell[]): number {
  for (let i = 0; i < MOST_HEADS; i++) {
    const [above, below] = [table[i], table[i + 1]];
    const spans = wide.filter(({ row }) => row === above?.at);
    if (!above || !below || spans.length === 0) return i + 1;
    const isUnder = (column: number) =>
      spans.some((span) => column >= span.column && column < span.column + span.columns);
    const columns = Array.from(Array(Math.max(above.row.length, below.row.length)).keys());
    const text = (row: readonly string[], column: number) => row[column]?.trim() ?? "";
    const namesColumns = columns.every((column) => {
      const [upper, lower] = [text(above.row, column), text(below.row, column)];
      if (isUnder(column)) return lower !== "" && !isNumber(lower);
      return lower === "" || lower === upper || (upper === "" && !isNumber(lower));
    });
    const isBesides = columns.some((column) => !isUnder(column)) || i > 0;
    const differs = columns.some((column) => isUnder(column) && text(above.row, column) !== text(below.row, column));
    if (!namesColumns || !differs || !(isBesides || spans.length > 1)) return i + 1;
  }
  return MOST_HEADS;
}

const MOST_HEADS = 4;

const oneHead = (rows: readonly (readonly string[])[]): string[] =>
  Array.from(Array(Math.max(...rows.map(({ length }) => length))).keys(), (column) => {
    const names = rows.map((row) => inLine(row[column] ?? ""));
    return names.filter((name, i) => name !== "" && name !== names[i - 1]).join(" ");
  });

const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
