import type { Fact, GraphSchema, TripleSource } from "./port.js";

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
   * The triples with one of these subjects or one of these objects. Where there are more than `most` on one side only
   * some, those of the relations that are asked for among them.
   */
  about(
    subjects: readonly string[],
    objects: readonly string[],
    options: { most: number; asked: (predicate: string) => boolean },
  ): Promise<{ triples: StoredTriple[]; isCut: boolean }>;
  /** The keys at the other end of a fact, all of them. */
  others(fact: FactKey): Promise<ReadonlySet<string>>;
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

/** What triples hold: their types and relations, and plain values as properties of what has them. */
export function graphSchema(
  triples: Iterable<{ subject: { type: string }; predicate: string; object: { type: string } }>,
): GraphSchema {
  const properties = new Map<string, Set<string>>();
  const relations = new Map<string, { type: string; from: string; to: string; properties: [] }>();
  const label = (type: string) => {
    const known = properties.get(type) ?? new Set<string>();
    if (type !== "") properties.set(type, known);
    return known;
  };
  for (const { subject, predicate, object } of triples) {
    label(object.type);
    if (object.type === "") label(subject.type).add(predicate);
    else label(subject.type);
    const relation = { type: predicate, from: subject.type, to: object.type, properties: [] as [] };
    relations.set(JSON.stringify(relation), relation);
  }
  const nodes = [...properties].map(([label, names]) => ({
    label,
    properties: [...names].sort().map((name) => ({ name, type: "String" })),
  }));
  return {
    nodes: nodes.sort((a, b) => (a.label < b.label ? -1 : 1)),
    relations: [...relations].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, relation]) => relation),
  };
}
