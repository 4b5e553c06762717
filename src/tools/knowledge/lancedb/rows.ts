import { createHash } from "node:crypto";
import { Index } from "@lancedb/lancedb";
import { Field, Int32, List, Utf8 } from "apache-arrow";
import { z } from "zod";
import { pairsOf } from "../../../types/metadata.js";
import { termsIndex } from "../../store/lancedb/sql.js";
import type { TableKind } from "../../store/lancedb/table-place.js";
import type { Given } from "../given.js";
import { gramsOfName } from "../misspelling.js";
import { rememberedKeys } from "../names.js";
import type { Entity } from "../port.js";
import type { StoredTriple } from "../triples.js";

/**
 * A graph as one table, so that a write is one version and visible whole or not at all. A row is a source, or one of its
 * triples or aliases. Sources share further rows, which are removed with the last source that has them: names, pairs of a
 * name and its alias, and patterns of triples. Without them, looking up a name would mean reading every triple it is in.
 */
export const GRAPH: TableKind = {
  name: "graph",
  format: "1",
  fields: () =>
    Object.keys(EMPTY_ROW).map((name) => {
      if (name === "metadata") return new Field(name, new List(new Field("item", new Utf8(), true)), true);
      return new Field(name, name === "triples" ? new Int32() : new Utf8(), true);
    }),
  indexes: {
    id: Index.btree,
    sourceId: Index.btree,
    subjectKey: Index.btree,
    objectKey: Index.btree,
    patternOf: Index.btree,
    told: Index.btree,
    aliasOf: Index.btree,
    alias: Index.btree,
    name: Index.btree,
    grams: termsIndex,
  },
  startAgain: "Delete the folder and load or build the graph again.",
};

const EMPTY_ROW = {
  id: "",
  sourceId: null as string | null,
  /** Of a source: all of it as JSON, and the number of its triples. */
  source: null as string | null,
  triples: null as number | null,
  /** Of a triple: all of it as JSON, because reading one column is several times as fast as reading nine. */
  triple: null as string | null,
  subjectKey: null as string | null,
  objectKey: null as string | null,
  predicate: null as string | null,
  /** Of a triple: the types of both ends and the relation, as JSON. */
  patternOf: null as string | null,
  /** Of a source's alias: the pair as JSON. */
  told: null as string | null,
  /** Of a shared pair: the key of the name, and that of its alias. */
  aliasOf: null as string | null,
  alias: null as string | null,
  /** Of a shared name: its key, and the terms that find it when it is misspelt. */
  name: null as string | null,
  grams: null as string | null,
  /** Of a shared pattern: all of it as JSON. */
  pattern: null as string | null,
  /** Of what belongs to a source: what its document states about itself, as `key=value`. Null if nobody knows. */
  metadata: null as string[] | null,
};

export type Row = Record<string, string | number | string[] | null> & typeof EMPTY_ROW;

/** The values of the rows that sources share, by kind: keys of names, pairs and patterns as JSON. */
export type Shared = Readonly<Record<SharedKind, ReadonlySet<string>>>;
export type SharedKind = "name" | "pair" | "pattern";

export const rowId = (kind: SharedKind | "source", value: string) => `${kind} ${value}`;

export function sharedRow(kind: SharedKind, value: string): Row {
  const row = { ...EMPTY_ROW, id: rowId(kind, value) };
  if (kind === "pattern") return { ...row, pattern: value };
  if (kind === "name") return { ...row, name: value, grams: gramsOfName(value).join(" ") };
  const [aliasOf, alias] = keysOfPair(value);
  return { ...row, aliasOf, alias };
}

/** Converts sources to their own rows, and lists the rows that they share with others. */
export function rowsOf(given: readonly Given[]): { rows: Row[]; shared: Shared } {
  const normalised = rememberedKeys();
  const shared = { name: new Set<string>(), pair: new Set<string>(), pattern: new Set<string>() };
  const rows = given.flatMap(({ source, triples }) => {
    const own = new Map<string, Row>();
    const metadata = source.metadata ? pairsOf(source.metadata) : null;
    const add = (row: Partial<Row>, ...parts: string[]) => {
      const id = createHash("sha256")
        .update(JSON.stringify([source.id, ...parts]))
        .digest("base64url")
        .slice(0, 27);
      own.set(id, { ...EMPTY_ROW, ...row, id, sourceId: source.id, metadata });
    };
    const keyOf = (entity: Entity) => {
      const key = normalised(entity.name);
      shared.name.add(key);
      for (const alias of entity.aliases.map(normalised)) {
        const pair = JSON.stringify([key, alias]);
        shared.name.add(alias);
        shared.pair.add(pair);
        add({ told: pair }, "told", pair);
      }
      return key;
    };
    for (const { subject, predicate, object, quote } of triples) {
      const [subjectKey, objectKey] = [keyOf(subject), keyOf(object)];
      const stored: StoredTriple = {
        sourceId: source.id,
        subject: subject.name,
        subjectKey,
        subjectType: subject.type,
        predicate,
        object: object.name,
        objectKey,
        objectType: object.type,
        quote,
      };
      const patternOf = JSON.stringify([subject.type, predicate, object.type]);
      shared.pattern.add(patternOf);
      const columns = { triple: JSON.stringify(stored), subjectKey, objectKey, predicate, patternOf };
      add(columns, "triple", subjectKey, predicate, objectKey, quote);
    }
    const first = { ...EMPTY_ROW, id: rowId("source", source.id), sourceId: source.id, metadata };
    return [{ ...first, source: JSON.stringify(source), triples: triples.length }, ...own.values()];
  });
  return { rows, shared };
}

export const keysOfPair = (pair: string) => PAIR.parse(JSON.parse(pair));

const PAIR = z.tuple([z.string(), z.string()]);
