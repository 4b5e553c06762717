import { readFile } from "node:fs/promises";
import type { TextSource } from "../../../citing/cite.js";
import { UsageError } from "../../../errors.js";
import { decode } from "../../../language/decode.js";
import { codeOf, type Failure, findFiles } from "./find.js";
import { READ } from "./loaders.js";
import { loadInOwnProcess } from "./own-process.js";

/**
 * Reads whole documents from files and folders, as sources of a text. Also returns the files that could not be read.
 * @throws UsageError if a path does not exist or nothing can be read; the signal's reason if aborted.
 */
export async function readSources(
  paths: readonly string[],
  { cwd = process.cwd(), signal }: { cwd?: string; signal?: AbortSignal } = {},
): Promise<{ sources: (TextSource & { id: string })[]; failures: Failure[] }> {
  const { files, failures } = await findFiles(paths, cwd);
  const sources: (TextSource & { id: string })[] = [];
  for (const { path, documentId } of files) {
    signal?.throwIfAborted();
    const document = await loadInOwnProcess([path, documentId], signal).catch((error: Error) => error);
    signal?.throwIfAborted();
    if (document instanceof Error) failures.push({ path: documentId, reason: document.message });
    else if (document) sources.push({ id: documentId, title: document.title, uri: document.uri, text: document.text });
  }
  if (sources.length === 0)
    throw new UsageError(
      `No source could be read under ${paths.join(", ")}.${failures.map(({ path, reason }) => ` ${path}: ${reason}`).join("")} Read are ${READ}.`,
    );
  return { sources, failures };
}

/** Reads a text file in any encoding. @throws UsageError if it cannot be read. */
export async function readText(path: string): Promise<string> {
  try {
    return decode(await readFile(path));
  } catch (error) {
    const why = codeOf(error) === "unknown" && error instanceof Error ? error.message : codeOf(error);
    throw new UsageError(`${path} cannot be read (${why}). Give a file of text.`);
  }
}
