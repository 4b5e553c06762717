import { deleteFacts, deleteSources, deleteUnused, wholeOf } from "../store/facts.js";
import { editsIn, keepStated, noteEdit, pairsText } from "../store/metadata.js";
import type { Database, Dialect, Value, Writing } from "../store/port.js";
import { checkLimit, lookUp } from "./look-up.js";
import { gramsOfName } from "./misspelling.js";
import { rememberedKeys } from "./names.js";
import type { GraphSchema, KnowledgeGraph } from "./port.js";
import { sourceChecksum, sqlReader, tripleChecksum } from "./sql-reader.js";
import { checkedGiven, type Given, schemaOfTriples } from "./triples.js";

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
  const keyOf = rememberedKeys();
  const keys = new Set<string>();
  for (const { triples } of given)
    for (const { subject, object } of triples)
      for (const { name, aliases } of [subject, object]) for (const each of [name, ...aliases]) keys.add(keyOf(each));
  const sorted = [...keys].sort();
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
  for (const {
    source: { id },
    triples: told,
  } of given) {
    const source = sources.get(id) ?? 0;
    for (const { subject, predicate, object, quote } of told) {
      const said = {
        subject_name: subject.name,
        subject_type: subject.type,
        predicate,
        object_name: object.name,
        object_type: object.type,
        quote,
      };
      const ends = { subject: entityOf(subject.name), object: entityOf(object.name) };
      const checksum = tripleChecksum({
        sourceId: id,
        subject: subject.name,
        subjectKey: keyOf(subject.name),
        subjectType: subject.type,
        predicate,
        object: object.name,
        objectKey: keyOf(object.name),
        objectType: object.type,
        quote,
      });
      triples.push({ source, ...ends, ...said, checksum });
      for (const { name, aliases: others } of [subject, object])
        for (const alias of others) aliases.push({ source, entity: entityOf(name), alias: entityOf(alias) });
    }
  }
  await to.insert("emend.triples", triples);
  await to.insert("emend.aliases", aliases, "ON CONFLICT DO NOTHING");
  await deleteUnused(to, dialect, touched);
}
