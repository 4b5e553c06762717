import { createHash } from "node:crypto";
import { z } from "zod";
import { UsageError } from "../errors.js";
import { aCount, aFunction, aSignal, check, exactly, type OptionsOf, part } from "../options.js";
import { documentIdOf, isDelivered, unstamped } from "../tools/documents/document-id.js";
import type { Documents } from "../tools/documents/port.js";
import type { KnowledgeGraph } from "../tools/knowledge/port.js";
import type { KnownScans } from "../tools/ocr/read-scan.js";
import type { CutDocument } from "./chunk.js";
import { keepingFacts, withFacts } from "./facts/keep-facts.js";
import { countNames, findFiles, kindOf, type NamedFile, type ReadFailure } from "./find.js";
import { isPicture, NO_TEXT, NOT_READ } from "./formats/registry.js";
import { loadCutInOwnProcess, type Stopped } from "./load.js";
import { movedAway } from "./moved.js";
import { aStamp, isStampedWith, restamp, type Stamp, stamped, stamping } from "./stamp.js";
import { keptAway, type Missing, vanished } from "./vanished.js";

export interface IngestSummary {
  /** Documents that are new in the store. */
  added: number;
  changed: number;
  unchanged: number;
  /** Documents below an ingested folder whose file was deleted, is now left out, or no longer has text. */
  removed: number;
  /** Documents that changed in nothing but their collection or who may read them. */
  restamped: number;
  /** Documents that were removed because their file is one of those added, at another path. */
  moved: number;
  /** Passages written. */
  passages: number;
  /** Files that could not be read, and folders that may be unmounted. Their stored documents stay. */
  failures: ReadFailure[];
  /**
   * The number of files of each kind that is not read, and of pictures without text, by extension with its dot; empty for
   * files without one.
   */
  skipped: Record<string, number>;
  /** A file of each kind that is not read, by the same keys. */
  examples: Record<string, string>;
  /** The files without text. */
  empty: string[];
  /** The folders that were not searched because their name begins with a dot. */
  hidden: string[];
  /** The number of files and folders left out, by the .gitignore or .emendignore that does so. */
  ignored: Record<string, number>;
  /** The number of removed documents whose file still exists, but is now left out. */
  removedAsIgnored: number;
  /** What was stored, but not as it was meant, such as a document with more readers than there is room for. */
  warnings: ReadFailure[];
}

/** The summary of an ingest that did nothing. */
export const nothingIngested = (): IngestSummary => ({
  added: 0,
  changed: 0,
  unchanged: 0,
  restamped: 0,
  removed: 0,
  moved: 0,
  passages: 0,
  removedAsIgnored: 0,
  failures: [],
  warnings: [],
  skipped: {},
  examples: {},
  empty: [],
  hidden: [],
  ignored: {},
});

/** What became of a document; "ignored" is also used for a folder that was not searched. */
export type IngestOutcome = "added" | "changed" | "unchanged" | "restamped" | "removed" | "ignored";

export interface IngestOptions {
  documents: Documents;
  /** Gets what tables state, and loses the triples of passages that change or are removed. */
  knowledge?: KnowledgeGraph | undefined;
  /** False adds nothing to `knowledge`, such as a graph that other programs fill. Default true. */
  facts?: boolean | undefined;
  signal?: AbortSignal;
  /**
   * The collection of all these documents, and who may read them, whatever they state themselves. A function says it of
   * each file, by its absolute path. Default: documents keep the stamp that they have, and new ones get none.
   */
  stamp?: Stamp | ((path: string) => Stamp | undefined) | undefined;
  /** Called before each file and at the end, with the number of files done. */
  onProgress?: (done: number, total: number, path: string) => void;
  /** Called after each write, with the number of files that are up to date in the store. */
  onKept?: (documents: number) => void;
  /** Called once for each document found or removed. */
  onOutcome?: (outcome: IngestOutcome, documentId: string) => void;
  /** Ingests and removes only the documents of this shard, and embeds them before they are written. */
  shard?: Shard | undefined;
  /** The folder that document ids are relative to. Default: the working directory. */
  cwd?: string;
  /** The folder that paths are relative to. Default: `cwd`. */
  here?: string;
  /**
   * What becomes of the documents whose folder is missing or empty. Both "keep" and "remove" report it as a failure.
   * Default: as "keep", but a missing path that no stored document came from is a UsageError.
   */
  missing?: Missing | undefined;
  /** True for a file that need not be read again, by its absolute path. Default: every file is read. */
  isKnown?: (path: string) => boolean;
  /** Remembers the files whose reading had to be stopped, until they change. Default: each is tried again. */
  stopped?: Stopped | undefined;
  /** Remembers what was read on scanned pages and in pictures. Default: they are read whenever their file is. */
  scans?: KnownScans | undefined;
  /** Called for each scanned page or picture of a document: how many of those found so far were read. */
  onScan?: (documentId: string, read: number, found: number) => void;
}

