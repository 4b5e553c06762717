import { extname } from "node:path";
import { crc32 } from "node:zlib";
import { UsageError } from "../../../errors.js";
import { documentIdOf } from "../../documents/ingest/find.js";
import type { KnowledgeGraph, Triple, TripleSource } from "../port.js";
import { isLinesSource, linesSource } from "../sources.js";
import { type Line, linesOf } from "./lines.js";
import { csvReader, jsonReader, type RowReader, type Stated, type TripleRow } from "./triple-rows.js";

export interface LoadSummary {
  /** Triples that the file holds, the skipped lines not counted. */
  triples: number;
  /** Of these, how many were written, because their lines are new or stand among changed ones. */
  written: number;
  /** Groups of lines that the file held when it was last loaded, and holds no longer. */
  removed: number;
  /** Lines that were skipped: how many, and the first hundred of them. */
  skipped: number;
  faults: { line: number; reason: string }[];
}

export interface LoadOptions {
  knowledge: KnowledgeGraph;
  signal?: AbortSignal;
  /** Called now and then with the number of lines read. */
  onProgress?: (lines: number) => void;
  /** What the file's name in the graph is relative to. Default: the working directory. */
  cwd?: string;
}

/** Whether a file holds triples, by its name. */
export const isTripleFile = (path: string) => READERS.has(extname(path).toLowerCase());
export const TRIPLE_FILES = [".csv", ".tsv", ".jsonl", ".ndjson"] as const;

/**
 * Loads a file of triples, in memory that does not grow with it. The graph afterwards holds of this file what it says
 * now: lines are stored in groups under the hash of their words, so that a second call writes nothing, a line more or less changes one
 * group, and what has stopped half-way is continued. Groups that are gone are removed last: nothing is missing meanwhile.
 * @throws UsageError when the file does not exist, is no such file, or lacks a column.
 * @throws StoreUnavailableError when the graph fails; the signal's reason when it aborts.
 */
export async function loadTriples(path: string, options: LoadOptions): Promise<LoadSummary> {
  const { knowledge, signal, onProgress, cwd = process.cwd() } = options;
  const open = READERS.get(extname(path).toLowerCase());
  if (!open) throw new UsageError(`${path}: triples are read from ${TRIPLE_FILES.join(" ")}.`);
  const file = documentIdOf(path, cwd);
  const reader = await open(linesOf(path), path);
  const known = new Set(
    (await knowledge.sources()).filter((s) => isLinesSource(s) && s.documentId === file).map(({ id }) => id),
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
      summary.triples += group.triples.length;
      if (!wanted.has(group.source.id) && !known.has(group.source.id)) pending.push(group);
      wanted.add(group.source.id);
    }
    if (sizeOf(pending) >= AT_ONCE) await write();
    onProgress?.(batch.at(-1)?.number ?? 0);
  }
  await write();
  const gone = [...known].filter((id) => !wanted.has(id));
  if (gone.length > 0) await knowledge.remove(gone, signal && { signal });
  await knowledge.tidy?.();
  return { ...summary, removed: gone.length };
}

interface Group {
  source: TripleSource;
  triples: Triple[];
}

/** Triples written at once: enough to keep a store quick, few enough that stopping repeats little work. */
const AT_ONCE = 5_000;
const MOST_FAULTS = 100;

type Open = (lines: AsyncIterable<Line>, path: string) => RowReader | Promise<RowReader>;
const READERS: ReadonlyMap<string, Open> = new Map<string, Open>([
  [".csv", csvReader],
  [".tsv", csvReader],
  [".jsonl", jsonReader],
  [".ndjson", jsonReader],
]);

const sizeOf = (given: readonly Group[]) => given.reduce((sum, { triples }) => sum + triples.length, 0);

function note(summary: LoadSummary, { number, fault }: Line & { fault: string }) {
  summary.skipped += 1;
  if (summary.faults.length < MOST_FAULTS) summary.faults.push({ line: number, reason: fault });
}

/**
 * About a thousand lines at a time. Where a batch ends is decided by the words of its last line, so that a line put in
 * at the top changes a few batches and not all that follow (as in LBFS, Muthitacharoen et al. 2001).
 */
async function* batches(records: AsyncIterable<Line>): AsyncGenerator<Line[]> {
  let batch: Line[] = [];
  for await (const record of records) {
    batch.push(record);
    const mayEnd = batch.length >= SMALLEST_BATCH && crc32(record.text) % SMALLEST_BATCH === 0;
    if (!mayEnd && batch.length < LARGEST_BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

const SMALLEST_BATCH = 500;
const LARGEST_BATCH = 2_000;

/** The triples of a batch by who says them and when: that is what a source is. */
function groups(file: string, header: string, rows: readonly TripleRow[]): Group[] {
  const good = rows.filter((row): row is Line & Stated => !("fault" in row));
  return [...Map.groupBy(good, ({ source, date }) => JSON.stringify([source, date])).values()].map((same) => ({
    source: linesSource({ file, title: same[0]?.source ?? "", reviewedAt: same[0]?.date ?? "" }, [
      header,
      ...same.map(({ text }) => text),
    ]),
    triples: same.map(({ triple }) => triple),
  }));
}
