import { CypherError, StoreUnavailableError, UsageError } from "../../../errors.js";
import type { Neo4jConnection, RunInside, RunOptions } from "../../store/neo4j/connection.js";
import { asRow } from "../../store/neo4j/values.js";
import { guardedQuery } from "../cypher/query.js";
import { checkedGiven } from "../given.js";
import type { Fact, GraphSchema, KnowledgeGraph, TripleSource } from "../port.js";
import { graphFacts, type RankedFact } from "./facts.js";
import { type NameKeys, nameKeys, prepareNames } from "./name-index.js";
import { graphSchema } from "./schema.js";
import { removeSources, storeSources } from "./write.js";

export interface Neo4jKnowledge extends KnowledgeGraph {
  /**
   * Makes the full-text index by which names are found, over all labels there are now; to be called again when there are
   * more. Without it, names are found in a small graph as well, in a large one only as they are written.
   * @throws StoreUnavailableError when the graph cannot be reached or written.
   */
  prepare(options?: { signal?: AbortSignal }): Promise<void>;
}

/**
 * The graph in a Neo4j 5.26 or newer, whoever filled it. Reading needs nothing but the right to read. What emend writes
 * are nodes labelled EmendEntity and their relations; nothing else is ever changed.
 */
export function neo4jKnowledge({ connection }: { connection: Neo4jConnection }): Neo4jKnowledge {
  const schema = remembered((options) => graphSchema(connection, { timeout: SCHEMA_TIMEOUT, ...options }));
  const names = remembered((options) => nameKeys(connection, options));
  let prepared: Promise<void> | undefined;

  async function prepare(options: RunOptions = {}): Promise<void> {
    await written(() => prepareNames(connection, options));
    names.forget();
  }

  /** A write, after which nothing that was remembered holds. */
  async function change<T>(work: (run: RunInside) => Promise<T>, options: RunOptions = {}): Promise<T> {
    // Once a process: it takes longer than a small write.
    prepared ??= prepare(options);
    await prepared.catch((error: unknown) => {
      prepared = undefined;
      throw error;
    });
    try {
      return await written(() => connection.change(work, options));
    } finally {
      schema.forget();
      names.forget();
    }
  }

  async function written<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof CypherError)) throw error;
      throw new StoreUnavailableError(
        `Neo4j at ${connection.name} did not take what was to be written: ${error.message}`,
      );
    }
  }

  return {
    prepare,
    schema: (options = {}) => schema.get(options),

    async facts(entities, question, { limit = 20, signal } = {}) {
      if (!Number.isInteger(limit) || limit < 1 || limit > 100)
        throw new UsageError(`A look-up returns 1 to 100 facts, not ${limit}.`);
      signal?.throwIfAborted();
      const options = { signal };
      for (let tries = 1; ; tries++) {
        const before = await version(connection, options);
        const known: NameKeys = await names.get(options);
        const found = await graphFacts(connection, { entities, question, names: known, limit }, options);
        const facts = await withSources(connection, found, options);
        // A write in between may have shown half of what was there before and half of what is there now.
        if (before === (await version(connection, options)) || tries === TRIES) return facts;
      }
    },

    query: (cypher, parameters, options = {}) => guardedQuery(connection, cypher, parameters, options),

    async upsert(given, { signal } = {}) {
      signal?.throwIfAborted();
      const checked = checkedGiven(given);
      if (checked.length > 0) await change((run) => storeSources(run, checked), { signal });
    },

    async remove(sourceIds, { signal } = {}) {
      if (sourceIds.length === 0 || (await version(connection, { signal })) === 0) return 0;
      return change((run) => removeSources(run, sourceIds), { signal });
    },

    async sources() {
      const cypher = `MATCH (s:EmendSource)
        RETURN s.id AS id, s.documentId AS documentId, s.hash AS hash, size(s.relations) AS triples ORDER BY id`;
      return (await connection.read(cypher)).map(asRow).map((row) => ({
        id: String(row.id),
        documentId: String(row.documentId),
        hash: String(row.hash),
        triples: Number(row.triples),
      }));
    },

    close: () => connection.close(),
  };
}

const TRIES = 10;
const MINUTE = 60_000;
/** A few large queries, once a minute. */
const SCHEMA_TIMEOUT = 15_000;

/** How often emend has written to the graph; 0 where it never did. */
async function version(connection: Neo4jConnection, options: RunOptions): Promise<number> {
  const [row] = await connection.read("MATCH (s:EmendState {key: 'graph'}) RETURN s.version AS version", {}, options);
  return row ? Number(asRow(row).version) : 0;
}

async function withSources(
  connection: Neo4jConnection,
  found: readonly RankedFact[],
  options: RunOptions,
): Promise<Fact[]> {
  const ids = [...new Set(found.map(({ sourceId }) => sourceId))].filter((id) => id !== "");
  const cypher = "MATCH (s:EmendSource) WHERE s.id IN $ids RETURN s { .*, relations: null } AS source";
  const rows = ids.length === 0 ? [] : await connection.read(cypher, { ids }, options);
  const sources = new Map(
    rows.map((record) => {
      const { id, documentId, title, uri, section, reviewedAt, hash } = record.get("source") as TripleSource;
      return [id, { id, documentId, title, uri, section, reviewedAt, hash }];
    }),
  );
  return found.map(({ sourceId, quotes, ...fact }) => {
    const source = sources.get(sourceId);
    return source ? { ...fact, source: { ...source, quotes } } : fact;
  });
}

/** Asks again after a minute. A failure is not remembered. */
function remembered<T extends GraphSchema | NameKeys>(ask: (options: RunOptions) => Promise<T>) {
  let known: { answer: T; since: number } | undefined;
  return {
    async get(options: RunOptions): Promise<T> {
      options.signal?.throwIfAborted();
      if (known && performance.now() - known.since < MINUTE) return known.answer;
      const answer = await ask(options);
      known = { answer, since: performance.now() };
      return answer;
    },
    forget: () => {
      known = undefined;
    },
  };
}
