import { createHash } from "node:crypto";
import { z } from "zod";
import { BudgetSpentError, EndpointError, MalformedReplyError, UsageError } from "../../errors.js";
import { jsonOf } from "../../text/decode.js";
import { plain } from "../../text/tokens.js";
import { passageIds } from "../../tools/documents/document-id.js";
import type { Documents } from "../../tools/documents/port.js";
import type {
  Entity,
  KnowledgeGraph,
  Ontology,
  OntologyTerm,
  Triple,
  TripleExtractor,
} from "../../tools/knowledge/port.js";
import { passageSource } from "../../tools/knowledge/triples.js";
import { isPassageSource } from "../../tools/store/facts.js";
import type { Usage } from "../../types/answer.js";
import type { Call } from "../../types/call.js";
import type { Passage } from "../../types/evidence.js";
import { aboutDocument, groundTriples } from "./ground-triples.js";

export interface BuildSummary {
  /** Passages that were read and stored, including those without a triple. */
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
 * Updates a graph from the stored passages: removes the triples of passages that are gone or changed, reads new ones,
 * and leaves everything else alone. An interrupted call loses and duplicates nothing, and the next call continues it.
 * Passages that a model has read are not read again without a model.
 * @throws StoreUnavailableError when a store fails; EndpointError when the model's endpoint keeps failing; the signal's
 * reason when it aborts.
 */
export async function buildKnowledge(options: BuildOptions): Promise<BuildSummary> {
  const { documents, knowledge, extractor, ontology, limit = Number.POSITIVE_INFINITY, signal, onProgress } = options;
  const reader = ontology ? `${extractor.identity} ontology ${ontologyHash(ontology)}` : extractor.identity;
  const stored = new Map((await knowledge.sources()).filter(isPassageSource).map(({ id, hash }) => [id, hash]));
  const wanted = new Set<string>();
  const todo: { id: string; documentId: string }[] = [];
  for (const document of await documents.list()) {
    signal?.throwIfAborted();
    for (const passage of await documents.get(passageIds(document))) {
      const { id, hash } = passageSource(passage, reader);
      if (!wanted.has(id) && !isRead(stored.get(id), hash)) todo.push(passage);
      wanted.add(id);
    }
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
      if (error && inARow >= MAX_FAILURES_IN_A_ROW) throw error;
    }
  }
  await knowledge.tidy?.();
  onProgress?.(total, total, "");
  return summary;
}

const MAX_FAILURES_IN_A_ROW = 3;

/** True for a passage read by the same reader, or by a model while there is none now: its triples are the better ones. */
const isRead = (known: string | undefined, hash: string) =>
  known !== undefined && (known === hash || (known.startsWith("model") && !hash.startsWith("model")));

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
    // Faults in a reply do not matter, since all triples are checked against the passage.
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

/**
 * Reads an ontology from JSON: `{"entities": ["Person", {"name": "Team", "aliases": ["部门"]}], "relations": [{"name":
 * "leads", "from": "Person", "to": "Team"}]}`.
 * @throws UsageError that says what is wrong with it.
 */
export function parseOntology(text: string, path: string): Ontology {
  const parsed = Written.safeParse(jsonOf(text, path));
  if (!parsed.success) {
    const flaws = parsed.error.issues.slice(0, 3).map((i) => `${i.path.join(".") || "the file"}: ${i.message}`);
    throw new UsageError(`${path} is not an ontology: ${flaws.join("; ")}. See docs/knowledge-graph.md.`);
  }
  const unknown = parsed.data.relations
    .flatMap(({ from, to }) => [from, to])
    .find((type) => type !== undefined && !parsed.data.entities.some(({ name }) => name === type));
  if (unknown !== undefined)
    throw new UsageError(`${path}: a relation joins "${unknown}", which is not an entity type.`);
  return parsed.data;
}

/** Converts triples to the ontology's terms. Drops triples whose relation is unknown or does not join their types. */
export function applyOntology(triples: readonly Triple[], ontology: Ontology | undefined): Triple[] {
  if (!ontology) return [...triples];
  return triples.flatMap((triple) => {
    const relation = termOf(ontology.relations, triple.predicate);
    if (!relation) return [];
    const subject = typed(triple.subject, ontology, relation.from);
    const object = typed(triple.object, ontology, relation.to);
    return subject && object ? [{ ...triple, predicate: relation.name, subject, object }] : [];
  });
}

/** Returns a hash that changes with the ontology. */
const ontologyHash = (ontology: Ontology) =>
  createHash("sha256").update(JSON.stringify(ontology)).digest("hex").slice(0, 12);

/** Gives an entity the type that the relation requires. Undefined if it has another one. */
function typed(entity: Entity, { entities }: Ontology, wanted: string | undefined): Entity | undefined {
  const type = termOf(entities, entity.type)?.name ?? "";
  if (wanted !== undefined && type !== "" && type !== wanted) return undefined;
  return { ...entity, type: wanted ?? type };
}

const termOf = <T extends OntologyTerm>(terms: readonly T[], said: string) =>
  terms.find(({ name, aliases }) => [name, ...aliases].some((word) => key(word) === key(said)));

/** Gives "reports to", "REPORTS_TO" and "Reports-to" the same key. */
const key = (word: string) =>
  plain(word)
    .replace(/[\s_-]+/g, " ")
    .trim();

const Word = z.string().trim().min(1).max(80);
const WrittenTerm = z.object({ name: Word, aliases: z.array(Word).default([]) });
const WrittenRelation = WrittenTerm.extend({ from: Word.optional(), to: Word.optional() });

/** Lets a term be written as only its name. */
const named = <T extends z.ZodType>(term: T) =>
  z.preprocess((given) => (typeof given === "string" ? { name: given } : given), term);
const Written = z.object({
  entities: z.array(named(WrittenTerm)).max(200).default([]),
  relations: z.array(named(WrittenRelation)).min(1).max(200),
});
