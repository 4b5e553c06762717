import { parse } from "csv-parse/sync";
import type { Line } from "./lines.js";

/** A row of a table by its columns, or what is wrong with it. */
export type Row = Line & ({ fields: readonly string[]; fault?: never } | { fault: string });

/**
 * Lines as records of CSV: a quoted field may go over several. A quote that is never closed costs its own line and no
 * other: after a hundred lines it is given up.
 */
export async function* csvRecords(lines: AsyncIterable<Line>): AsyncGenerator<Line> {
  let open: Line[] = [];
  for await (const line of lines) {
    open.push(line);
    const records = closed(open, MOST_LINES);
    yield* records;
    open = open.slice(records.reduce((sum, { lines: many }) => sum + many, 0));
  }
  yield* closed(open, 0);
}

const MOST_LINES = 100;

/** The records that are complete at the beginning. Of more than `patience` lines without an end, the first stands alone. */
function closed(open: readonly Line[], patience: number): (Line & { lines: number })[] {
  const found: (Line & { lines: number })[] = [];
  for (let from = 0; from < open.length; ) {
    let marks = 0;
    const length = open.slice(from).findIndex(({ text }) => {
      marks += text.split('"').length - 1;
      return marks % 2 === 0;
    });
    const first = open[from];
    if (!first || (length < 0 && open.length - from <= patience)) break;
    const many = length < 0 ? 1 : length + 1;
    const text = open
      .slice(from, from + many)
      .map((line) => line.text)
      .join("\n");
    found.push({ number: first.number, text, lines: many });
    from += many;
  }
  return found;
}

/** The fields of records. A record that is no good is named alone, and where it went over several lines each is tried. */
export function csvRows(records: readonly Line[], delimiter: string): Row[] {
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
export const delimiterOf = (header: string) =>
  [",", ";", "\t"].reduce((best, mark) => (header.split(mark).length > header.split(best).length ? mark : best));
