import type { Fact, TripleSource } from "./port.js";

/** A triple as it is stored: names as they were given, and the keys they are found by. */
export interface StoredTriple {
  sourceId: string;
  subject: string;
  subjectKey: string;
  /** Empty where nobody said. */
  subjectType: string;
  predicate: string;
  object: string;
  objectKey: string;
  /** Empty for a plain value, and where nobody said. */
  objectType: string;
  quote: string;
}

/** What a look-up needs to read of a graph that is kept as triples. Each call costs a query or a few. */
export interface TripleReader {
  /** Those of the keys that a name or an alias has. */
  known(keys: readonly string[]): Promise<string[]>;
  /** Keys that may be meant by one that is misspelt; most will not. */
  near(key: string): Promise<string[]>;
  /** Pairs of a name and its alias, with at least one of these keys. */
  aliases(keys: readonly string[]): Promise<(readonly [string, string])[]>;
  /**
   * The triples with one of these subjects or one of these objects. Of a key with more than `most` only some, those of the
   * relations that are asked for among them: such keys are told.
   */
  about(
    subjects: readonly string[],
    objects: readonly string[],
    options: { most: number; asked: (predicate: string) => boolean },
  ): Promise<{ triples: StoredTriple[]; cut: ReadonlySet<string> }>;
  /** All of each of these facts: the keys at its other end, and its triples, or several hundred where there are more. */
  whole(facts: readonly FactKey[]): Promise<{ keys: ReadonlySet<string>; triples: readonly StoredTriple[] }[]>;
  sources(ids: readonly string[]): Promise<TripleSource[]>;
}

/** One relation of one entity in one source. */
export interface FactKey {
  /** Of the entity, all of them. */
  keys: readonly string[];
  direction: Fact["direction"];
  predicate: string;
  sourceId: string;
}
