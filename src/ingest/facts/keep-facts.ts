import { z } from "zod";
import { aSignal, check, exactly, part } from "../../options.js";
import type { Documents } from "../../tools/documents/port.js";
import type { KnowledgeGraph } from "../../tools/knowledge/port.js";
import { passageSource } from "../../tools/knowledge/triples.js";
import { isLinesSource, isPassageSource } from "../../tools/store/facts.js";
import type { Call } from "../../types/call.js";
import type { Passage } from "../../types/evidence.js";
import { aboutDocument, groundTriples } from "./ground-triples.js";
import { localExtractor } from "./local-extractor.js";

interface KeepOptions {
  /** If false, only removes facts that are no longer in the documents. Default true. */
  facts?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Returns a function that keeps a graph in step with the documents of a store: adds the facts in tables of
 * new passages, and removes those from passages that changed or are gone. Passages that `buildKnowledge` has read with a
 * model or an ontology keep their triples. Call it through `withFacts`. Reads the list of sources once, on the first call
 * with documents.
 */
export function keepingFacts(knowledge: KnowledgeGraph | undefined, { facts = true, signal }: KeepOptions = {}) {
  const extractor = localExtractor();
  const call: Call = { signal: signal ?? new AbortController().signal, calls: 0, spent: () => {}, fault: () => {} };
  const options = signal && { signal };
  let listed: ReturnType<KnowledgeGraph["sources"]> | undefined;
  return async ({ gone = [], written = [] }: { gone?: readonly string[]; written?: readonly Passage[] }) => {
    if (!knowledge || gone.length + written.length === 0) return;
    listed ??= knowledge.sources();
    const wanted = new Map(
      written.map((passage) => {
        const source = passageSource(passage, extractor.identity);
        return [source.id, { passage, source }] as const;
      }),
    );
    const removed = new Set(gone);
    const replaced = new Set(written.map(({ documentId }) => documentId));
    const stored = (await listed).filter(
      (one) =>
        (isPassageSource(one) && replaced.has(one.documentId)) || (!isLinesSource(one) && removed.has(one.documentId)),
    );
    const stale = stored.filter(({ id }) => !wanted.has(id)).map(({ id }) => id);
    if (stale.length > 0) await knowledge.remove(stale, options);
    if (!facts) return;
    const hashes = new Map(stored.map(({ id, hash }) => [id, hash]));
    const read = [];
    for (const { passage, source } of wanted.values()) {
      const known = hashes.get(source.id);
      if (known !== undefined && (known === source.hash || !OWN.test(known))) continue;
      const triples = [...aboutDocument(passage), ...groundTriples(passage, await extractor.extract(passage, call))];
      // Most passages have no such facts. Storing empty sources would cost as much as storing the others.
      if (triples.length > 0 || known !== undefined) read.push({ source, triples });
    }
    if (read.length > 0) await knowledge.upsert(read, options);
  };
}

/**
 * Writes documents and their facts: in one transaction if the store supports it, else the facts first. If writing the
 * documents is then interrupted, the next run repeats both, and nothing is stored twice.
 */
export function withFacts<T>(
  { together }: Pick<Documents, "together">,
  writeDocuments: () => Promise<T>,
  writeFacts: () => Promise<void>,
): Promise<T> {
  if (!together) return writeFacts().then(writeDocuments);
  return together(async () => {
    // Documents first: they may be embedded before the transaction begins, so that other writers do not wait.
    const written = await writeDocuments();
    await writeFacts();
    return written;
  });
}

const Removal = exactly({
  ids: z.array(z.string()),
  documents: part<Documents>("remove"),
  knowledge: part<KnowledgeGraph>("remove", "sources").optional(),
  signal: aSignal.optional(),
});

/**
 * Removes documents with their vectors, and with all facts about them that emend stored in `knowledge`, in one call for
 * any stores. Facts of loaded files, and those that others wrote to a Neo4j, stay. Ignores unknown ids.
 * @returns the number of passages removed.
 * @throws UsageError for an unknown option; StoreUnavailableError if the store or the graph fails; the signal's reason if
 * aborted.
 */
export async function removeDocuments(
  ids: readonly string[],
  options: { documents: Documents; knowledge?: KnowledgeGraph | undefined; signal?: AbortSignal | undefined },
): Promise<number> {
  check(Removal, { ...options, ids });
  const { documents, knowledge, signal } = options;
  signal?.throwIfAborted();
  const keepFacts = keepingFacts(knowledge, { signal });
  return withFacts(
    documents,
    () => documents.remove(ids, signal && { signal }),
    () => keepFacts({ gone: ids }),
  );
}

/** Matches the hash of a passage that was read without a model and without an ontology. */
const OWN = /^local\.\d+ \w+$/;