/** Where documents go, as every way of ingesting takes it. */
export const sinkOptions = {
  documents: part<Documents>("list", "upsert", "remove"),
  knowledge: part<KnowledgeGraph>("upsert", "remove", "sources").optional(),
  facts: z.boolean().optional(),
  signal: aSignal.optional(),
};
const Given = exactly({
  ...sinkOptions,
  paths: z.array(z.unknown()),
  stamp: z.union([aStamp, aFunction]).optional(),
  onProgress: aFunction.optional(),
  onKept: aFunction.optional(),
  onOutcome: aFunction.optional(),
  shard: exactly({ number: aCount(1), of: aCount(1) }).optional(),
  cwd: z.string().optional(),
  here: z.string().optional(),
  missing: z.enum(["keep", "remove"]).optional(),
  isKnown: aFunction.optional(),
  stopped: z.unknown().optional(),
  scans: z.unknown().optional(),
  onScan: aFunction.optional(),
} satisfies OptionsOf<IngestOptions & { paths: unknown }>);

/**
 * Updates the store from these files, folders and globs: writes what is new or changed, removes what was deleted from
 * the folders or is left out by .gitignore or .emendignore, and leaves everything else alone. Writes whole documents in
 * small durable batches: after an interruption, the next call continues. A second call writes nothing. New passages are
 * found by words; `documents.embed` enables vector search. A folder that is missing or empty may be an unmounted disk,
 * so its documents stay, and it is reported as a failure.
 * @throws UsageError if no path is given, or if nothing is at a path and no stored document came from it; nothing is
 * written then.
 * @throws StoreUnavailableError if the store or the graph fails; the signal's reason if aborted.
 */
