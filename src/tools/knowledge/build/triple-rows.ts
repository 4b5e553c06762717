import { parse } from "csv-parse/sync";
import { UsageError } from "../../../errors.js";
import { isoDate } from "../../documents/ingest/front-matter.js";
import type { Triple } from "../port.js";
import { cleanTriple, LONGEST_NAME, LONGEST_RELATION } from "./clean.js";
import type { Line } from "./lines.js";

/** What one line says, or what is wrong with it. */
export type TripleRow = Line & (Stated | { fault: string });

export interface Stated {
  triple: Triple;
  /** Who says so: a title or an address; empty where the line does not tell. */
  source: string;
  /** An ISO date, or empty. */
  date: string;
}

/** Reads the records of one kind of file. */
export interface RowReader {
  /** What lines are compared by beside their own words: the header that says what they mean. */
  header: string;
  records: AsyncIterable<Line>;
  read(records: readonly Line[]): TripleRow[];
}

/** @throws UsageError where the header lacks a column. */
export async function csvReader(lines: AsyncIterable<Line>, path: string): Promise<RowReader> {
  const records = csvRecords(lines)[Symbol.asyncIterator]();
  const first = await records.next();
  const header = first.done ? "" : first.value.text;
  const delimiter = delimiterOf(header);
  const columns =
    (csvRows([{ number: 1, text: header }], delimiter)[0] as { fields?: string[] }).fields?.map(columnName) ?? [];
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
      csvRows(rows, delimiter).map((row): TripleRow => {
        if (row.fault !== undefined) return row;
        const { fields, ...line } = row;
        return { ...line, ...stated(Object.fromEntries(columns.map((column, i) => [column, fields[i] ?? ""]))) };
      }),
  };
}

export function jsonReader(lines: AsyncIterable<Line>): RowReader {
  return {
    header: "",
    records: lines,
    read: (records) =>
      records.map((line): TripleRow => {
        let given: unknown;
        try {
          given = JSON.parse(line.text);
        } catch {
          return { ...line, fault: "it is not JSON" };
        }
        if (typeof given !== "object" || given === null || Array.isArray(given))
          return { ...line, fault: "it is no JSON object" };
        return {
          ...line,
          ...stated(Object.fromEntries(Object.entries(given).map(([key, value]) => [columnName(key), value]))),
        };
      }),
  };
}

/** A row of a table by its columns, or what is wrong with it. */
type Row = Line & ({ fields: readonly string[]; fault?: never } | { fault: string });

/**
 * Lines as records of CSV: a quoted field may go over several. A quote that is never closed costs its own line and no
 * other: after a hundred lines each stands alone.
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

/** The fields of records. A record that is no good is named alone, and where it went over several lines each is tried. */
function csvRows(records: readonly Line[], delimiter: string): Row[] {
  const rows = fieldsOf(records.map(({ text }) => text).join("\n"), delimiter);
  if (typeof rows !== "string" && rows.length === records.length)
    return records.map((record, i) => ({ ...record, fields: rows[i] ?? [] }));
  return records.flatMap((record): Row[] => {
    const alone = fieldsOf(record.text, delimiter);
    if (typeof alone !== "string" && alone.length === 1) return [{ ...record, fields: alone[0] ?? [] }];
    const lines = record.text.split("\n");
    if (lines.length > 1)
      return csvRows(
        lines.map((text, i) => ({ number: record.number + i, text })),
        delimiter,
      );
    return [{ ...record, fault: typeof alone === "string" ? alone : "it is no row" }];
  });
}

function fieldsOf(text: string, delimiter: string): string[][] | string {
  try {
    return parse(text, { delimiter, relax_column_count: true, skip_empty_lines: true, trim: true });
  } catch {
    return "a quotation mark is not closed, or stands inside a field that has none around it";
  }
}

/** Spreadsheets write semicolons or tabs in some countries. */
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

/** "Subject Type" and "subjectType" are what "subject_type" is. */
const columnName = (name: string) =>
  name
    .trim()
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, "_")
    .replace(/[\s-]+/g, "_")
    .toLowerCase();

function stated(row: Record<string, unknown>): Stated | { fault: string } {
  const text = (column: (typeof COLUMNS)[number]) => {
    const value = row[column];
    return typeof value === "string"
      ? value.trim()
      : typeof value === "number" || typeof value === "boolean"
        ? String(value)
        : "";
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
    return { fault: `its date is no date such as 2026-03-31: ${text("date").slice(0, 40)}` };
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
