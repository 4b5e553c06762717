import { z } from "zod";
import type { Fact, GraphSchema, TripleSource } from "./port.js";

/** A triple with its names as they were given, and their keys. */
export const StoredTriple = z.object({
  sourceId: z.string(),
  subject: z.string(),
  subjectKey: z.string(),
  /** Empty if unknown. */
  subjectType: z.string(),
  predicate: z.string(),
  object: z.string(),
  objectKey: z.string(),
  /** Empty for a plain value, or if unknown. */
  objectType: z.string(),
  quote: z.string(),
});
export type StoredTriple = z.infer<typeof StoredTriple>;

/** The reads that a look-up in a graph of triples needs. Each call costs one query or a few. */
export interface TripleReader {
  /** Returns those of the keys that belong to a name or an alias. */
  known(keys: readonly string[]): Promise<string[]>;
  /** Returns candidates for a misspelt key; most of them are wrong. */
  near(key: string): Promise<string[]>;
  /** Returns pairs of a name and its alias that have at least one of these keys. */
  aliases(keys: readonly string[]): Promise<(readonly [string, string])[]>;
  /**
   * Returns the triples with one of these subjects or objects. Where one side has more than `most`, a selection that
   * includes the relations asked for.
   */
  about(
    subjects: readonly string[],
    objects: readonly string[],
    options: { most: number; asked: (predicate: string) => boolean },
  ): Promise<{ triples: StoredTriple[]; isCut: boolean }>;
  /** Returns all keys at the other end of a fact. */
  others(fact: FactKey): Promise<ReadonlySet<string>>;
  sources(ids: readonly string[]): Promise<TripleSource[]>;
}

/** One relation of one entity in one document or loaded file. */
export interface FactKey {
  /** All keys of the entity. */
  keys: readonly string[];
  direction: Fact["direction"];
  predicate: string;
  /** As `wholeOf` a source has it. */
  whole: string;
}

/** Builds the schema of triples: types, relations, and plain values as properties of their subject's type. */
export function schemaOfTriples(
  triples: Iterable<{ subject: { type: string }; predicate: string; object: { type: string } }>,
): GraphSchema {
  const properties = new Map<string, Set<string>>();
  const relations = new Map<string, GraphSchema["relations"][number]>();
  const propertiesOf = (type: string) => {
    const known = properties.get(type) ?? new Set<string>();
    if (type !== "") properties.set(type, known);
    return known;
  };
  for (const { subject, predicate, object } of triples) {
    const own = propertiesOf(subject.type);
    if (object.type === "") own.add(predicate);
    else propertiesOf(object.type);
    const relation = { type: predicate, from: subject.type, to: object.type, properties: [] };
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
