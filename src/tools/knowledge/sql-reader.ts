import { z } from "zod";
import type { Filter } from "../../types/filter.js";
import { checksumOf, meeting, metadataIn } from "../store/metadata.js";
import type { Database, Row, SqlQuery } from "../store/port.js";
import { gramsOfTyped } from "./misspelling.js";
import type { TripleSource } from "./port.js";
import { StoredTriple, type TripleReader } from "./triples.js";

/**
 * Reads triples from a database.
 * @param filter returns only triples and aliases of sources that meet it.
 */
export function sqlReader(database: Database, filter: Filter = [], signal?: AbortSignal): TripleReader {
  const { dialect } = database;
  const { isOneOf } = dialect;
  const one = async (query: SqlQuery) => (await database.read([query], { signal }))[0] ?? [];
  /** Writes a query for triples `t` whose sources `s` meet the filter. */
  const triples = (select: string, where: Required<SqlQuery>, limit?: number): SqlQuery => {
    const met = meeting(filter, dialect, "s", where.values.length + 1);
    return {
      sql: `SELECT ${select} FROM emend.triples t JOIN emend.sources s ON s.n = t.source
        JOIN emend.entities a ON a.n = t.subject JOIN emend.entities b ON b.n = t.object
        WHERE ${where.sql} ${met ? `AND ${met.sql}` : ""} ${limit === undefined ? "" : `LIMIT ${limit}`}`,
      values: [...where.values, ...(met?.values ?? [])],
    };
  };
  const idsOf = async (keys: readonly string[]) => {
    if (keys.length === 0) return [];
    const sql = `SELECT n FROM emend.entities WHERE ${isOneOf("key", "$1")}`;
    return (await one({ sql, values: [keys] })).map(({ n }) => Number(n));
  };

  return {
    async known(keys) {
      if (keys.length === 0) return [];
      const rows = await one({ sql: `SELECT key FROM emend.entities WHERE ${isOneOf("key", "$1")}`, values: [keys] });
      return rows.map(({ key }) => `${key}`);
    },

    async near(key) {
      const grams = gramsOfTyped(key);
      if (grams.length === 0) return [];
      const terms = grams.map((term) => ({ term, weight: 1 }));
      const { sql, values } = dialect.matching({ table: "entities", terms, limit: NEAR });
      const rows = await one({ sql: `SELECT key FROM emend.entities WHERE n IN (SELECT n FROM (${sql}) f)`, values });
      return rows.map((row) => `${row.key}`);
    },

    async aliases(keys) {
      const ns = await idsOf(keys);
      if (ns.length === 0) return [];
      const met = meeting(filter, dialect, "s", 2);
      const rows = await one({
        sql: `SELECT DISTINCT e.key, o.key AS alias FROM emend.aliases a
          JOIN emend.entities e ON e.n = a.entity JOIN emend.entities o ON o.n = a.alias
          ${met ? "JOIN emend.sources s ON s.n = a.source" : ""}
          WHERE (${isOneOf("a.entity", "$1")} OR ${isOneOf("a.alias", "$1")}) ${met ? `AND ${met.sql}` : ""}
          ORDER BY e.key, o.key`,
        values: [ns, ...(met?.values ?? [])],
      });
      return rows.map(({ key, alias }) => [`${key}`, `${alias}`] as const);
    },

    async about(subjects, objects, { most, asked }) {
      const sides = [
        { column: "subject", ns: await idsOf(subjects) },
        { column: "object", ns: await idsOf(objects) },
      ].filter(({ ns }) => ns.length > 0);
      const on = (column: string, ns: readonly number[]) => ({ sql: isOneOf(`t.${column}`, "$1"), values: [ns] });
      const read = await database.read(
        sides.map(({ column, ns }) => triples(COLUMNS, on(column, ns), most)),
        { signal },
      );
      const cut = sides.filter((_, i) => (read[i] ?? []).length >= most);
      const more = await Promise.all(
        cut.map(async ({ column, ns }) => {
          // An entity with thousands of triples must not hide others, the relations asked for, or triples between two.
          const relations = await one({
            sql: `SELECT DISTINCT predicate FROM emend.triples t WHERE ${isOneOf(`t.${column}`, "$1")}`,
            values: [ns],
          });
          const wanted = relations.map(({ predicate }) => `${predicate}`).filter(asked);
          const both = `${isOneOf("t.subject", "$1")} AND ${isOneOf("t.object", "$2")}`;
          return database.read(
            [
              ...ns.map((n) => triples(COLUMNS, on(column, [n]), Math.ceil(most / ns.length))),
              triples(
                COLUMNS,
                { sql: `${isOneOf(`t.${column}`, "$1")} AND ${isOneOf("t.predicate", "$2")}`, values: [ns, wanted] },
                most,
              ),
              triples(COLUMNS, { sql: both, values: [await idsOf(subjects), await idsOf(objects)] }, most),
            ],
            { signal },
          );
        }),
      );
      const found = new Map([...read.flat(), ...more.flat(2)].map((row) => [Number(row.n), row]));
      const inOrder = [...found].sort(([a], [b]) => a - b).map(([, row]) => row);
      return { triples: inOrder.flatMap(tripleOf), isCut: cut.length > 0 };
    },

    async others({ keys, direction, predicate, whole }) {
      const [own, other] = direction === "out" ? ["subject", "b"] : ["object", "a"];
      const where = `${isOneOf(`t.${own}`, "$1")} AND t.predicate = $2 AND s.whole = $3`;
      const query = triples(`DISTINCT ${other}.key`, { sql: where, values: [await idsOf(keys), predicate, whole] });
      return new Set((await one(query)).map(({ key }) => `${key}`));
    },

    async sources(ids) {
      const rows = await one({
        sql: `SELECT s.id, s.document, s.title, s.uri, s.section, s.reviewed, s.hash, s.checksum,
            m.pairs FROM emend.sources s
          LEFT JOIN emend.stated m ON m.n = s.stated WHERE ${isOneOf("s.id", "$1")}`,
        values: [[...ids]],
      });
      return rows.flatMap(sourceOf);
    },
  };
}

