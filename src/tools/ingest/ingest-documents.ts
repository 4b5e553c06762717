import type { Passage } from "../../types/evidence.js";
import { digest, type LangchainDocument, passagesOf } from "../documents/langchain.js";
import { keepingFacts, withFacts } from "../knowledge/keep-facts.js";
import { BATCH, type IngestOptions } from "./ingest.js";

/**
 * Stores LangChain documents from loaders or splitters. Those with the same `metadata.source` become one document, in the
 * order given; those without a source are separate documents. Unchanged documents are not written again, and others in the
 * store stay. A text longer than a passage is cut as a file is. `knowledge` is filled as by `ingestFiles`.
 * @returns the numbers of documents and passages. Call `documents.embed` to enable vector search.
 * @throws StoreUnavailableError as the store does; the signal's reason if aborted.
 */
export async function ingestLangchain(
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
