import { BudgetSpentError, EndpointError, MalformedReplyError } from "../../errors.js";
import type { Usage } from "../../types/answer.js";
import type { Call } from "../../types/call.js";
import type { Passage } from "../../types/evidence.js";
import type { Documents } from "../documents/port.js";
import { aboutDocument, groundTriples } from "./ground-triples.js";
import { applyOntology, ontologyHash } from "./ontology.js";
import type { KnowledgeGraph, Ontology, Triple, TripleExtractor } from "./port.js";
import { isPassageSource, passageSource } from "./sources.js";

export interface BuildSummary {
  /** Passages that were read and stored, also those without a triple. */
  read: number;
  /** Passages that were read before and have not changed. */
  unchanged: number;
  /** Triples of the passages that were read. */
  triples: number;
  /** Passages that are gone or changed; their triples were removed. */
  removed: number;
  /** Passages left unread because of the limit. */
  left: number;
  /** Passages that could not be read. The next call tries them again. */
  failures: { passage: string; reason: string }[];
  usage: Usage;
}

export interface BuildOptions {
  documents: Documents;
  knowledge: KnowledgeGraph;
  extractor: TripleExtractor;
  ontology?: Ontology | undefined;
  /** The most passages to read. Default: all. */
  limit?: number | undefined;
  signal?: AbortSignal;
  /** Called before each group of passages with the number done and the total. */
  onProgress?: (done: number, total: number, documentId: string) => void;
}

/**
 * Updates a graph from the stored passages: removes the triples of passages that are gone or changed, reads new ones, and
 * leaves everything else alone. An interrupted call loses and duplicates nothing, and the next call continues it. What a
 * model has read is not read again without a model.
 * @throws StoreUnavailableError when a store fails; EndpointError when the model's endpoint keeps failing; the signal's
 * reason when it aborts.
 */
export async function buildKnowledge(options: BuildOptions): Promise<BuildSummary> {
  const { documents, knowledge, extractor, ontology, limit = Number.POSITIVE_INFINITY, signal, onProgress } = options;
  const reader = ontology ? `${extractor.identity} ontology ${ontologyHash(ontology)}` : extractor.identity;
  const stored = new Map((await knowledge.sources()).filter(isPassageSource).map(({ id, hash }) => [id, hash]));
  const wanted = new Set<string>();
  const todo: { id: string; documentId: string }[] = [];
  for await (const passages of eachDocument(documents, signal))
    for (const passage of passages) {
      const { id, hash } = passageSource(passage, reader);
      if (!wanted.has(id) && !isRead(stored.get(id), hash)) todo.push(passage);
      wanted.add(id);
    }

  const gone = [...stored.keys()].filter((id) => !wanted.has(id));
  if (gone.length > 0) await knowledge.remove(gone, signal && { signal });
  const summary: BuildSummary = {
    read: 0,
    unchanged: wanted.size - todo.length,
    triples: 0,
    removed: gone.length,
    left: Math.max(0, todo.length - limit),
    failures: [],
    usage: { calls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0 },
  };

  const total = todo.length - summary.left;
  let inARow = 0;
  for (let done = 0; done < total; done += extractor.atOnce) {
    signal?.throwIfAborted();
    const group = todo.slice(done, Math.min(total, done + extractor.atOnce));
    onProgress?.(done, total, group[0]?.documentId ?? "");
    const passages = await documents.get(group.map(({ id }) => id));
    const outcomes = await Promise.all(passages.map((passage) => readPassage(passage, options, summary.usage)));
    const read = outcomes.flatMap(({ passage, triples }) =>
      triples ? [{ source: passageSource(passage, reader), triples }] : [],
    );
    if (read.length > 0) await knowledge.upsert(read, signal ? { signal } : {});
    summary.read += read.length;
    summary.triples += read.reduce((sum, { triples }) => sum + triples.length, 0);
    for (const { passage, error } of outcomes) {
      inARow = error instanceof EndpointError ? inARow + 1 : 0;
      if (error) summary.failures.push({ passage: passage.id, reason: error.message });
      // An endpoint that is down would fail every passage, one after the other.
      if (error && inARow >= MOST_IN_A_ROW) throw error;
    }
  }
  await knowledge.tidy?.();
  onProgress?.(total, total, "");
  return summary;
}

const MOST_IN_A_ROW = 3;

/** True for a passage read by the same reader, or by a model while there is none now: its triples are the better ones. */
const isRead = (known: string | undefined, hash: string) =>
  known !== undefined && (known === hash || (known.startsWith("model") && !hash.startsWith("model")));

async function* eachDocument(documents: Documents, signal?: AbortSignal): AsyncGenerator<Passage[]> {
  for (const { documentId, passages } of await documents.list()) {
    signal?.throwIfAborted();
    yield await documents.get(Array.from({ length: passages }, (_, position) => `${documentId}#${position}`));
  }
}

/** Extracts a passage's triples; returns the error if a model could not read it. */
async function readPassage(
  passage: Passage,
  { extractor, ontology, signal = new AbortController().signal }: BuildOptions,
  usage: Usage,
): Promise<{ passage: Passage; triples?: Triple[]; error?: Error }> {
  const call: Call = {
    signal,
    calls: CALLS,
    spent: (more) => {
      for (const key of ["calls", "inputTokens", "cachedTokens", "outputTokens"] as const) usage[key] += more[key];
    },
    // Triples are checked against the passage, whatever was wrong with the reply.
    fault: () => {},
  };
  try {
    const triples = groundTriples(passage, applyOntology(await extractor.extract(passage, call), ontology));
    return { passage, triples: [...applyOntology(aboutDocument(passage), ontology), ...triples] };
  } catch (error) {
    if (error instanceof EndpointError || error instanceof MalformedReplyError || error instanceof BudgetSpentError)
      return { passage, error };
    throw error;
  }
}

/** One call for reading, one for a repair, and two for reply formats that the endpoint may refuse. */
const CALLS = 4;
