import type { Call } from "../../types/call.js";
import type { Passage } from "../../types/evidence.js";
import type { Filter } from "../../types/filter.js";
import type { GraphFact, GraphRow, Provenance } from "../../types/knowledge.js";
import type { Language } from "../../types/language.js";
import type { Metadata } from "../../types/metadata.js";

/** A person, a place, a product, a document: anything that facts are about. */
export interface Entity {
  name: string;
  /** "Person", "部门"; empty if unknown. */
  type: string;
  /** Other names of the same entity. */
  aliases: readonly string[];
}

/** One statement: subject, relation, object. A plain value (a date, an amount) is an object of type "". */
export interface Triple {
  subject: Entity;
  /** The relation in the words of the source: "reports to", "负责人". */
  predicate: string;
  object: Entity;
  /** The supporting words of the source, verbatim; empty if the triple was loaded, not extracted from text. */
  quote: string;
}

/** The origin of triples: a passage of a document, or a part of a loaded file. */
export interface TripleSource {
  /** Unique in the graph. */
  id: string;
  documentId: string;
  title: string;
  /** The path or address where a reader finds it. */
  uri: string;
  section: string;
  /** An ISO date, or empty. */
  reviewedAt: string;
  /** Equal hashes mean that nothing changed. */
  hash: string;
  /** What the document states about itself. Without it, a filter leaves the source out. */
  metadata?: Metadata | undefined;
}

/**
 * The triples of one document or loaded file with the same entity, relation and direction. If the fact is a property of
 * a node, the predicate is the key of the property.
 */
export interface Fact extends Omit<GraphFact, "others"> {
  /** Stable: the same fact has the same id in every look-up. */
  id: string;
  /** The entity's type, if known: "Person", "员工". */
  entityType?: string;
  /** The distinct names or values at the other end; at most 50 of `total`. */
  others: readonly string[];
  /** The type of everything at the other end, if it is the same: "Movie", "部门". */
  otherType?: string;
  /** 0 to 1; comparable within one result only. */
  score: number;
  provenance: Provenance;
  /** The first source with all supporting quotes; undefined in a graph that emend did not fill. */
  source?: TripleSource & { quotes: readonly string[] };
}

/** The schema of a graph, for writing queries; without emend's own labels and properties. */
export interface GraphSchema {
  nodes: readonly { label: string; properties: readonly GraphProperty[] }[];
  relations: readonly { type: string; from: string; to: string; properties: readonly GraphProperty[] }[];
  /** The users' example questions with their queries. */
  examples?: readonly { question: string; cypher: string }[];
}

export interface GraphProperty {
  name: string;
  /** The graph's name for the type: "String", "Long", "Date". */
  type: string;
  /** All values if there are few, otherwise absent. In a large graph, the values in a sample. */
  values?: readonly string[];
}

/** The result of a query that a model or a user wrote. */
export interface QueryResult {
  /** The query as it ran, including its limit. */
  cypher: string;
  parameters: GraphRow;
  columns: readonly string[];
  /** At most 100. */
  rows: readonly GraphRow[];
  /** True if rows are missing or values were cut. */
  truncated: boolean;
}

/** A graph of entities and relations. Look-ups need no model; some graphs also have a query language. */
export interface KnowledgeGraph {
  /** Returns the schema, at most a minute old; empty lists for an empty graph. */
  schema(options?: { signal?: AbortSignal }): Promise<GraphSchema>;

  /**
   * Returns facts about the named entities and their neighbours, best first. Names match in any case and width, with
   * small misspellings, and by alias. Names in `question` count too, and the question decides which facts come first.
   * @param limit 1 to 100, default 20.
   * @param filter uses only sources that meet it, also for names and aliases. A graph that emend did not fill has no
   *   sources, so with a filter it returns nothing.
   * @throws UsageError for another limit.
   * @throws StoreUnavailableError when the graph cannot be reached.
   */
  facts(
    entities: readonly string[],
    question: string,
    options?: { limit?: number; filter?: Filter; signal?: AbortSignal },
  ): Promise<Fact[]>;

  /**
   * Runs an untrusted query, which may only read. Absent if the graph has no query language.
   * @throws CypherError when the query is refused or fails; nothing was changed.
   * @throws StoreUnavailableError when the graph cannot be reached.
   */
  query?(cypher: string, parameters: GraphRow, options?: { signal?: AbortSignal }): Promise<QueryResult>;

  /**
   * Stores sources: afterwards each has exactly the triples given here, which may be none. Entities are the same if
   * their normalised names or aliases are. The change becomes visible all at once or not at all. Control characters in
   * names and relations become spaces; duplicate triples are kept once.
   * @throws UsageError if a source has no id or a triple has an empty subject, relation or object.
   * @throws StoreUnavailableError when the graph cannot be reached or written.
   */
  upsert(
    given: readonly { source: TripleSource; triples: readonly Triple[] }[],
    options?: { signal?: AbortSignal },
  ): Promise<void>;

  /**
   * Removes sources with their triples, and entities without any triple left. Unknown ids are ignored. Returns how many
   * sources were removed.
   */
  remove(sourceIds: readonly string[], options?: { signal?: AbortSignal }): Promise<number>;

  /**
   * Gives the facts of passages the metadata that these have now, and nothing else. Ignores passages without facts.
   * @param changes passages that differ in their metadata alone.
   */
  restate?(changes: readonly { before: Passage; after: Passage }[], options?: { signal?: AbortSignal }): Promise<void>;

  /** Lists every stored source with its number of triples. */
  sources(): Promise<{ id: string; documentId: string; hash: string; triples: number }[]>;

  /** Finishes maintenance that a killed writer left undone, as in `Documents`. */
  tidy?(): Promise<void>;

  close(): Promise<void>;
}

/** Extracts the statements about named entities from a passage. */
export interface TripleExtractor {
  /** One line that changes whenever the same passage would be read differently: kind, version, model. */
  readonly identity: string;
  /** How many passages to read in parallel and store together. Small if reading is slow, so that little is lost. */
  readonly atOnce: number;
  /**
   * Returns triples, each with a quote from the passage. They are not trusted: the caller drops what the passage does
   * not contain.
   * @throws EndpointError and MalformedReplyError if it uses a model.
   */
  extract(passage: Passage, call: Call): Promise<Triple[]>;
}

/** The entity types and relations that a graph may have. Aliases are other words for the same thing. */
export interface Ontology {
  entities: readonly OntologyTerm[];
  relations: readonly (OntologyTerm & {
    /** The type of the subject; absent for any type. */
    from?: string | undefined;
    /** The type of the object; absent for any type. */
    to?: string | undefined;
  })[];
}

export interface OntologyTerm {
  name: string;
  aliases: readonly string[];
}

export interface CypherTask {
  question: string;
  language: Language;
  schema: GraphSchema;
  /** The entities that the question may be about, with their names and labels in the graph. */
  entities: readonly { name: string; type: string }[];
  /** Queries for this question that were rejected or failed, oldest first, with the server's message. */
  tried: readonly { cypher: string; error: string }[];
}

/** Writes a Cypher query for a question. The query is not trusted: the graph's guard decides whether it runs. */
export interface CypherWriter {
  /**
   * Undefined if the graph cannot contain the answer. Values from the question go into the parameters, not into the
   * text.
   */
  write(task: CypherTask, call: Call): Promise<{ cypher: string; parameters: GraphRow } | undefined>;
}
