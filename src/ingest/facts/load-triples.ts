import { extname } from "node:path";
import { crc32 } from "node:zlib";
import { parse } from "csv-parse/sync";
import { UsageError } from "../../errors.js";
import { isoDate } from "../../text/metadata.js";
import { documentIdOf } from "../../tools/documents/document-id.js";
import { fileLines, type Line } from "../../tools/knowledge/lines.js";
import type { KnowledgeGraph, Triple, TripleSource } from "../../tools/knowledge/port.js";
import { linesSource } from "../../tools/knowledge/triples.js";
import { isLinesSource } from "../../tools/store/facts.js";
import { cleanTriple, MAX_NAME_LENGTH, MAX_RELATION_LENGTH } from "./ground-triples.js";

export interface LoadSummary {
  /** Triples in the file, without skipped lines. */
  triples: number;
  /** How many of these were written, because their lines are new or near changed lines. */
  written: number;
  /** Groups of lines that the file had when it was last loaded and no longer has. */
  removed: number;
  /** The number of skipped lines, and the first hundred of them. */
  skipped: number;
  faults: { line: number; reason: string }[];
}

export interface LoadOptions {
  knowledge: KnowledgeGraph;
  signal?: AbortSignal;
  /** Called after each batch with the number of lines read. */
  onProgress?: (lines: number) => void;
  /** The folder that the file's name in the graph is relative to. Default: the working directory. */
  cwd?: string;
}

/** True if a file holds triples, according to its name. */
export const isTripleFile = (path: string) => READERS.has(extname(path).toLowerCase());

type Open = (lines: AsyncIterable<Line>, path: string) => RowReader | Promise<RowReader>;
const READERS: ReadonlyMap<string, Open> = new Map<string, Open>([
  [".csv", csvReader],
  [".tsv", csvReader],
  [".jsonl", jsonReader],
  [".ndjson", jsonReader],
]);
export const TRIPLE_FILES: readonly string[] = [...READERS.keys()];

/**
 * Loads a file of triples, in memory that does not grow with the file. Afterwards the graph holds exactly the file's
 * triples. Lines are stored in groups under a hash of their text: a second call writes nothing, a new or removed line
 * changes one group, and the next call continues an interrupted one. Old groups are removed last, so that nothing is
 * missing meanwhile.
 * @throws UsageError when the file does not exist, is not a file of triples, or lacks a column.
 * @throws StoreUnavailableError when the graph fails; the signal's reason when it aborts.
 */
export async function loadTriples(path: string, options: LoadOptions): Promise<LoadSummary> {
  const { knowledge, signal, onProgress, cwd = process.cwd() } = options;
  const open = READERS.get(extname(path).toLowerCase());
  if (!open) throw new UsageError(`${path}: triples are read from ${TRIPLE_FILES.join(" ")}.`);
  const file = documentIdOf(path, cwd);
  const reader = await open(fileLines(path), path);
  const known = new Map(
    (await knowledge.sources())
      .filter((s) => isLinesSource(s) && s.documentId === file)
      .map(({ id, hash }) => [id, hash]),
  );
  const summary: LoadSummary = { triples: 0, written: 0, removed: 0, skipped: 0, faults: [] };
  const wanted = new Set<string>();
  let pending: Group[] = [];
  const write = async () => {
    if (pending.length > 0) await knowledge.upsert(pending, signal ? { signal } : {});
    summary.written += sizeOf(pending);
    pending = [];
  };

  for await (const batch of batches(reader.records)) {
    signal?.throwIfAborted();
    const rows = reader.read(batch);
    for (const row of rows) if ("fault" in row) note(summary, row);
    for (const group of groups(file, reader.header, rows)) {
      const { id, hash } = group.source;
      summary.triples += group.triples.length;
      if (!wanted.has(id) && known.get(id) !== hash) pending.push(group);
      wanted.add(id);
    }
    if (sizeOf(pending) >= AT_ONCE) await write();
    onProgress?.(batch.at(-1)?.number ?? 0);
  }
  await write();
  const gone = [...known.keys()].filter((id) => !wanted.has(id));
  if (gone.length > 0) await knowledge.remove(gone, signal && { signal });
  await knowledge.tidy?.();
  return { ...summary, removed: gone.length };
}

interface Group {
  source: TripleSource;
  triples: Triple[];
}

/** Triples in one write: enough for speed, but few enough that an interrupted call repeats little work. */
const AT_ONCE = 5_000;
const MAX_FAULTS = 100;

const sizeOf = (given: readonly Group[]) => given.reduce((sum, { triples }) => sum + triples.length, 0);

function note(summary: LoadSummary, { number, fault }: Line & { fault: string }) {
  summary.skipped += 1;
  if (summary.faults.length < MAX_FAULTS) summary.faults.push({ line: number, reason: fault });
}

/**
 * Groups records into batches of about a thousand. The text of a line decides whether a batch ends there
 * (content-defined chunking, as in LBFS, Muthitacharoen et al. 2001), so a line inserted at the top changes a few
 * batches, not all.
 */
async function* batches(records: AsyncIterable<Line>): AsyncGenerator<Line[]> {
  let batch: Line[] = [];
  for await (const record of records) {
    batch.push(record);
    const mayEnd = batch.length >= MIN_BATCH && crc32(record.text) % MIN_BATCH === 0;
    if (!mayEnd && batch.length < MAX_BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

const MIN_BATCH = 500;
const MAX_BATCH = 2_000;

/** Groups the triples of a batch by source and date; each group becomes one source of the graph. */
function groups(file: string, header: string, rows: readonly TripleRow[]): Group[] {
  const good = rows.filter((row): row is Line & Stated => !("fault" in row));
  return [...Map.groupBy(good, ({ source, date }) => JSON.stringify([source, date])).values()].map((same) => {
    const { source: title = "", date: reviewedAt = "" } = same[0] ?? {};
    const lines = [header, ...same.map(({ text }) => text)];
    return { source: linesSource({ file, title, reviewedAt }, lines), triples: same.map(({ triple }) => triple) };
  });
}

/** A line with its triple, or with the reason why it has none. */
type TripleRow = Line & (Stated | Fault);

interface Stated {
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
interface RowReader {
  /** The line that names the columns. If it changes, every line counts as changed. */
  header: string;
  records: AsyncIterable<Line>;
  read(records: readonly Line[]): TripleRow[];
}

/** @throws UsageError if the header lacks a column. */
async function csvReader(lines: AsyncIterable<Line>, path: string): Promise<RowReader> {
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

function jsonReader(lines: AsyncIterable<Line>): RowReader {
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
    if (!isClosed && open.length <= MAX_RECORD_LINES) continue;
    if (isClosed) yield { number: open[0]?.number ?? 0, text: open.map(({ text }) => text).join("\n") };
    else yield* open;
    open = [];
    marks = 0;
  }
  yield* open;
}

const MAX_RECORD_LINES = 100;

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
      fault: `a name has at most ${MAX_NAME_LENGTH} characters, a relation ${MAX_RELATION_LENGTH}, and each a letter or digit`,
    };
  return { triple, source: text("source"), date };
}
