import type { GraphRow, Provenance } from "../../types/graph.js";

/** Something that facts are about: a person, a place, a product, a document. */
export interface Entity {
  name: string;
  /** "Person", "部门"; empty where nobody said. */
  type: string;
  /** Other names of the same thing. */
  aliases: readonly string[];
}

/** One statement: subject, relation, object. A plain value (a date, an amount) is an object of type "". */
export interface Triple {
  subject: Entity;
  /** The relation in words, as its source has it: "reports to", "负责人". */
  predicate: string;
  object: Entity;
  /** The words it rests on, cut out of the source; empty where it was loaded and not read out of a text. */
  quote: string;
}

/** What triples were taken from: a passage of a document, or a part of a loaded file. */
export interface TripleSource {
  /** Unique in the graph. */
  id: string;
  documentId: string;
  title: string;
  /** Where a reader finds it. */
  uri: string;
  section: string;
  /** An ISO date, or empty. */
  reviewedAt: string;
  /** The hash of what the triples were taken from; equal hashes mean nothing changed. */
  hash: string;
}

/** What a graph says of one entity by one relation: everything at its other end, from one source. */
export interface Fact {
  /** The same for the same fact, whenever it is looked up. */
  id: string;
  /** The entity's name, as the graph writes it. */
  entity: string;
  /** What the entity is, where that is known: "Person", "员工". */
  entityType?: string;
  /** The relation, as the graph writes it: "ACTED_IN", "负责人"; for a property of the entity its key. */
  predicate: string;
  /** "out": entity, predicate, others. "in": others, predicate, entity. */
  direction: "out" | "in";
  /** The names or values at the other end, without repeats; at most 50 of `total`. */
  others: readonly string[];
  /** How many there are at the other end, also where `others` is cut. */
  total: number;
  /** What those at the other end are, where all of them are of one type: "Movie", "部门". */
  otherType?: string;
  /** 0 to 1; comparable within one result only. */
  score: number;
  provenance: Provenance;
  /** What it was taken from, with the words it rests on; undefined in a graph that emend did not fill. */
  source?: TripleSource & { quotes: readonly string[] };
}

/** What a graph holds, for those who write queries. What emend keeps for itself is not part of it. */
export interface GraphSchema {
  nodes: readonly { label: string; properties: readonly GraphProperty[] }[];
  relations: readonly { type: string; from: string; to: string; properties: readonly GraphProperty[] }[];
  /** Questions with their queries, as users gave them to show how this graph is asked. */
  examples?: readonly { question: string; cypher: string }[];
}

export interface GraphProperty {
  name: string;
  /** "String", "Long", "Date", as the graph names its types. */
  type: string;
  /** All values there are, where they are few; otherwise absent. Of a large graph, those in a sample. */
  values?: readonly string[];
}

/** The result of a query that a model or a user wrote. */
export interface QueryResult {
  /** The query as it ran, its limit included. */
  cypher: string;
  parameters: GraphRow;
  columns: readonly string[];
  /** At most 100. */
  rows: readonly GraphRow[];
  /** There would have been more rows, or larger ones. */
  truncated: boolean;
}

/** Entities and how they are related: look-ups that need no model and, where there is a query language, queries. */
export interface KnowledgeGraph {
  /** What the graph holds; empty lists for an empty graph. May be as old as a minute. */
  schema(options?: { signal?: AbortSignal }): Promise<GraphSchema>;

  /**
   * What is said of the entities that are named, one relation and at most two away, best first. Names are found in any
   * case and width, with small misspellings, and by their aliases. `question` is looked through for further names, and
   * decides which facts come first.
   * @param limit 1 to 100, default 20.
   * @throws UsageError for another limit.
   * @throws StoreUnavailableError when the graph cannot be reached.
   */
  facts(
    entities: readonly string[],
    question: string,
    options?: { limit?: number; signal?: AbortSignal },
  ): Promise<Fact[]>;

  /**
   * Runs a query that may only read, whoever wrote it. Absent where the graph has no query language.
   * @throws CypherError when the query is refused or fails; nothing was changed.
   * @throws StoreUnavailableError when the graph cannot be reached.
   */
  query?(cypher: string, parameters: GraphRow, options?: { signal?: AbortSignal }): Promise<QueryResult>;

  /**
   * Stores sources whole: each afterwards has exactly the triples given here, also none. Entities are the same when
   * their normalised names or aliases are. Either all of a call is visible afterwards or none. Control characters in
   * names and relations become spaces; a triple that is given twice is kept once.
   * @throws UsageError where a source has no id or a triple has an empty subject, relation or object.
   * @throws StoreUnavailableError when the graph cannot be reached or written.
   */
  upsert(
    given: readonly { source: TripleSource; triples: readonly Triple[] }[],
    options?: { signal?: AbortSignal },
  ): Promise<void>;

  /** Removes sources with their triples, and the entities that nothing speaks of any more; unknown ids are ignored. Returns how many sources went. */
  remove(sourceIds: readonly string[], options?: { signal?: AbortSignal }): Promise<number>;

  /** Every stored source. */
  sources(): Promise<{ id: string; documentId: string; hash: string; triples: number }[]>;

  /** Finishes what a writer that was killed left undone, as in `Documents`. */
  tidy?(): Promise<void>;

  close(): Promise<void>;
}
