import { CypherError, StoreUnavailableError } from "../../errors.js";
import type { GraphRow, GraphValue } from "../../types/knowledge.js";
import { checkLimit, lookUp } from "../knowledge/look-up.js";
import type { KnowledgeGraph, QueryResult } from "../knowledge/port.js";
import { checkedGiven } from "../knowledge/triples.js";
import {
  asRow,
  type Neo4jConnection,
  type ReadRows,
  type RunInside,
  type RunOptions,
  rowReader,
} from "./connection.js";
import { graphFacts } from "./graph-facts.js";
import { guard, MAX_ROWS } from "./guard.js";
import { nameKeys, prepareNames } from "./name-index.js";
import { readSchema } from "./read-schema.js";
import { neo4jReader, removeNeo4jSources, restateNeo4jSources, storeNeo4jSources } from "./stored-facts.js";

export interface Neo4jKnowledge extends KnowledgeGraph {
  query: NonNullable<KnowledgeGraph["query"]>;
  /**
   * Creates the full-text index on names, for all labels that exist now. Call it again when there are more. Without the
   * index, names in a large graph are only found in their exact spelling.
   * @throws StoreUnavailableError when the graph cannot be reached or written.
   */
  prepare(options?: { signal?: AbortSignal }): Promise<void>;
}

/**
 * A knowledge graph in Neo4j 5.26 or newer, filled by emend or by others. Look-ups and queries only need the right to
 * read. emend writes nodes whose labels begin with Emend, and relations between them, and never changes anything else.
 */
export function neo4jKnowledge({ connection }: { connection: Neo4jConnection }): Neo4jKnowledge {
  const schema = cachedForAMinute((options) =>
    readSchema(rowReader(connection, { timeout: SCHEMA_TIMEOUT, ...options })),
  );
  const names = cachedForAMinute((options) => nameKeys(rowReader(connection, options)));
  let prepared: Promise<void> | undefined;

  async function prepare(options: RunOptions = {}): Promise<void> {
    await written(() => prepareNames(connection, options));
    names.forget();
  }

  /** Writes, then clears the cached schema and names. */
  async function change<T>(work: (run: RunInside) => Promise<T>, options: RunOptions = {}): Promise<T> {
    // Only once, since it takes longer than a small write.
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
      throw new StoreUnavailableError(`Neo4j at ${connection.name} rejected a write: ${error.message}`);
    }
  }

  return {
    prepare,
    schema: (options = {}) => schema.get(options),

    async facts(entities, question, { limit = 20, filter = [], signal } = {}) {
      checkLimit(limit);
      signal?.throwIfAborted();
      const read = rowReader(connection, { signal });
      for (let tries = 1; ; tries++) {
        const before = await version(read);
        const own =
          before === 0
            ? []
            : await lookUp(neo4jReader(read, filter), entities, question, { limit, ...(signal && { signal }) });
        const others =
          filter.length > 0 ? [] : await graphFacts(read, entities, question, await names.get({ signal }), limit);
        // If emend wrote in between, the facts may mix the old graph and the new one.
        if (before === (await version(read)) || tries === MAX_TRIES)
          return [...own, ...others].sort((a, b) => b.score - a.score).slice(0, limit);
      }
    },

    query: (cypher, parameters, options = {}) => guardedQuery(connection, cypher, parameters, options),

    async upsert(given, { signal } = {}) {
      signal?.throwIfAborted();
      const checked = checkedGiven(given);
      if (checked.length > 0) await change((run) => storeNeo4jSources(run, checked), { signal });
    },

    async remove(sourceIds, { signal } = {}) {
      if (sourceIds.length === 0 || (await version(rowReader(connection, { signal }))) === 0) return 0;
      return change((run) => removeNeo4jSources(run, sourceIds), { signal });
    },

    async restate(changes, { signal } = {}) {
      if (changes.length === 0 || (await version(rowReader(connection, { signal }))) === 0) return;
      await change((run) => restateNeo4jSources(run, changes), { signal });
    },

    async sources() {
      const cypher = `MATCH (s:EmendSource)
        RETURN s.id AS id, s.documentId AS documentId, s.hash AS hash, s.triples AS triples ORDER BY id`;
      return (await rowReader(connection)(cypher)).map((row) => ({
        id: String(row.id),
        documentId: String(row.documentId),
        hash: String(row.hash),
        triples: Number(row.triples),
      }));
    },

    close: () => connection.close(),
  };
}

const MAX_TRIES = 10;
/** In milliseconds, for each of a few large queries. */
const SCHEMA_TIMEOUT = 15_000;

/** Returns how often emend has written to the graph; 0 if never. */
async function version(read: ReadRows): Promise<number> {
  const [row] = await read("MATCH (s:EmendState {key: 'graph'}) RETURN s.version AS version");
  return row ? Number(row.version) : 0;
}

/** Caches an answer for a minute. Failures are not cached. */
function cachedForAMinute<T>(ask: (options: RunOptions) => Promise<T>) {
  let known: { answer: T; since: number } | undefined;
  return {
    async get(options: RunOptions): Promise<T> {
      options.signal?.throwIfAborted();
      if (known && performance.now() - known.since < 60_000) return known.answer;
      const answer = await ask(options);
      known = { answer, since: performance.now() };
      return answer;
    },
    forget: () => {
      known = undefined;
    },
  };
}

/**
 * Runs an untrusted query in READ mode if the guard accepts it. Returns at most 100 rows and 64 KiB; long values are
 * cut.
 * @throws CypherError when the query is refused or fails.
 * @throws StoreUnavailableError when the graph cannot be reached.
 */
export async function guardedQuery(
  connection: Neo4jConnection,
  cypher: string,
  parameters: GraphRow,
  options: RunOptions,
): Promise<QueryResult> {
  const safe = await guard(cypher, parameters, (text, given) => connection.explain(text, given, options));
  const rows: GraphRow[] = [];
  let bytes = 0;
  let isFull = false;
  let isShortened = false;
  let columns: string[] = [];
  await connection.read(safe, parameters, {
    ...options,
    enough: (record) => {
      columns = record.keys.map(String);
      const row = asRow(record);
      const short = fitted(row);
      bytes += bytesOf(short);
      isFull = rows.length === MAX_ROWS || (bytes > MAX_BYTES && rows.length > 0);
      isShortened ||= short !== row;
      if (!isFull) rows.push(short);
      return isFull;
    },
  });
  // The limit is 100 rows, so exactly 100 are more likely the first of many than all.
  return { cypher: safe, parameters, columns, rows, truncated: isFull || isShortened || rows.length === MAX_ROWS };
}

const MAX_BYTES = 64 * 1024;
/** The most bytes of one value, so that a row of several long values shows something of each. */
const MAX_VALUE_BYTES = 8 * 1024;

/** Returns the row itself, or a copy in which long values are the beginning of their text. */
function fitted(row: GraphRow): GraphRow {
  if (bytesOf(row) <= MAX_VALUE_BYTES) return row;
  const short = (value: GraphValue) =>
    bytesOf(value) <= MAX_VALUE_BYTES
      ? value
      : `${(typeof value === "string" ? value : JSON.stringify(value)).slice(0, MAX_VALUE_BYTES / 4).toWellFormed()}…`;
  return Object.fromEntries(Object.entries(row).map(([key, value]) => [key, short(value)]));
}

const bytesOf = (value: GraphValue) => Buffer.byteLength(JSON.stringify(value));
