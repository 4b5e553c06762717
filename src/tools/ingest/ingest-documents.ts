import { createHash } from "node:crypto";
import { languageOf } from "../../text/language.js";
import type { Passage } from "../../types/evidence.js";
import { metadataOf } from "../../types/metadata.js";
import { keepingFacts, withFacts } from "../knowledge/keep-facts.js";
import { BATCH, type IngestOptions } from "./ingest.js";
import { chunkInOwnProcess } from "./killable-reader.js";

/** A LangChain document. Structural, since it may come from another copy of LangChain. */
export interface LangchainDocument {
  pageContent: string;
  metadata: Record<string, unknown>;
  id?: string | undefined;
}

/**
 * Stores LangChain documents from loaders or splitters. Those with the same `metadata.source` become one document, in the
 * order given; those without a source are separate documents. Unchanged documents are not written again, and others in the
 * store stay. A text longer than a passage is cut as a file is. `knowledge` is filled as by `ingest`.
 * @returns the numbers of documents and passages. Call `documents.embed` to enable vector search.
 * @throws StoreUnavailableError as the store does; the signal's reason if aborted.
 */
export async function ingestDocuments(
  given: readonly LangchainDocument[],
  { documents, knowledge, facts, signal }: Pick<IngestOptions, "documents" | "knowledge" | "facts" | "signal">,
): Promise<{ written: number; unchanged: number; passages: number }> {
  const stored = new Map((await documents.list()).map(({ documentId, hash }) => [documentId, hash]));
  const summary = { written: 0, unchanged: 0, passages: 0 };
  let batch: Passage[] = [];
  const keepFacts = keepingFacts(knowledge, { facts, signal });
  const write = async () => {
    const upsert = async () => {
      if (batch.length > 0) await documents.upsert(batch, signal ? { signal } : {});
    };
    await withFacts(documents, upsert, () => keepFacts({ written: batch }));
    batch = [];
  };
  for (const [documentId, parts] of Map.groupBy(given, idOf)) {
    signal?.throwIfAborted();
    const hash = digest(JSON.stringify(parts));
    if (stored.get(documentId) === hash) {
      summary.unchanged += 1;
      continue;
    }
    const passages: Passage[] = [];
    for (const part of parts) passages.push(...(await passagesOf(part, signal)));
    const filled = passages.filter(({ text }) => text.trim() !== "");
    batch.push(
      ...filled.map((one, position) => ({ ...one, id: `${documentId}#${position}`, documentId, position, hash })),
    );
    summary.written += 1;
    summary.passages += filled.length;
    if (batch.length >= BATCH) await write();
  }
  await write();
  await Promise.all([documents.tidy?.(), summary.passages > 0 && knowledge?.tidy?.()]);
  return summary;
}

const idOf = ({ pageContent, metadata, id }: LangchainDocument): string =>
  [metadata?.source, id].find((one) => typeof one === "string" && one !== "")?.toString() ?? digest(pageContent);

const digest = (text: string) => createHash("sha256").update(text).digest("hex");

/** Returns the text as one passage, or cut if it is too long for one. */
export async function passagesOf(
  { pageContent: text, metadata = {}, id }: LangchainDocument,
  signal?: AbortSignal,
): Promise<Passage[]> {
  const named = (...names: string[]) =>
    names.map((name) => metadata[name]).find((value): value is string => typeof value === "string" && value !== "");
  const uri = named("source", "url", "uri", "link", "path") ?? "";
  const hash = digest(text);
  const document = {
    documentId: id ?? named("id") ?? `${uri}#${hash.slice(0, 16)}`,
    uri,
    title: named("title", "name") ?? uri.split(/[\\/]/).at(-1) ?? "",
    reviewedAt: "",
    metadata: metadataOf(Object.entries(metadata)),
    format: "markdown" as const,
    text,
    hash,
  };
  if (text.length > LONGEST) return chunkInOwnProcess(document, signal);
  const headings = ["Header 1", "Header 2", "Header 3"].flatMap((name) => named(name) ?? []);
  const section = named("section", "heading") ?? headings.join(" › ");
  const { format: _, ...rest } = document;
  return [{ ...rest, id: `${document.documentId}#0`, position: 0, section, language: languageOf(text) }];
}

/** In characters. `chunk` never makes longer passages. */
const LONGEST = 4_000;
