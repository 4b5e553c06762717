import { parse } from "csv-parse/sync";
import { UsageError } from "../../errors.js";
import { isoDate } from "../../text/metadata.js";
import type { Line } from "../../tools/knowledge/lines.js";
import type { Triple } from "../../tools/knowledge/port.js";
import { cleanTriple, LONGEST_NAME, LONGEST_RELATION } from "./ground-triples.js";

/** A line with its triple, or with the reason why it has none. */
export type TripleRow = Line & (Stated | Fault);

export interface Stated {
  triple: Triple;
  /** The title or address of the line's source; empty if unknown. */
  source: string;
  /** An ISO date, or empty. */
  date: string;
}

interface Fault {
  fault: string;
}

/** Reads the records of a file in one format. */
export interface RowReader {
  /** The line that names the columns. If it changes, every line counts as changed. */
  header: string;
  records: AsyncIterable<Line>;
  read(records: readonly Line[]): TripleRow[];
}

/** @throws UsageError if the header lacks a column. */
export async function csvReader(lines: AsyncIterable<Line>, path: string): Promise<RowReader> {
  const records = csvRecords(lines)[Symbol.asyncIterator]();
  const first = await records.next();
  const header = first.done ? "" : first.value.text;
  const delimiter = delimiterOf(header);
  const names = fieldsOf(header, delimiter);
  const columns = typeof names === "string" || names.length > 1 ? [] : (names[0] ?? []).map(columnName);
  const missing = NEEDED.filter((column) => !columns.includes(column));
  if (missing.length > 0) {
    await records.return?.(undefined);
    throw new UsageError(
      `${path} has no column ${missing.join(", ")}. Its first line names the columns: ${COLUMNS.join(",")}; the first three are needed.`,
    );
  }
  return {
    header,
    records: { [Symbol.asyncIterator]: () => records },
    read: (rows) =>
      csvRows(rows, delimiter, (fields) =>
        stated(Object.fromEntries(columns.map((column, i) => [column, fields[i] ?? ""]))),
      ),
  };
}

export function jsonReader(lines: AsyncIterable<Line>): RowReader {
  return {
    header: "",
    records: lines,
    read: (records) => records.map((line) => ({ ...line, ...statedInJson(line.text) })),
  };
}

function statedInJson(text: string): Stated | Fault {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return { fault: "it is not JSON" };
  }
  if (typeof given !== "object" || given === null || Array.isArray(given)) return { fault: "it is not a JSON object" };
  return stated(Object.fromEntries(Object.entries(given).map(([key, value]) => [columnName(key), value])));
}

/**
 * Groups lines into CSV records, since a quoted field may span several lines. If a quote is not closed within a hundred
 * lines, each line counts as a record, so that the quote spoils only its own line.
 */
async function* csvRecords(lines: AsyncIterable<Line>): AsyncGenerator<Line> {
  let open: Line[] = [];
  let marks = 0;
  for await (const line of lines) {
    open.push(line);
    marks += line.text.split('"').length - 1;
    const isClosed = marks % 2 === 0;
    if (!isClosed && open.length <= MOST_LINES) continue;
    if (isClosed) yield { number: open[0]?.number ?? 0, text: open.map(({ text }) => text).join("\n") };
    else yield* open;
    open = [];
    marks = 0;
  }
  yield* open;
}

const MOST_LINES = 100;

/** Parses records together. If that fails, parses each, and a failing record of several lines line by line. */
function csvRows(
  records: readonly Line[],
  delimiter: string,
  meaning: (fields: readonly string[]) => Stated | Fault,
): TripleRow[] {
  const rows = fieldsOf(records.map(({ text }) => text).join("\n"), delimiter);
  if (typeof rows !== "string" && rows.length === records.length)
    return records.map((record, i) => ({ ...record, ...meaning(rows[i] ?? []) }));
  return records.flatMap((record): TripleRow[] => {
    const lines = record.text.split("\n").map((text, i) => ({ number: record.number + i, text }));
    if (records.length > 1) return csvRows([record], delimiter, meaning);
    if (lines.length > 1) return csvRows(lines, delimiter, meaning);
    return [{ ...record, fault: typeof rows === "string" ? rows : "it is not a row" }];
  });
}

function fieldsOf(text: string, delimiter: string): string[][] | string {
  try {
    return parse(text, { delimiter, relax_column_count: true, skip_empty_lines: true, trim: true });
  } catch {
    return "a quotation mark is not closed, or is inside a field without quotation marks around it";
  }
}

/** Returns the most frequent delimiter. In some countries, spreadsheets write semicolons or tabs. */
const delimiterOf = (header: string) =>
  [",", ";", "\t"].reduce((best, mark) => (header.split(mark).length > header.split(best).length ? mark : best));

const NEEDED = ["subject", "predicate", "object"] as const;
const COLUMNS = [
  ...NEEDED,
  "subject_type",
  "object_type",
  "subject_aliases",
  "object_aliases",
  "source",
  "date",
  "quote",
] as const;

/** Reads "Subject Type" and "subjectType" as "subject_type". */
const columnName = (name: string) =>
  name
    .trim()
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, "_")
    .replace(/[\s-]+/g, "_")
    .toLowerCase();

function stated(row: Record<string, unknown>): Stated | Fault {
  const text = (column: (typeof COLUMNS)[number]) => {
    const value = row[column];
    return ["string", "number", "boolean"].includes(typeof value) ? String(value).trim() : "";
  };
  const aliases = (column: "subject_aliases" | "object_aliases") => {
    const value = row[column];
    const all = Array.isArray(value) ? value.filter((alias) => typeof alias === "string") : text(column).split("|");
    return all.map((alias) => alias.trim()).filter((alias) => alias !== "");
  };
  const empty = NEEDED.find((column) => text(column) === "");
  if (empty) return { fault: `it has no ${empty}` };
  const date = isoDate(text("date"));
  if (date === "" && text("date") !== "")
    return { fault: `its date is not a date such as 2026-03-31: ${text("date").slice(0, 40)}` };
  const triple = cleanTriple({
    subject: { name: text("subject"), type: text("subject_type"), aliases: aliases("subject_aliases") },
    predicate: text("predicate"),
    object: { name: text("object"), type: text("object_type"), aliases: aliases("object_aliases") },
    quote: text("quote"),
  });
  if (!triple)
    return {
      fault: `a name has at most ${LONGEST_NAME} characters, a relation ${LONGEST_RELATION}, and each a letter or digit`,
    };
  return { triple, source: text("source"), date };
}
