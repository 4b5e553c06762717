import { lstat } from "node:fs/promises";
import nodePath from "node:path";
import { UsageError } from "../errors.js";
import { forgetting } from "../knowledge/forget.js";
import type { Documents } from "../tools/documents/port.js";
import type { KnowledgeGraph } from "../tools/knowledge/port.js";
import type { Passage } from "../types/evidence.js";
import { loadPassagesApart } from "./apart.js";
import { codeOf, type Failure, findFiles } from "./find.js";
import { loaderFor } from "./loaders.js";

export interface IngestSummary {
  /** Documents that were not stored before, and are now. */
  added: number;
  changed: number;
  unchanged: number;
  /** Documents that lay under an ingested folder and are gone, or have no text any more. */
  removed: number;
  /** Passages written. */
  passages: number;
  /** Files that were not read. What is stored of them stays. */
  failures: Failure[];
}

export interface IngestOptions {
  documents: Documents;
  /** Loses what was read out of a passage together with the passage. */
  knowledge?: KnowledgeGraph | undefined;
  signal?: AbortSignal;
  /** Called before each file: how many are done, of how many. */
  onProgress?: (done: number, total: number, path: string) => void;
  /** What paths and document ids are relative to. Default: the working directory. */
  cwd?: string;
}

/**
 * Brings the store up to date with these files and folders: writes what is new or changed, removes what has vanished
 * from the folders, and leaves everything else alone. Writes whole documents in batches: stopped half-way, it has lost
 * nothing, and the next call continues. A second call writes nothing.
 * @throws UsageError when a path does not exist, or none is given; nothing is written.
 * @throws StoreUnavailableError when the store or the graph fails; the signal's reason when it aborts.
 */
export async function ingest(paths: readonly string[], options: IngestOptions): Promise<IngestSummary> {
  const { documents, knowledge, signal, onProgress, cwd = process.cwd() } = options;
  if (paths.length === 0) throw new UsageError("Name at least one file or folder to ingest.");
  const found = await findFiles(paths, cwd);
  signal?.throwIfAborted();
  const stored = new Map((await documents.list()).map(({ documentId, hash }) => [documentId, hash]));
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
  const forget = knowledge ? forgetting(knowledge) : async () => {};

  const write = async () => {
    const passages = batch.flat();
    await forget({ changed: passages.filter(({ documentId }) => stored.has(documentId)) });
    if (passages.length > 0) await documents.upsert(passages, signal ? { signal } : {});
    for (const [first] of batch) summary[first && stored.has(first.documentId) ? "changed" : "added"] += 1;
    summary.passages += passages.length;
    batch = [];
  };

  for (const [done, { path, documentId }] of found.files.entries()) {
    onProgress?.(done, found.files.length, documentId);
    signal?.throwIfAborted();
    const file = loadPassagesApart([path, documentId, stored.get(documentId)], signal);
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

  const gone = [...empty, ...(await vanished([...stored.keys()], found, cwd))];
  await forget({ gone });
  if (gone.length > 0) await documents.remove(gone);
  summary.removed = gone.length;
  onProgress?.(found.files.length, found.files.length, "");
  return summary;
}

/** Passages written at once: enough to keep a store quick, few enough that stopping repeats little work. */
const BATCH = 1000;

/**
 * The stored documents that came from a file below one of the folders, and whose file is no longer there. A file that
 * only cannot be reached is not gone; an id that is no path (an address, a name given by a program) never was a file.
 */
async function vanished(
  ids: readonly string[],
  { files, folders }: Awaited<ReturnType<typeof findFiles>>,
  cwd: string,
) {
  const present = new Set(files.map(({ documentId }) => documentId));
  const gone: string[] = [];
  for (const id of ids) {
    if (present.has(id) || !loaderFor(id) || /^[a-z][a-z0-9+.-]+:/i.test(id)) continue;
    const path = nodePath.resolve(cwd, id);
    if (folders.some((folder) => contains(folder, path)) && (await isGone(path))) gone.push(id);
  }
  return gone;
}

function contains(folder: string, path: string): boolean {
  const inside = nodePath.relative(folder, path);
  return inside !== "" && inside !== ".." && !inside.startsWith(`..${nodePath.sep}`) && !nodePath.isAbsolute(inside);
}

async function isGone(path: string): Promise<boolean> {
  try {
    return !(await lstat(path)).isFile();
  } catch (error) {
    return codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR";
  }
}
