import { noteEdit } from "../store/edits.js";
import type { Database } from "../store/port.js";
import { checkedGiven } from "./given.js";
import { checkLimit, lookUp } from "./look-up.js";
import type { GraphSchema, KnowledgeGraph } from "./port.js";
import { sqlReader } from "./sql-reader.js";
import { removeSqlSources, storeSqlSources } from "./sql-write.js";
import { schemaOfTriples } from "./triples.js";

/**
 * A knowledge graph in a database (`openDatabase`): triples, looked up by the names of entities. It has no query language.
 * `close` closes the database.
 */
export function sqlKnowledge(database: Database): KnowledgeGraph {
  const { dialect } = database;
  let hasWritten = false;
  let known: { edits: string; schema: GraphSchema } | undefined;

  const one = async (sql: string, signal?: AbortSignal) => (await database.read([{ sql }], { signal }))[0] ?? [];
  const edits = async (signal?: AbortSignal) => {
    const [row] = await one("SELECT count(*) AS edits, max(n) AS last FROM emend.edits", signal);
    return `${row?.edits} ${row?.last}`;
  };

  return {
    async schema({ signal } = {}) {
      signal?.throwIfAborted();
      const now = await edits(signal);
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
      // A look-up is several reads. Where somebody wrote between two, it is done again, so that it never mixes old and new.
      for (let left = TRIES; ; left--) {
        const before = await edits(signal);
        const facts = await lookUp(sqlReader(database, filter, signal), entities, question, options);
        if (left === 1 || (await edits(signal)) === before) return facts;
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
          const sources = await removeSqlSources(to, dialect, sourceIds);
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

  /** Ignores failures: nothing is lost, and the next writer tries again. */
  async function tidy(): Promise<void> {
    hasWritten = false;
    if (await database.exists()) await database.tidy().catch(() => {});
  }
}

/** While somebody writes without a pause, the last look-up counts. */
const TRIES = 5;
