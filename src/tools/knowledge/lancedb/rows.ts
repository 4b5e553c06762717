import { createHash } from "node:crypto";
import { Index } from "@lancedb/lancedb";
import { Field, Int32, Utf8 } from "apache-arrow";
import { z } from "zod";
import { type TableKind, termsIndex } from "../../store/lancedb/table-folder.js";
import type { Given } from "../given.js";
import { gramsOfName } from "../misspelling.js";
import { rememberedKeys } from "../names.js";
import type { Entity } from "../port.js";
import type { StoredTriple } from "../triples.js";

/**
 * A graph as one table, so that a write is one version and seen whole or not at all. A row is a source, a triple of it, or
 * an alias that it tells; or, once for all sources, a name, a pair of a name and its alias, or the pattern of a triple.
 * These go with the last source that has them. Without them, finding out whether a name is there would mean reading every
 * triple it is in.
 */
export const GRAPH: TableKind = {
  name: "graph",
  format: "1",
  fields: () =>
    Object.keys(EMPTY_ROW).map((name) => new Field(name, name === "triples" ? new Int32() : new Utf8(), true)),
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
  /** Of a source: all of it, as JSON. */
  source: null as string | null,
  triples: null as number | null,
  /** Of a triple. Reading one column is several times as fast as reading nine, so all of it is there as JSON, too. */
  triple: null as string | null,
  subjectKey: null as string | null,
  objectKey: null as string | null,
  predicate: null as string | null,
  /** The types of both ends and the relation, as JSON. */
  patternOf: null as string | null,
  /** Of an alias that a source tells: the pair, as JSON. */
  told: null as string | null,
  /** Of a pair: the key of the name, and that of its alias. */
  aliasOf: null as string | null,
  alias: null as string | null,
  /** Of a name: its key, and what it is found by where it is misspelt. */
  name: null as string | null,
  grams: null as string | null,
  /** A pattern that triples have. */
  pattern: null as string | null,
};

export type Row = Record<string, string | number | null> & typeof EMPTY_ROW;

export const idOfSource = (id: string) => `source ${id}`;
export const idOfName = (key: string) => `name ${key}`;
export const idOfPair = (pair: string) => `pair ${pair}`;
export const idOfPattern = (pattern: string) => `pattern ${pattern}`;

/** What sources are stored as, and what they share with others: the keys of their names, their pairs and patterns. */
export function rowsOf(given: readonly Given[]) {
  const normalised = rememberedKeys();
  const keys = new Set<string>();
  const pairs = new Set<string>();
  const patterns = new Set<string>();
  const rows = given.flatMap(({ source, triples }) => {
    const own = new Map<string, Row>();
    const add = (row: Partial<Row>, ...parts: string[]) => {
      const id = createHash("sha256")
        .update(JSON.stringify([source.id, ...parts]))
        .digest("base64url")
        .slice(0, 27);
      own.set(id, { ...EMPTY_ROW, ...row, id, sourceId: source.id });
    };
    const keyOf = (entity: Entity) => {
      const key = normalised(entity.name);
      keys.add(key);
      for (const alias of entity.aliases.map(normalised)) {
        const pair = JSON.stringify([key, alias]);
        keys.add(alias);
        pairs.add(pair);
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
      patterns.add(patternOf);
      const columns = { triple: JSON.stringify(stored), subjectKey, objectKey, predicate, patternOf };
      add(columns, "triple", subjectKey, predicate, objectKey, quote);
    }
    const first = { ...EMPTY_ROW, id: idOfSource(source.id), sourceId: source.id };
    return [{ ...first, source: JSON.stringify(source), triples: triples.length }, ...own.values()];
  });
  return { rows, keys, pairs, patterns };
}

export const rowOfName = (key: string): Row => ({
  ...EMPTY_ROW,
  id: idOfName(key),
  name: key,
  grams: gramsOfName(key).join(" "),
});

export function rowOfPair(pair: string): Row {
  const [aliasOf, alias] = keysOfPair(pair);
  return { ...EMPTY_ROW, id: idOfPair(pair), aliasOf, alias };
}

export const rowOfPattern = (pattern: string): Row => ({ ...EMPTY_ROW, id: idOfPattern(pattern), pattern });

export const keysOfPair = (pair: string) => PAIR.parse(JSON.parse(pair));

const PAIR = z.tuple([z.string(), z.string()]);