export async function ingestFiles(
  paths: readonly (string | NamedFile)[],
  options: IngestOptions,
): Promise<IngestSummary> {
  check(Given, { ...options, paths });
  const { documents, knowledge, facts, signal, onProgress, onKept, onOutcome, shard, cwd = process.cwd() } = options;
  if (paths.length === 0) throw new UsageError("Name at least one file or folder to ingest.");
  const isMine = (id: string) => !shard || isInShard(id, shard);
  const stored = new Map((await documents.list()).map(({ documentId, hash }) => [documentId, hash]));
  const found = await findFiles(paths, cwd, options.here);
  const isFile = (id: string) => !isDelivered(stored.get(id) ?? "");
  const away = await vanished([...stored.keys()].filter(isFile), found, cwd, options.missing);
  signal?.throwIfAborted();
  const files = found.files.filter(({ documentId }) => isMine(documentId));
  const leftOut = away.ignored.filter(isMine);
  const failures = found.failures.filter(({ path }) => isMine(path));
  const summary = {
    ...nothingIngested(),
    failures,
    skipped: { ...found.skipped },
    examples: { ...found.examples },
    hidden: found.hidden,
    ignored: countNames([...found.ignored.values()]),
    removedAsIgnored: leftOut.length,
  };
  for (const path of found.ignored.keys()) onOutcome?.("ignored", documentIdOf(path, cwd));
  const gone = [...away.gone.filter(isMine), ...leftOut];
  let batch: CutDocument[] = [];
  const keepFacts = keepingFacts(knowledge, { facts, signal });
  const stampOf = await stamping(options.stamp, stored, documents);
  const stamps = new Map(files.map(({ path, documentId }) => [documentId, stampOf(path, documentId)]));
  const wanted = [...stamps].filter(([documentId]) => isFile(documentId));
  const restamped = await restamp(wanted, stored, { documents, knowledge, signal });
  const tell = (outcome: "added" | "changed" | "unchanged" | "restamped", documentId: string) => {
    summary[outcome] += 1;
    onOutcome?.(outcome, documentId);
  };

  const write = async () => {
    const passages = batch.flatMap((one) => one.passages);
    const tables = batch.flatMap((one) => one.tables);
    const upsert = async () => {
      if (passages.length > 0)
        await documents.upsert(passages, { ...(signal && { signal }), embed: shard !== undefined, tables });
    };
    await withFacts(documents, upsert, () => keepFacts({ written: passages }));
    for (const {
      passages: [first],
    } of batch)
      if (first) tell(stored.has(first.documentId) ? "changed" : "added", first.documentId);
    summary.passages += passages.length;
    batch = [];
    onKept?.(countKept(summary));
  };

  const read = async ({ path, documentId }: { path: string; documentId: string }) => {
    if (options.isKnown?.(path)) return KNOWN;
    const known = stored.get(documentId);
    const isKnown = known !== undefined && isStampedWith(known, stamps.get(documentId) ?? {});
    const file = loadCutInOwnProcess([path, documentId, isKnown ? unstamped(known).hash : undefined], {
      signal,
      stopped: options.stopped,
      scans: options.scans,
      onScan: (read, found) => options.onScan?.(documentId, read, found),
    });
    return file.catch((error: Error) => error);
  };
  const hashes = new Map<string, string>();
  let done = 0;
  for (const [{ documentId, path }, reading] of ahead(files, read)) {
    onProgress?.(done++, files.length, documentId);
    const cut = await reading;
    signal?.throwIfAborted();
    if (cut === KNOWN) {
      if (stored.has(documentId)) tell("unchanged", documentId);
      continue;
    }
    const reason = cut instanceof Error ? cut.message : cut?.passages.length === 0 ? NO_TEXT : undefined;
    if (!(cut instanceof Error || reason))
      hashes.set(documentId, cut?.passages[0]?.hash || unstamped(stored.get(documentId) ?? "").hash);
    if (!isFile(documentId)) failures.push({ path: documentId, reason: PROGRAM_HAS_ID });
    else if (reason === NOT_READ || (reason === NO_TEXT && isPicture(documentId) && !stored.has(documentId))) {
      const kind = kindOf(path);
      summary.skipped[kind] = (summary.skipped[kind] ?? 0) + 1;
      summary.examples[kind] ??= documentId;
    } else if (reason === NO_TEXT) {
      summary.empty.push(documentId);
      if (stored.has(documentId)) gone.push(documentId);
    } else if (cut instanceof Error) failures.push({ path: documentId, reason: cut.message });
    else if (cut === undefined) tell(restamped.has(documentId) ? "restamped" : "unchanged", documentId);
    else batch.push(stamped(cut, stamps.get(documentId) ?? {}));
    if (batch.reduce((sum, each) => sum + each.passages.length, 0) >= BATCH) await write();
  }
  await write();

  const ofFiles = new Map(
    [...stored].flatMap(([id, hash]) => (isDelivered(hash) ? [] : [[id, unstamped(hash).hash] as const])),
  );
  const moved = (await movedAway(ofFiles, hashes, cwd)).filter((id) => isMine(id) && !gone.includes(id));
  failures.push(...keptAway(away.kept, new Set(moved)).filter(({ path }) => isMine(path)));
  summary.removed = gone.length;
  summary.moved = moved.length;
  gone.push(...moved);
  const remove = async () => {
    if (gone.length > 0) await documents.remove(gone, signal && { signal });
  };
  await withFacts(documents, remove, () => keepFacts({ gone }));
  for (const documentId of gone) onOutcome?.("removed", documentId);
  await Promise.all([documents.tidy?.(), summary.passages > 0 && knowledge?.tidy?.()]);
  onProgress?.(files.length, files.length, "");
  return summary;
}

/** The number of documents that are as their sources have them. */
export const countKept = ({ added, changed, unchanged, restamped }: IngestSummary) =>
  added + changed + unchanged + restamped;

/** Stands for a file that the caller knows to be unchanged. */
const KNOWN = Symbol("known");

/** Yields each item with the result of `begin`, in order. Begins up to `AHEAD` items ahead. */
function* ahead<T, R>(items: readonly T[], begin: (item: T) => R): Generator<[T, R]> {
  const begun: [T, R][] = [];
  for (const item of items) {
    begun.push([item, begin(item)]);
    if (begun.length > AHEAD) yield* begun.splice(0, 1);
  }
  yield* begun;
}

/** The number of files read ahead: enough to keep a disk and the reading processes busy. */
const AHEAD = 8;

/**
 * Passages written at once: few enough that an interruption loses little, and enough that the counts of terms, which
 * each write changes all over, are a small part of the work.
 */
export const BATCH = 1_000;

/** One of several parts of the documents, each ingested by its own process. */
export interface Shard {
  /** From 1 to `of`. */
  number: number;
  of: number;
}

/** True if the document belongs to the shard. A document has the same shard on every machine and in every run. */
export const isInShard = (documentId: string, { number, of }: Shard) =>
  createHash("sha256").update(documentId).digest().readUInt32BE() % of === number - 1;

const PROGRAM_HAS_ID =
  "A document that a program delivered has this name, so the file is not stored. Remove that document (emend remove), or ingest the file from another folder.";
