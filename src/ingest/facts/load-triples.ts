import { extname } from "node:path";
import { crc32 } from "node:zlib";
import { UsageError } from "../../errors.js";
import { documentIdOf } from "../../tools/documents/document-id.js";
import { fileLines, type Line } from "../../tools/knowledge/lines.js";
import type { KnowledgeGraph, Triple, TripleSource } from "../../tools/knowledge/port.js";
import { linesSource } from "../../tools/knowledge/triples.js";
import { isLinesSource } from "../../tools/store/facts.js";
import { csvReader, jsonReader, type RowReader, type Stated, type TripleRow } from "./triple-rows.js";

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
const MOST_FAULTS = 100;

const sizeOf = (given: readonly Group[]) => given.reduce((sum, { triples }) => sum + triples.length, 0);

function note(summary: LoadSummary, { number, fault }: Line & { fault: string }) {
  summary.skipped += 1;
  if (summary.faults.length < MOST_FAULTS) summary.faults.push({ line: number, reason: fault });
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
    const mayEnd = batch.length >= SMALLEST_BATCH && crc32(record.text) % SMALLEST_BATCH === 0;
    if (!mayEnd && batch.length < LARGEST_BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

const SMALLEST_BATCH = 500;
const LARGEST_BATCH = 2_000;

/** Groups the triples of a batch by source and date; each group becomes one source of the graph. */
function groups(file: string, header: string, rows: readonly TripleRow[]): Group[] {
  const good = rows.filter((row): row is Line & Stated => !("fault" in row));
  return [...Map.groupBy(good, ({ source, date }) => JSON.stringify([source, date])).values()].map((same) => {
    const { source: title = "", date: reviewedAt = "" } = same[0] ?? {};
    const lines = [header, ...same.map(({ text }) => text)];
    return { source: linesSource({ file, title, reviewedAt }, lines), triples: same.map(({ triple }) => triple) };
  });
}
