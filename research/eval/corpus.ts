import { readFileSync, statSync } from "node:fs";
import { ingestFiles } from "../../src/ingest/ingest.js";
import type { Documents } from "../../src/tools/documents/port.js";
import type { KnowledgeGraph } from "../../src/tools/knowledge/port.js";
import { BadDataError, CorpusLine, readLines } from "./data.js";
import { asPassage } from "./passages.js";
import { standsIn, standsInPage } from "./quotes.js";

/** A corpus as judges see it, read without the product's code. */
export interface Corpus {
  /** True if a quote is in the source that a citation names. */
  holds: (citation: { source: string; quote: string }) => boolean;
  /** The text of a source; empty if there is no such source. */
  textOf: (source: string) => string;
}

/**
 * Fills the store with a corpus: a folder of documents, ingested as the product does, or a corpus.jsonl, one passage
 * per line. Quotes are verified against the files themselves, not against the text in the store.
 * @throws BadDataError if there is no such corpus, or one of its files cannot be read.
 */
export async function openCorpus(path: string, documents: Documents, knowledge?: KnowledgeGraph): Promise<Corpus> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw new BadDataError(`${path}: there is no such corpus. Name one with --corpus.`);
  const corpus = await (stats.isDirectory() ? ingestFolder(path, documents, knowledge) : storeLines(path, documents));
  await documents.embed?.();
  return corpus;
}

async function ingestFolder(folder: string, documents: Documents, knowledge?: KnowledgeGraph): Promise<Corpus> {
  const { failures } = await ingestFiles([folder], { documents, knowledge });
  const [failure] = failures;
  if (failure) throw new BadDataError(`${failure.path}: ${failure.reason}`);
  if (await documents.isEmpty()) throw new BadDataError(`${folder}: holds no documents.`);
  const textOf = (source: string) =>
    statSync(source, { throwIfNoEntry: false })?.isFile() ? readFileSync(source, "utf8") : "";
  const holds: Corpus["holds"] = ({ source, quote }) =>
    (/\.(?:html?|csv|md)$/i.test(source) ? standsInPage : standsIn)(textOf(source), quote);
  return { holds, textOf };
}

async function storeLines(path: string, documents: Documents): Promise<Corpus> {
  const lines = readLines(path, CorpusLine);
  await documents.upsert(lines.map(asPassage));
  const texts = new Map(lines.map((line) => [line.id, line.text]));
  const textOf = (source: string) => texts.get(source) ?? "";
  return { holds: ({ source, quote }) => standsIn(textOf(source), quote), textOf };
}
