import { lstat, readdir, stat } from "node:fs/promises";
import nodePath from "node:path";
import { UsageError } from "../../../errors.js";
import type { Passage } from "../../../types/evidence.js";
import type { KnowledgeGraph } from "../../knowledge/port.js";
import { forgetting } from "../../knowledge/sources.js";
import type { Documents } from "../port.js";
import { codeOf, contains, documentIdOf, documentsFrom, type Failure, findFiles, hasScheme } from "./find.js";
import { loaderFor } from "./loaders.js";
import { loadPassagesInOwnProcess } from "./own-process.js";

export interface IngestSummary {
  /** Documents that were not stored before, and are now. */
  added: number;
  changed: number;
  unchanged: number;
  /** Documents that lay under an ingested folder and are gone, or have no text any more. */
  removed: number;
  /** Passages written. */
  passages: number;
  /** Files that were not read, and folders that seem not to be there for now. What is stored of them stays. */
  failures: Failure[];
}

export interface IngestOptions {
  documents: Documents;
  /** Loses what was read out of a passage together with the passage. */
  knowledge?: KnowledgeGraph | undefined;
  signal?: AbortSignal;
  /** Called before each file: how many are done, of how many. */
  onProgress?: (done: number, total: number, path: string) => void;
  /** Called after each write: how many of the files the store holds as they are now, and would hold if all ended here. */
  onKept?: (documents: number) => void;
  /** What paths and document ids are relative to. Default: the working directory. */
  cwd?: string;
}

/**
 * Brings the store up to date with these files and folders: writes what is new or changed, removes what has vanished
 * from the folders, and leaves everything else alone. Writes whole documents in small batches, each there to stay:
 * stopped or killed half-way, it has kept what was written, and the next call goes on from there. A second call writes
 * nothing. What is new is found by words; `documents.embed` adds meaning. A folder without anything in it may be a disk that
 * is away, so its documents stay and are named as a failure.
 * @throws UsageError when a path does not exist, or none is given; nothing is written.
 * @throws StoreUnavailableError when the store or the graph fails; the signal's reason when it aborts.
 */
export async function ingest(paths: readonly string[], options: IngestOptions): Promise<IngestSummary> {
  const { documents, knowledge, signal, onProgress, onKept, cwd = process.cwd() } = options;
  if (paths.length === 0) throw new UsageError("Name at least one file or folder to ingest.");
  const stored = new Map((await documents.list()).map(({ documentId, hash }) => [documentId, hash]));
  await mustBeThere(paths, [...stored.keys()], cwd);
  const found = await findFiles(paths, cwd);
  signal?.throwIfAborted();
  const summary: IngestSummary = {
    added: 0,
    changed: 0,
    unchanged: 0,
    removed: 0,
    passages: 0,
    failures: found.failures,
  };
  const empty: string[] = [];
  let batch: Passage[][] = [];
  // Before the documents: stopped in between, nothing speaks of a passage that is no longer there.
  const forget = knowledge ? forgetting(knowledge, signal) : async () => {};

  const write = async () => {
    const passages = batch.flat();
    await forget({ changed: passages.filter(({ documentId }) => stored.has(documentId)) });
    if (passages.length > 0) await documents.upsert(passages, signal ? { signal } : {});
    for (const [first] of batch) summary[first && stored.has(first.documentId) ? "changed" : "added"] += 1;
    summary.passages += passages.length;
    batch = [];
    onKept?.(summary.added + summary.changed + summary.unchanged);
  };

  for (const [done, { path, documentId }] of found.files.entries()) {
    onProgress?.(done, found.files.length, documentId);
    signal?.throwIfAborted();
    const file = loadPassagesInOwnProcess([path, documentId, stored.get(documentId)], signal);
    const passages = await file.catch((error: Error) => error);
    signal?.throwIfAborted();
    if (passages instanceof Error) summary.failures.push({ path: documentId, reason: passages.message });
    else if (passages === undefined) summary.unchanged += 1;
    else if (passages.length > 0) batch.push(passages);
    else {
      summary.failures.push({ path: documentId, reason: "There is no text in it." });
      if (stored.has(documentId)) empty.push(documentId);
    }
    if (batch.reduce((sum, each) => sum + each.length, 0) >= BATCH) await write();
  }
  await write();

  const { gone, away } = await vanished([...stored.keys()], found, cwd);
  gone.push(...empty);
  await forget({ gone });
  if (gone.length > 0) await documents.remove(gone, signal && { signal });
  summary.removed = gone.length;
  summary.failures.push(...away);
  await documents.tidy?.();
  onProgress?.(found.files.length, found.files.length, "");
  return summary;
}

/**
 * Passages written at once: few enough that stopping loses little, and enough that a write, which takes 50 ms whatever it
 * holds, is a small part of the work.
 */
export const BATCH = 200;

/** @throws UsageError for the first path that is no longer there but that documents came from, saying how to remove them. */
async function mustBeThere(paths: readonly string[], ids: readonly string[], cwd: string): Promise<void> {
  for (const given of paths) {
    const left = documentsFrom(given, ids, { cwd }).length;
    if (left > 0 && (await isGone(stat(nodePath.resolve(cwd, given)).then(() => true))))
      throw new UsageError(`There is no file or folder ${given}. ${stay(left, given)}`);
  }
}

/**
 * The stored documents that came from a file below one of the folders, and whose file is no longer there. A file that
 * only cannot be reached is not gone, nor one whose folder is left without anything in it, as where a disk was mounted;
 * an id that is no path (an address, a name given by a program) never was a file.
 */
async function vanished(
  ids: readonly string[],
  { files, folders }: Awaited<ReturnType<typeof findFiles>>,
  cwd: string,
): Promise<{ gone: string[]; away: Failure[] }> {
  const present = new Set(files.map(({ documentId }) => documentId));
  const gone: string[] = [];
  const away = new Map<string, number>();
  for (const id of ids) {
    if (present.has(id) || !loaderFor(id) || hasScheme(id)) continue;
    const path = nodePath.resolve(cwd, id);
    const top = folders.find((folder) => contains(folder, path));
    if (top === undefined || !(await isGone(lstat(path).then((it) => it.isFile())))) continue;
    const empty = await emptyAbove(path, top);
    if (empty === undefined) gone.push(id);
    else away.set(empty, (away.get(empty) ?? 0) + 1);
  }
  const failures = [...away].map(([folder, count]) => ({
    path: documentIdOf(folder, cwd) || ".",
    reason: `The folder is empty. ${stay(count, documentIdOf(folder, cwd) || ".")}`,
  }));
  return { gone, away: failures };
}

const stay = (count: number, name: string) =>
  `${count} ${count === 1 ? "document" : "documents"} from it stay in the store, since a disk may only be away. If they are to go: emend remove ${name}`;

/** The nearest folder above a file that is still there, if nothing is in it. */
async function emptyAbove(path: string, top: string): Promise<string | undefined> {
  const folder = nodePath.dirname(path);
  const names = await readdir(folder).catch(() => undefined);
  if (names) return names.length === 0 ? folder : undefined;
  return folder === top ? undefined : emptyAbove(folder, top);
}

async function isGone(isThere: Promise<boolean>): Promise<boolean> {
  try {
    return !(await isThere);
  } catch (error) {
    return codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR";
  }
}
