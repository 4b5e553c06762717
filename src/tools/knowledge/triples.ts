import { z } from "zod";
import { UsageError } from "../../errors.js";
import type { Passage } from "../../types/evidence.js";
import { contentHash, digest, linesSourceId, passageSourceId } from "../store/facts.js";
import { cachedKeys, normaliseName } from "./names.js";
import type { Entity, Fact, GraphSchema, Triple, TripleSource } from "./port.js";

/** A triple with its names as written in the source, and their keys. */
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

/** Converts a triple to the form in which it is stored and read. */
export const storedTriple = (
  sourceId: string,
  { subject, predicate, object, quote }: Triple,
  keyOf: (name: string) => string = normaliseName,
): StoredTriple => ({
  sourceId,
  subject: subject.name,
  subjectKey: keyOf(subject.name),
  subjectType: subject.type,
  predicate,
  object: object.name,
  objectKey: keyOf(object.name),
  objectType: object.type,
  quote,
});

/** The reads that a look-up in a graph of triples needs. Each call costs one query or a few. */
export interface TripleReader {
  /** Returns those of the keys that belong to a name or an alias. */
  known(keys: readonly string[]): Promise<string[]>;
  /** Returns candidates for a misspelt key. Most of them are wrong. */
  near(key: string): Promise<string[]>;
  /** Returns pairs of the keys of a name and its alias, of which at least one is among these keys. */
  aliases(keys: readonly string[]): Promise<(readonly [string, string])[]>;
  /**
   * Returns the triples with one of these subjects or objects. If one side has more than `most`, returns a selection
   * that includes the relations asked for, and `isCut` is true.
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
  /** The document or file, as `wholeOf` returns it. */
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

export interface Given {
  source: TripleSource;
  triples: readonly Triple[];
}

/**
 * Validates and normalises triples for storing. Names, types and relations lose control characters and outer spaces. Of
 * two sources with the same id, the later is kept; of two equal triples, the first. Aliases with the key of the name
 * are dropped.
 * @throws UsageError for a source without an id, or a triple without a subject, a relation or an object.
 */
export function checkedGiven(given: readonly Given[]): Given[] {
  const keyOf = cachedKeys();
  const sources = new Map(given.map((one) => [one.source.id, one]));
  return [...sources].map(([id, { source, triples }]) => {
    if (id.trim() === "") throw new UsageError("A source of triples has no id. Give every source a unique id.");
    const found = new Map<string, Triple>();
    for (const [i, triple] of triples.entries()) {
      const checked = checkedTriple(triple, `Triple ${i + 1} of ${JSON.stringify(id.slice(0, 100))}`);
      const { subject, predicate, object, quote } = checked;
      const key = JSON.stringify([keyOf(subject.name), predicate, keyOf(object.name), quote]);
      if (!found.has(key)) found.set(key, checked);
    }
    return { source, triples: [...found.values()] };
  });
}

function checkedTriple({ subject, predicate, object, quote }: Triple, where: string): Triple {
  const checked = {
    subject: checkedEntity(subject),
    predicate: clean(predicate),
    object: checkedEntity(object),
    quote: quote.toWellFormed(),
  };
  const parts = { subject: checked.subject.name, relation: checked.predicate, object: checked.object.name };
  for (const [part, value] of Object.entries(parts))
    if (value === "") throw new UsageError(`${where} has no ${part}. Fill it in or leave the triple out.`);
  return checked;
}

function checkedEntity({ name, type, aliases }: Entity): Entity {
  const cleaned = clean(name);
  if (aliases.length === 0) return { name: cleaned, type: clean(type), aliases: [] };
  const others = new Map(aliases.map((alias) => [normaliseName(clean(alias)), clean(alias)]));
  others.delete("");
  others.delete(normaliseName(cleaned));
  return { name: cleaned, type: clean(type), aliases: [...others.values()] };
}

const clean = (text: string) =>
  text
    .toWellFormed()
    .replace(/\p{Cc}+/gu, " ")
    .trim();

/**
 * Makes the source for a passage's triples. The id depends on the passage's content: a passage that only moved within
 * its document keeps its id, and a changed passage gets another. The hash also depends on the reader.
 */
export function passageSource(passage: Passage, reader: string): TripleSource {
  const { documentId, title, uri, section, reviewedAt, metadata } = passage;
  return {
    id: passageSourceId(passage),
    documentId,
    title,
    uri,
    section,
    reviewedAt,
    hash: `${reader} ${contentHash(passage)}`,
    ...(metadata && { metadata }),
  };
}

/** Makes the source for some lines of a file. The id depends on their title, date and text. */
export function linesSource(
  { file, title, reviewedAt }: { file: string; title: string; reviewedAt: string },
  lines: readonly string[],
): TripleSource {
  const content = digest([title, reviewedAt, ...lines]);
  return {
    id: linesSourceId(file, content),
    documentId: file,
    title: title || (file.split("/").at(-1) ?? file),
    uri: /^https?:\/\/\S+$/.test(title) ? title : file,
    section: "",
    reviewedAt,
    hash: `${LOADING} ${content}`,
  };
}

/** Change it when the same lines are read differently. */
const LOADING = "load.1";
