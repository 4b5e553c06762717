import { chunk } from "../corpus/chunk.js";
import { load } from "../corpus/load.js";
import { readHtmlPage, readPdfPage } from "../tools/page-reader/read-page.js";
import type { Passage } from "../types/evidence.js";

/** What is done in a process of its own, since its input was written by others. Takes and gives plain data. */
export const JOBS = { readHtmlPage, readPdfPage, chunk, load, loadPassages };

export type Jobs = typeof JOBS;

/** A file's passages; undefined where it still has the hash `known`. @throws as `load`. */
async function loadPassages(path: string, documentId: string, known?: string): Promise<Passage[] | undefined> {
  const document = await load(path, documentId, known);
  return document && chunk(document);
}
