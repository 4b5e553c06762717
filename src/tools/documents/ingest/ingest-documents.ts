import { createHash } from "node:crypto";
import { languageOf } from "../../../language/language.js";
import type { Passage } from "../../../types/evidence.js";
import type { Documents } from "../port.js";
import { BATCH } from "./ingest.js";
import { chunkInOwnProcess } from "./own-process.js";

/** A LangChain document, by its shape: parts may come from another copy of LangChain. */
export interface LangchainDocument {
  pageContent: string;
  metadata: Record<string, unknown>;
  id?: string | undefined;
}

/**
 * Stores LangChain documents, as its loaders and splitters give them: those of one `metadata.source` are one document, in
 * the order given; one without is a document by itself. What is stored already as it is now is not written again, and what
 * is not among those given stays. A document longer than a passage is cut as a file is.
 * @returns how many documents were written, and how many passages. Call `documents.embed` to find them by meaning too.
 * @throws StoreUnavailableError as the store does; the signal's reason when it aborts.
 */
export async function ingestDocuments(
  given: readonly LangchainDocument[],
  { documents, signal }: { documents: Documents; signal?: AbortSignal },
): Promise<{ written: number; unchanged: number; passages: number }> {
  const stored = new Map((await documents.list()).map(({ documentId, hash }) => [documentId, hash]));
  const summary = { written: 0, unchanged: 0, passages: 0 };
  let batch: Passage[] = [];
  const write = async () => {
    if (batch.length > 0) await documents.upsert(batch, signal ? { signal } : {});
    batch = [];
  };
  for (const [documentId, parts] of Map.groupBy(given, idOf)) {
    signal?.throwIfAborted();
    const hash = createHash("sha256").update(JSON.stringify(parts)).digest("hex");
    if (stored.get(documentId) === hash) {
      summary.unchanged += 1;
      continue;
    }
    const cut: Passage[] = [];
    for (const part of parts) cut.push(...(await passagesOf(part, signal)).filter(({ text }) => text.trim() !== ""));
    batch.push(
      ...cut.map((one, position) => ({ ...one, id: `${documentId}#${position}`, documentId, position, hash })),
    );
    summary.written += 1;
    summary.passages += cut.length;
    if (batch.length >= BATCH) await write();
  }
  await write();
  await documents.tidy?.();
  return summary;
}

const idOf = ({ pageContent, metadata, id }: LangchainDocument): string =>
  [metadata?.source, id].find((one) => typeof one === "string" && one !== "")?.toString() ??
  createHash("sha256").update(pageContent).digest("hex");

/** One passage where it is short enough to be read as it is; else its parts. */
export async function passagesOf(
  { pageContent: text, metadata = {}, id }: LangchainDocument,
  signal?: AbortSignal,
): Promise<Passage[]> {
  const named = (...names: string[]) =>
    names.map((name) => metadata[name]).find((value) => typeof value === "string" && value !== "") as
      | string
      | undefined;
  const uri = named("source", "url", "uri", "link", "path") ?? "";
  const hash = createHash("sha256").update(text).digest("hex");
  const document = {
    documentId: id ?? named("id") ?? `${uri}#${hash.slice(0, 16)}`,
    uri,
    title: named("title", "name") ?? uri.split(/[\\/]/).at(-1) ?? "",
    reviewedAt: "",
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

/** Characters; no passage of a store of our own is longer. */
const LONGEST = 4_000;
