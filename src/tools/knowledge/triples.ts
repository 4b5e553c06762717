import type { TripleSource } from "./port.js";

/** A triple as it is stored: names as they were given, and the keys they are found by. */
export interface StoredTriple {
  sourceId: string;
  subject: string;
  subjectKey: string;
  predicate: string;
  object: string;
  objectKey: string;
  /** Empty for a plain value. */
  objectType: string;
  quote: string;
}

/** What a look-up needs to read of a graph that is kept as triples. Each call costs about one query. */
export interface TripleReader {
  /** Those of the keys that a name or an alias has. There may be more than there are triples about. */
  known(keys: readonly string[]): Promise<string[]>;
  /** Keys that may be meant by one that is misspelt; most will not. */
  near(key: string): Promise<string[]>;
  /** Pairs of a name and its alias, with at least one of these keys. */
  aliases(keys: readonly string[]): Promise<(readonly [string, string])[]>;
  /**
   * The triples with one of these subjects or one of these objects. Of a key with thousands, some by each of its
   * relations: such keys are told.
   */
  about(
    subjects: readonly string[],
    objects: readonly string[],
  ): Promise<{ triples: StoredTriple[]; cut: ReadonlySet<string> }>;
  /** All of what these sources say of an entity that was cut. */
  all(fact: CutFact): Promise<{ keys: ReadonlySet<string>; triples: StoredTriple[] }>;
  sources(ids: readonly string[]): Promise<TripleSource[]>;
}

/** One relation of one entity in one source. */
export interface CutFact {
  keys: readonly string[];
  /** "out": the keys are those of the subject. */
  direction: "out" | "in";
  predicate: string;
  sourceId: string;
}
