import { toError, UsageError } from "../../errors.js";
import { decode } from "../../text/decode.js";
import type { SourceDocument } from "../../types/evidence.js";
import { READ } from "../formats/registry.js";
import { bytesOf } from "./bytes.js";
import { findFiles, type ReadFailure } from "./find.js";
import { loadInOwnProcess } from "./killable-reader.js";

/**
 * Reads whole documents from files, folders and globs, as `ingestFiles` does, without storing them. `chunk` cuts one into passages.
 * @param options.cwd the folder that paths and document ids are relative to. Default: the working directory.
 * @returns the documents, and the files that could not be read.
 * @throws UsageError if a path does not exist or nothing can be read; the signal's reason if aborted.
 */
export async function loadDocuments(
  paths: readonly string[],
  { cwd = process.cwd(), signal }: { cwd?: string; signal?: AbortSignal } = {},
): Promise<{ documents: SourceDocument[]; failures: ReadFailure[] }> {
  const { files, failures, missing } = await findFiles(paths, cwd);
  if (missing[0]) throw new UsageError(`There is no file or folder ${missing[0].given}.`);
  const documents: SourceDocument[] = [];
  for (const { path, documentId } of files) {
    signal?.throwIfAborted();
    const document = await loadInOwnProcess([path, documentId], signal).catch((error: Error) => error);
    signal?.throwIfAborted();
    if (document instanceof Error) failures.push({ path: documentId, reason: document.message });
    else if (document) documents.push(document);
  }
  if (documents.length === 0)
    throw new UsageError(
      `No source could be read under ${paths.join(", ")}.${failures.map(({ path, reason }) => ` ${path}: ${reason}`).join("")} Read are ${READ}.`,
    );
  return { documents, failures };
}

/** Reads a text file in any encoding. @throws UsageError if it cannot be read. */
export async function readText(path: string): Promise<string> {
  try {
    return decode(await bytesOf(path));
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${toError(error).message} Give a file of text.`);
  }
}
