import { z } from "zod";
import type { Passage } from "../../types/evidence.js";
import type { Filter } from "../../types/filter.js";
import { deleteFacts, deleteSources, deleteUnused, passageSourceId, restatedHash, wholeOf } from "../store/facts.js";
import { checksumOf, editsIn, keepStated, meeting, metadataIn, noteEdit, pairsText } from "../store/metadata.js";
import type { Database, Dialect, Row, SqlQuery, Value, Writing } from "../store/port.js";
import { checkLimit, lookUp } from "./look-up.js";
import { gramsOfName, gramsOfTyped } from "./misspelling.js";
import { cachedKeys } from "./names.js";
import type { GraphSchema, KnowledgeGraph, TripleSource } from "./port.js";
import { checkedGiven, type Given, StoredTriple, schemaOfTriples, storedTriple, type TripleReader } from "./triples.js";

/**
 * A knowledge graph in a database (`openDatabase`): triples, looked up by the names of entities. It has no query language.
 * `close` closes the database.
 */
export function sqlKnowledge(database: Database): KnowledgeGraph {
  const { dialect } = database;
  let hasWritten = false;
  let known: { edits: string; schema: GraphSchema } | undefined;

  const one = async (sql: string, signal?: AbortSignal) => (await database.read([{ sql }], { signal }))[0] ?? [];

  return {
    async schema({ signal } = {}) {
      signal?.throwIfAborted();
      const now = await editsIn(database, signal);
      if (known?.edits === now) return known.schema;
      const rows = await one("SELECT DISTINCT subject_type, predicate, object_type FROM emend.triples", signal);
      const schema = schemaOfTriples(
        rows.map((row) => ({
          subject: { type: `${row.subject_type}` },
          predicate: `${row.predicate}`,
          object: { type: `${row.object_type}` },
        })),
      );
      known = { edits: now, schema };
      return schema;
    },

    async facts(entities, question, options = {}) {
      const { filter, signal } = options;
      checkLimit(options.limit);
      // A look-up takes several reads. If the store changed in between, it is repeated, so as not to mix old and new.
      for (let left = TRIES; ; left--) {
        const before = await editsIn(database, signal);
        const facts = await lookUp(sqlReader(database, filter, signal), entities, question, options);
        if (left === 1 || (await editsIn(database, signal)) === before) return facts;
      }
    },

    async upsert(given, { signal } = {}) {
      const checked = checkedGiven(given);
      if (checked.length === 0) return;
      await database.write(
        async (to) => {
          await storeSqlSources(to, dialect, checked);
          await noteEdit(to);
        },
        { signal },
      );
      hasWritten = true;
    },

    async remove(sourceIds, { signal } = {}) {
      if (sourceIds.length === 0 || !(await database.exists())) return 0;
      const removed = await database.write(
        async (to) => {
          const sources = await deleteFacts(to, dialect, sourceIds);
          if (sources > 0) await noteEdit(to);
          return sources;
        },
        { signal },
      );
      hasWritten ||= removed > 0;
      return removed;
    },

    async restate(changes, { signal } = {}) {
      if (changes.length === 0 || !(await database.exists())) return;
      const isChanged = await database.write((to) => restateFacts(to, dialect, changes), { signal });
      hasWritten ||= isChanged;
    },

    async sources() {
      const rows = await one("SELECT id, document, hash, triples FROM emend.sources");
      return rows
        .map(({ id, document, hash, triples }) => ({
          id: `${id}`,
          documentId: `${document}`,
          hash: `${hash}`,
          triples: Number(triples),
        }))
        .sort((a, b) => (a.id < b.id ? -1 : 1));
    },

    tidy,

    async close() {
      if (hasWritten) await tidy();
      await database.close();
    },
  };

  /** Ignores failures: no data is lost, and the next writer tries again. */
  async function tidy(): Promise<void> {
    hasWritten = false;
    await database.tidy().catch(() => {});
  }
}

/** If others keep writing, the last attempt is returned. */
const TRIES = 5;

