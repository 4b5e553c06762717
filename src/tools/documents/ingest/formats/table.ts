import { parse } from "csv-parse/sync";
import { decode } from "../../../../language/decode.js";
import { inMarkdown, type Loader } from "./content.js";

/** CSV and TSV. The delimiter is the one that the first line has most of: spreadsheets also write semicolons. */
export const csv: Loader = (bytes) => {
  const text = decode(bytes);
  const [first = ""] = /^.*$/m.exec(text) ?? [];
  const counts = ["\t", ";", "|", ","].map((mark) => ({ mark, count: first.split(mark).length }));
  const delimiter = counts.reduce((most, each) => (each.count >= most.count ? each : most)).mark;
  return inMarkdown(tables(rowsOf(text, delimiter)));
};

/** Where a quote is never closed, quotes are text. */
function rowsOf(text: string, delimiter: string): string[][] {
  const options = { delimiter, relax_column_count: true, relax_quotes: true, skip_empty_lines: true };
  try {
    return parse(text, options);
  } catch {
    return parse(text, { ...options, quote: false });
  }
}

/**
 * Writes rows as Markdown tables; the first row is the header. Every few hundred rows a new table begins, so that a reader
 * of Markdown takes linear time. Where the header is too long to be repeated, each row becomes a paragraph of its cells with
 * their column names. Empty columns and rows are left out.
 */
export function tables(rows: readonly (readonly string[])[]): string {
  const filled = rows.map((row) => row.map(inLine)).filter((row) => row.some((cell) => cell !== ""));
  const used = filled.reduce<boolean[]>((all, row) => {
    row.forEach((cell, i) => {
      all[i] ||= cell !== "";
    });
    return all;
  }, []);
  const columns = Array.from(used.keys()).filter((i) => used[i]);
  const [head = [], ...rest] = filled.map((row) => columns.map((i) => row[i] ?? ""));
  if ((head.join(" ").match(WORDS)?.length ?? 0) > LONGEST_HEAD)
    return rest.map((row) => inWords(head, row)).join("\n\n");
  const top = `${line(head)}\n|${" --- |".repeat(Math.max(1, columns.length))}`;
  if (rest.length === 0) return columns.length === 0 ? "" : top;
  const parts = Array.from({ length: Math.ceil(rest.length / ROWS) }, (_, i) => rest.slice(i * ROWS, (i + 1) * ROWS));
  return parts.map((part) => [top, ...part.map(line)].join("\n")).join("\n\n");
}

/** In words and Chinese characters: `chunk` repeats a header of up to 200 tokens. */
const LONGEST_HEAD = 120;
const WORDS = /\p{Script=Han}|[^\s\p{Script=Han}]+/gu;
const ROWS = 500;

const inLine = (cell: string) => cell.replace(/\s+/g, " ").trim();
const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;

const inWords = (head: readonly string[], row: readonly string[]) =>
  row.flatMap((cell, i) => (cell === "" ? [] : [head[i] ? `${head[i]}: ${cell}` : cell])).join("; ");
