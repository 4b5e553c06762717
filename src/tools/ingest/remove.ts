import { UsageError } from "../../errors.js";
import type { Documents } from "../documents/port.js";
import { keepingFacts, withFacts } from "../knowledge/keep-facts.js";
import type { KnowledgeGraph } from "../knowledge/port.js";
import { documentsFrom } from "./find.js";

interface RemoveOptions {
  documents: Documents;
  /** Loses the triples of the passages that are removed. */
  knowledge?: KnowledgeGraph | undefined;
  signal?: AbortSignal | undefined;
  /** The folder that document ids are relative to. */
  cwd: string;
  /** The folder that the names are relative to. */
  here: string;
}

/**
 * Removes from the store what came from these files, folders and addresses, even if they no longer exist. Leaves the files
 * themselves alone.
 * @returns the numbers of documents and passages removed.
 * @throws UsageError if nothing in the store came from one of them; nothing is removed then.
 * @throws StoreUnavailableError if the store or the graph fails; the signal's reason if aborted.
 */
export async function removeSources(
  names: readonly string[],
  { documents, knowledge, signal, cwd, here }: RemoveOptions,
): Promise<{ documents: number; passages: number }> {
  const ids = (await documents.list()).map(({ documentId }) => documentId);
  const gone = new Set<string>();
  for (const name of names) {
    const from = documentsFrom(name, ids, cwd, here);
    if (from.length === 0)
      throw new UsageError(`Nothing in the store comes from ${name}. What is in it: emend list. Nothing was removed.`);
    for (const id of from) gone.add(id);
  }
  return { documents: gone.size, passages: await removeDocuments([...gone], { documents, knowledge, signal }) };
}

/** Removes documents by their ids, with their triples. Returns the number of passages removed. @throws as `removeSources`. */
export async function removeDocuments(
  ids: readonly string[],
  { documents, knowledge, signal }: Pick<RemoveOptions, "documents" | "knowledge" | "signal">,
): Promise<number> {
  signal?.throwIfAborted();
  const keepFacts = keepingFacts(knowledge, { signal });
  return withFacts(
    documents,
    () => documents.remove(ids, signal && { signal }),
    () => keepFacts({ gone: ids }),
  );
}
