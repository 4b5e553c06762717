import { readFileSync, statSync } from "node:fs";
import type { Documents } from "../src/tools/documents/port.js";
import { BadDataError, CorpusLine, readLines } from "./data.js";
import { asPassage } from "./passages.js";

/**
 * Fills the store with a corpus: a folder of documents, ingested as the product does, or a corpus.jsonl, one passage a
 * line. Returns the text of a source by the name citations call it, read from the files again and not from the store.
 */
export async function openCorpus(path: string, documents: Documents): Promise<(name: string) => string | undefined> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw new BadDataError(`${path}: there is no such corpus. Name one with --corpus.`);
  if (stats.isDirectory()) {
    const { ingest } = await import("../src/corpus/ingest.js");
    await ingest([path], documents);
    return (name) => (statSync(name, { throwIfNoEntry: false })?.isFile() ? readFileSync(name, "utf8") : undefined);
  }
  const lines = readLines(path, CorpusLine);
  await documents.upsert(lines.map(asPassage));
  const texts = new Map(lines.map((line) => [line.id, line.text]));
  return (name) => texts.get(name);
}
