import { lstat, readdir, stat } from "node:fs/promises";
import nodePath from "node:path";
import { UsageError } from "../../../errors.js";
import type { Passage } from "../../../types/evidence.js";
import type { KnowledgeGraph } from "../../knowledge/port.js";
import { forgetting } from "../../knowledge/sources.js";
import type { Documents } from "../port.js";
import {
  codeOf,
  contains,
  documentIdOf,
  documentsFrom,
  type Failure,
  type Found,
  findFiles,
  hasScheme,
} from "./find.js";
import { isReadable } from "./loaders.js";
import { loadPassagesInOwnProcess } from "./own-process.js";

export interface IngestSummary {
  /** Documents that are new in the store. */
  added: number;
  changed: number;
  unchanged: number;
  /** Documents below an ingested folder whose file was deleted or has no text any more. */
  removed: number;
  /** Passages written. */
  passages: number;
  /** Files that could not be read, and folders that may be unmounted. What is stored of them stays. */
  failures: Failure[];
  /** The numbers of files below the folders that are of kinds that are not read, by extension with its dot. */
  skipped: Record<string, number>;
}

export interface IngestOptions {
  documents: Documents;
  /** Loses the triples of passages that change or go. */
  knowledge?: KnowledgeGraph | undefined;
  signal?: AbortSignal;
  /** Called before each file and at the end, with the number of files done. */
  onProgress?: (done: number, total: number, path: string) => void;
  /** Called after each write, with the number of files that are up to date in the store. */
  onKept?: (documents: number) => void;
  /** The folder that paths and document ids are relative to. Default: the working directory. */
  cwd?: string;
}

/**
 * Updates the store from these files and folders: writes what is new or changed, removes what was deleted from the folders,
 * and leaves everything else alone. Writes whole documents in small durable batches: after an interruption, the next call
 * continues. A second call writes nothing. New passages are found by words; `documents.embed` enables vector search. An empty
 * folder may be an unmounted disk, so its documents stay and are reported as a failure.
 * @throws UsageError if no path is given or one does not exist; nothing is written then.
 * @throws StoreUnavailableError if the store or the graph fails; the signal's reason if aborted.
 */
export async function ingest(paths: readonly string[], options: IngestOptions): Promise<IngestSummary> {
  const { documents, knowledge, signal, onProgress, onKept, cwd = process.cwd() } = options;
  if (paths.length === 0) throw new UsageError("Name at least one file or folder to ingest.");
  const stored = new Map((await documents.list()).map(({ documentId, hash }) => [documentId, hash]));
  await mustBeThere(paths, [...stored.keys()], cwd);
  const found = await findFiles(paths, cwd);
  signal?.throwIfAborted();
  const { failures, skipped } = found;
  const summary = { added: 0, changed: 0, unchanged: 0, removed: 0, passages: 0, failures, skipped };
  const empty: string[] = [];
  let batch: Passage[][] = [];
  // Always before documents are written, so that an interruption leaves no triples of missing passages.
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
    if (passages instanceof Error) failures.push({ path: documentId, reason: passages.message });
    else if (passages === undefined) summary.unchanged += 1;
    else if (passages.length > 0) batch.push(passages);
    else {
      failures.push({ path: documentId, reason: "There is no text in it." });
      if (stored.has(documentId)) empty.push(documentId);
    }
    if (batch.reduce((sum, each) => sum + each.length, 0) >= BATCH) await write();
  }
  await write();

  const gone = [...(await vanished([...stored.keys()], found, cwd)), ...empty];
  await forget({ gone });
  if (gone.length > 0) await documents.remove(gone, signal && { signal });
  summary.removed = gone.length;
  await documents.tidy?.();
  onProgress?.(found.files.length, found.files.length, "");
  return summary;
}

/**
 * Passages written at once: few enough that an interruption loses little, and enough that the fixed cost of a write (50 ms)
 * is a small part of the work.
 */
export const BATCH = 200;

/** @throws UsageError if a path that documents came from no longer exists, saying how to remove them. */
async function mustBeThere(paths: readonly string[], ids: readonly string[], cwd: string): Promise<void> {
  for (const given of paths) {
    const left = documentsFrom(given, ids, cwd).length;
    if (left > 0 && (await isGone(stat(nodePath.resolve(cwd, given)).then(() => true))))
      throw new UsageError(`There is no file or folder ${given}. ${stay(left, given)}`);
  }
}

/**
 * Returns the documents whose file below one of the folders was deleted. Not those of unreachable files, nor those that
 * never were files (an address, a name given by a program). Documents from a folder that is now empty are reported as a
 * failure instead, since a disk may have been mounted there.
 */
async function vanished(ids: readonly string[], { files, folders, failures }: Found, cwd: string): Promise<string[]> {
  const present = new Set(files.map(({ documentId }) => documentId));
  const gone: string[] = [];
  const emptied = new Map<string, number>();
  for (const id of ids) {
    if (present.has(id) || !isReadable(id) || hasScheme(id)) continue;
    const path = nodePath.resolve(cwd, id);
    const top = folders.find((folder) => contains(folder, path));
    if (top === undefined || !(await isGone(lstat(path).then((it) => it.isFile())))) continue;
    const empty = await emptyAbove(path, top);
    if (empty === undefined) gone.push(id);
    else emptied.set(empty, (emptied.get(empty) ?? 0) + 1);
  }
  for (const [folder, count] of emptied) {
    const name = documentIdOf(folder, cwd) || ".";
    failures.push({ path: name, reason: `The folder is empty. ${stay(count, name)}` });
  }
  return gone;
}

const stay = (count: number, name: string) =>
  `${count} ${count === 1 ? "document" : "documents"} from it stay in the store, since a disk may only be away. If they are to go: emend remove ${name}`;

/** Returns the nearest existing folder above a deleted file, if it is empty. */
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