/** Replaces sources and their triples. */
async function storeSqlSources(to: Writing, dialect: Dialect, given: readonly Given[]): Promise<void> {
  const { isOneOf } = dialect;
  await to.lock("graph");
  const keyOf = cachedKeys();
  const named = given.flatMap(({ triples }) => triples.flatMap(({ subject, object }) => [subject, object]));
  const sorted = [...new Set(named.flatMap(({ name, aliases }) => [name, ...aliases].map(keyOf)))].sort();
  await to.insert(
    "emend.entities",
    sorted.map((key) => ({ key, terms: gramsOfName(key).join(" ") })),
    "ON CONFLICT DO NOTHING",
  );
  const rows = await to.all(`SELECT n, key FROM emend.entities WHERE ${isOneOf("key", "$1")}`, [sorted]);
  const entities = new Map(rows.map(({ n, key }) => [key, Number(n)]));
  const entityOf = (name: string) => entities.get(keyOf(name)) ?? 0;

  const ids = given.map(({ source }) => source.id);
  const { touched } = await deleteSources(to, dialect, ids);
  const statedOf = await keepStated(
    to,
    dialect,
    given.map(({ source }) => source.metadata),
  );
  await to.insert(
    "emend.sources",
    given.map(({ source, triples }) => ({
      id: source.id,
      whole: wholeOf(source.id),
      document: source.documentId,
      title: source.title,
      uri: source.uri,
      section: source.section,
      reviewed: source.reviewedAt,
      hash: source.hash,
      stated: statedOf(source.metadata),
      triples: triples.length,
      checksum: sourceChecksum(source, pairsText(source.metadata)),
    })),
  );
  const stored = await to.all(`SELECT n, id FROM emend.sources WHERE ${isOneOf("id", "$1")}`, [ids]);
  const sources = new Map(stored.map(({ n, id }) => [id, Number(n)]));
  const triples: Record<string, Value>[] = [];
  const aliases: Record<string, Value>[] = [];
  for (const { source, triples: told } of given)
    for (const triple of told) {
      const { subject, predicate, object, quote } = triple;
      triples.push({
        source: sources.get(source.id) ?? 0,
        subject: entityOf(subject.name),
        object: entityOf(object.name),
        subject_name: subject.name,
        subject_type: subject.type,
        predicate,
        object_name: object.name,
        object_type: object.type,
        quote,
        checksum: tripleChecksum(storedTriple(source.id, triple, keyOf)),
      });
      for (const { name, aliases: others } of [subject, object])
        for (const alias of others)
          aliases.push({ source: sources.get(source.id) ?? 0, entity: entityOf(name), alias: entityOf(alias) });
    }
  await to.insert("emend.triples", triples);
  await to.insert("emend.aliases", aliases, "ON CONFLICT DO NOTHING");
  await deleteUnused(to, dialect, touched);
}

/**
 * Gives the facts of passages the metadata that these have now. Leaves damaged ones as they are, which are never shown.
 * Returns whether there were any.
 */
export async function restateFacts(
  to: Writing,
  dialect: Dialect,
  changes: readonly { before: Passage; after: Passage }[],
): Promise<boolean> {
  const { isOneOf } = dialect;
  const nows = new Map(changes.map(({ before, after }) => [passageSourceId(before), after]));
  const rows = await to.all(`${SOURCES} WHERE ${isOneOf("s.id", "$1")}`, [[...nows.keys()]]);
  if (rows.length === 0) return false;
  await to.lock("graph");
  const statedOf = await keepStated(
    to,
    dialect,
    [...nows.values()].map(({ metadata }) => metadata),
  );
  for (const row of rows)
    for (const source of sourceOf(row)) {
      const now = nows.get(source.id);
      if (!now) continue;
      const { metadata } = now;
      const id = passageSourceId(now);
      const hash = restatedHash(source.hash, now);
      const checksum = sourceChecksum({ ...source, id }, pairsText(metadata));
      // Facts may be left there of an earlier time.
      if (id !== source.id) await deleteFacts(to, dialect, [id]);
      await to.all("UPDATE emend.sources SET id = $1, hash = $2, stated = $3, checksum = $4 WHERE n = $5", [
        ...[id, hash, statedOf(metadata), checksum, Number(row.n)],
      ]);
      const said = await to.all(
        `SELECT ${COLUMNS} FROM emend.triples t JOIN emend.sources s ON s.n = t.source
          JOIN emend.entities a ON a.n = t.subject JOIN emend.entities b ON b.n = t.object WHERE t.source = $1`,
        [Number(row.n)],
      );
      for (const one of said)
        for (const triple of tripleOf({ ...one, source: source.id }))
          await to.all("UPDATE emend.triples SET checksum = $1 WHERE n = $2", [
            tripleChecksum({ ...triple, sourceId: id }),
            Number(one.n),
          ]);
    }
  await noteEdit(to);
  return true;
}

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
      const { sql, values } = dialect.matching({ table: "entities", terms, limit: MAX_CANDIDATES });
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
      const rows = await one({ sql: `${SOURCES} WHERE ${isOneOf("s.id", "$1")}`, values: [[...ids]] });
      return rows.flatMap(sourceOf);
    },
  };
}

const SOURCES = `SELECT s.n, s.id, s.document, s.title, s.uri, s.section, s.reviewed, s.hash, s.checksum, m.pairs
  FROM emend.sources s LEFT JOIN emend.stated m ON m.n = s.stated`;

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
const sourceChecksum = (source: Omit<TripleSource, "hash" | "metadata">, pairs: string | null): string => {
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
const tripleChecksum = (triple: StoredTriple): string => checksumOf(TRIPLE_KEYS.map((key) => triple[key]));
const TRIPLE_KEYS = StoredTriple.keyof().options;

/** The most candidates for a misspelt name: those that share the most letters. */
const MAX_CANDIDATES = 100;

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