const COLUMNS = `t.n, s.id AS source, t.subject_name, a.key AS subject_key, t.subject_type, t.predicate,
  t.object_name, b.key AS object_key, t.object_type, t.quote, t.checksum`;

/** Returns the source of a row, or nothing if it does not match its checksum. */
function sourceOf(row: Row): TripleSource[] {
  const parsed = Source.safeParse(row);
  if (!parsed.success) return [];
  const { document, reviewed, pairs, checksum, ...rest } = parsed.data;
  const source = { ...rest, documentId: document, reviewedAt: reviewed };
  return checksum === sourceChecksum(source, pairs) ? [{ ...source, ...metadataIn(pairs) }] : [];
}

/** Computes the checksum of a source. @param pairs its metadata as it is stored. */
export const sourceChecksum = (source: Omit<TripleSource, "hash" | "metadata">, pairs: string | null): string => {
  const { id, documentId, title, uri, section, reviewedAt } = source;
  return checksumOf([id, documentId, title, uri, section, reviewedAt, pairs]);
};

/** Returns the triple of a row, or nothing if it does not match its checksum. */
function tripleOf(row: Row): StoredTriple[] {
  const { data: triple } = StoredTriple.safeParse({
    sourceId: row.source,
    subject: row.subject_name,
    subjectKey: row.subject_key,
    subjectType: row.subject_type,
    predicate: row.predicate,
    object: row.object_name,
    objectKey: row.object_key,
    objectType: row.object_type,
    quote: row.quote,
  });
  return triple && row.checksum === tripleChecksum(triple) ? [triple] : [];
}

/** Computes the checksum of a triple: its words, its names in the index, and where it is from. */
export const tripleChecksum = (triple: StoredTriple): string => {
  const { sourceId, subject, subjectKey, subjectType, predicate, object, objectKey, objectType, quote } = triple;
  return checksumOf([sourceId, subject, subjectKey, subjectType, predicate, object, objectKey, objectType, quote]);
};

/** The most candidates for a misspelt name: those that share the most letters. */
const NEAR = 100;

const Source = z.object({
  id: z.string(),
  document: z.string(),
  title: z.string(),
  uri: z.string(),
  section: z.string(),
  reviewed: z.string(),
  hash: z.string(),
  checksum: z.string(),
  pairs: z.string().nullable(),
});
