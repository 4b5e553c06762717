import { parse } from "csv-parse/sync";
import { decode } from "../../text/decode.js";
import { tokensIn } from "../../text/token-count.js";
import { allowance, type FormatReader, inLine, inMarkdown, LARGEST_HEAD, type SpendCharacters } from "./content.js";

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
 * parser takes linear time. If the header is too long to be repeated, each row becomes a paragraph of its cells with
 * their column names. Empty columns and rows are left out.
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
  if (rest.length > 0 && tokensIn(top) > LARGEST_HEAD) return rest.map((row) => inWords(head, row, spend)).join("\n\n");
  if (rest.length === 0) return columns.length === 0 ? "" : top;
  const parts = Array.from({ length: Math.ceil(rest.length / ROWS) }, (_, i) => rest.slice(i * ROWS, (i + 1) * ROWS));
  spend(parts.length * top.length);
  return parts.map((part) => [top, ...part.map(line)].join("\n")).join("\n\n");
}

const ROWS = 500;

/** Writes the rows of a sheet. Rows with one cell above a table are titles and notes, not its header. */
export function withTitles(rows: readonly (readonly string[])[], spend: SpendCharacters): string {
  const filled = rows.filter((row) => row.some((cell) => cell.trim() !== ""));
  const isLine = (row: readonly string[]) => row.filter((cell) => cell.trim() !== "").length === 1;
  const first = filled.findIndex((row) => !isLine(row));
  const titles = first < 0 ? filled : filled.slice(0, first);
  const table = first < 0 ? "" : tables(filled.slice(first), spend);
  return [...titles.map((row) => inLine(row.join(""))), table].filter(Boolean).join("\n\n");
}

const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;

function inWords(head: readonly string[], row: readonly string[], spend: SpendCharacters): string {
  const named = row.flatMap((cell, i) => (cell === "" ? [] : [{ name: head[i] ?? "", cell }]));
  spend(named.reduce((sum, { name }) => sum + name.length, 0));
  return named.map(({ name, cell }) => (name === "" ? cell : `${name}: ${cell}`)).join("; ");
}
