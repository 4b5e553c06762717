import { createHash } from "node:crypto";
import { Index } from "@lancedb/lancedb";
import { Field, Int32, type Schema, Utf8 } from "apache-arrow";
import { type TableKind, termsIndex } from "../lancedb/table-folder.js";
import type { Given } from "./given.js";
import { gramsOfName } from "./name-grams.js";
import { normaliseName } from "./names.js";
import type { Entity } from "./port.js";
import type { StoredTriple } from "./triples.js";

/**
 * A graph as one table, so that a write is one version and seen whole or not at all. A row is one of four: a source, a
 * triple of it, an alias that it tells, or a name that the graph knows. Names belong to no source: they only say where to
 * look, and one too many finds nothing.
 */
export const GRAPH: TableKind<undefined> = {
  name: "graph",
  format: "1",
  fields: () => [
    ...Object.keys(EMPTY_ROW).map((name) => new Field(name, name === "triples" ? new Int32() : new Utf8(), true)),
  ],
  metadata: () => new Map(),
  variant: (_: Schema) => undefined,
  indexes: {
    id: Index.btree,
    sourceId: Index.btree,
    subjectKey: Index.btree,
    objectKey: Index.btree,
    predicate: Index.btree,
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
  /** The types of both ends with the relation, as JSON. */
  pattern: null as string | null,
  /** Of an alias: the key of the name, and its own. */
  aliasOf: null as string | null,
  alias: null as string | null,
  /** Of a name: its key, and what it is found by where it is misspelt. */
  name: null as string | null,
  grams: null as string | null,
};

export type Row = Record<string, string | number | null> & typeof EMPTY_ROW;

export const idOfSource = (id: string) => `source ${id}`;
export const idOfName = (key: string) => `name ${key}`;

/** The rows of sources, and the keys of all names in them. */
export function rowsOf(given: readonly Given[]): { rows: Row[]; keys: Set<string> } {
  const keys = new Set<string>();
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
      const key = normaliseName(entity.name);
      keys.add(key);
      for (const alias of entity.aliases.map(normaliseName)) {
        keys.add(alias);
        add({ aliasOf: key, alias }, "alias", key, alias);
      }
      return key;
    };
    for (const { subject, predicate, object, quote } of triples) {
      const [subjectKey, objectKey] = [keyOf(subject), keyOf(object)];
      const stored: StoredTriple = {
        sourceId: source.id,
        subject: subject.name,
        subjectKey,
        predicate,
        object: object.name,
        objectKey,
        objectType: object.type,
        quote,
      };
      const pattern = JSON.stringify([subject.type, predicate, object.type]);
      add(
        { triple: JSON.stringify(stored), subjectKey, objectKey, predicate, pattern },
        "triple",
        subjectKey,
        predicate,
        objectKey,
        quote,
      );
    }
    const first = { ...EMPTY_ROW, id: idOfSource(source.id), sourceId: source.id };
    return [{ ...first, source: JSON.stringify(source), triples: triples.length }, ...own.values()];
  });
  return { rows, keys };
}

export const rowOfName = (key: string): Row => ({
  ...EMPTY_ROW,
  id: idOfName(key),
  name: key,
  grams: gramsOfName(key).join(" "),
});
