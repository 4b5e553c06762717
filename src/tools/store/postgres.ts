import { AsyncLocalStorage } from "node:async_hooks";
import { setInterval, setTimeout } from "node:timers/promises";
import type pg from "pg";
import { StoreUnavailableError, UsageError } from "../../errors.js";
import { withoutPassword } from "../../text/address.js";
import { unlessAborted } from "../../waiting.js";
import { forgetUnused } from "./metadata.js";
import {
  type Database,
  LANGUAGES,
  type OpenOptions,
  type Row,
  STORE_VERSION,
  type Value,
  type Writing,
} from "./port.js";
import { errorCodeIn, nearestStatement, postgresDialect, postgresError } from "./postgres-dialect.js";
import { POSTGRES_SCHEMA } from "./schema.js";

/**
 * A store in a Postgres database with pgvector, in the schema `emend`. Programs on several machines can read and write
 * it at the same time. Each opens at most 10 connections. The client library is loaded only if it is needed.
 * @param address such as `postgres://user:password@host:5432/database`. The user must own the database, or have the
 *   CREATE privilege on it.
 */
export function postgresDatabase(address: string, { onWait }: OpenOptions = {}): Database {
  const around = new AsyncLocalStorage<Together>();
  let opened: Promise<pg.Pool> | undefined;
  let isReady = false;

  const connected = async () => {
    opened ??= openPool(address);
    const pool = await opened;
    return pool.connect();
  };

  /** True if the tables exist. Creates them first if `make` is true. */
  const ready = async (client: pg.ClientBase, make: boolean): Promise<boolean> => {
    if (isReady) return true;
    isReady = await areTables(client);
    if (isReady || !make) return isReady;
    await makeTables(client);
    isReady = true;
    return true;
  };

  /** Lends a connection to the work. If the work fails, the connection is closed, which rolls its transaction back. */
  const withClient = async <T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    let client: pg.PoolClient | undefined;
    try {
      client = await connected();
      const result = await work(client);
      client.release();
      return result;
    } catch (error) {
      client?.release(true);
      throw isOfPostgres(error) ? postgresError(error, address) : error;
    }
  };

  /** Runs a transaction. Repeats it after a deadlock or a serialisation failure. */
  const transaction = async <T>(work: (outer: Together) => Promise<T>): Promise<T> => {
    for (let left = TRIES; ; left--) {
      const ending = new AbortController();
      try {
        return await withClient(async (client) => {
          const outer: Together = { client, writing: undefined, isOver: ending.signal };
          const result = await work(outer);
          if (outer.writing) await client.query("COMMIT");
          return result;
        });
      } catch (error) {
        if (left === 1 || !(error instanceof StoreUnavailableError) || !isConflict(error.cause)) throw error;
        await setTimeout(Math.random() * 100);
      } finally {
        ending.abort();
      }
    }
  };

  const write: Database["write"] = async (work, { signal } = {}) => {
    signal?.throwIfAborted();
    const run = async (outer: Together) => {
      outer.writing ??= begun(outer);
      const result = work(await outer.writing);
      return signal ? unlessAborted(result, signal) : result;
    };
    const outer = around.getStore();
    return outer ? run(outer) : transaction(run);
  };

  const begun = async ({ client, isOver }: Together): Promise<Writing> => {
    await ready(client, true);
    await client.query(`BEGIN; SET LOCAL statement_timeout = ${WRITING}`);
    if (onWait) {
      const { rows } = await client.query("SELECT pg_backend_pid() AS pid");
      void reportWait(rows[0].pid, isOver);
    }
    return writingTo(client);
  };

  /** Reports once, until the transaction of this server process is over, that it waits for another one. Never throws. */
  const reportWait = async (pid: number, isOver: AbortSignal): Promise<void> => {
    try {
      for await (const _ of setInterval(1_000, undefined, { signal: isOver })) {
        const pool = await opened;
        if ((await pool?.query(LONG_WAIT, [pid]))?.rowCount)
          return onWait?.(`Another process is writing to ${database.name}.`);
      }
    } catch {
      // The transaction is over, or no other connection is to be had.
    }
  };

  const database: Database = {
    name: withoutPassword(address),
    dialect: postgresDialect,

    async read(queries, { signal } = {}) {
      signal?.throwIfAborted();
      const work = withClient(async (client) => {
        if (!(await ready(client, false))) return queries.map(() => []);
        await client.query(
          `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = ${READING};
          SET LOCAL hnsw.ef_search = ${indexCandidates(queries)}`,
        );
        const results: Row[][] = [];
        for (const query of queries) {
          const { sql, values = [] } = "nearest" in query ? nearestStatement(query) : query;
          results.push(await rowsOf(client, sql, values));
        }
        await client.query("COMMIT");
        return results;
      });
      return signal ? unlessAborted(work, signal) : work;
    },

    write,
    together: (work) => (around.getStore() ? work() : transaction((outer) => around.run(outer, work))),
    exists: () => withClient((client) => ready(client, false)),

    async tidy() {
      if (!(await database.exists())) return;
      await forgetUnused(database, AbortSignal.timeout(READING));
      await sumUp(database);
      await withClient(async (client) => {
        await client.query("ANALYZE emend.passages, emend.tables, emend.vectors, emend.triples");
        await indexVectors(client);
      });
    },

    check: () =>
      withClient(async (client) => {
        await ready(client, false);
        return [];
      }),

    async backup() {
      throw new UsageError(
        `A store in Postgres is copied with its own tools: pg_dump --schema emend --extension vector --format custom --file FILE ${database.name}`,
      );
    },

    async close() {
      const pool = await opened?.catch(() => undefined);
      opened = undefined;
      isReady = false;
      await pool?.end();
    },
  };
  return database;
}

/** The connection of a transaction that others join, and the transaction itself once it has begun. */
interface Together {
  client: pg.PoolClient;
  writing: Promise<Writing> | undefined;
  /** Aborted when the transaction has ended. */
  isOver: AbortSignal;
}

/** The lock that a server process has waited for longer than a second, if any. Before Postgres 14, it is not known. */
const LONG_WAIT = `SELECT FROM pg_locks
  WHERE pid = $1 AND NOT granted AND waitstart < clock_timestamp() - interval '1 second'`;

async function openPool(address: string): Promise<pg.Pool> {
  const { default: pg } = await import("pg");
  /** Limits the time to connect. The pool's own limit would also limit how long a query waits for a free connection. */
  class PatientClient extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, connectionTimeoutMillis: READING });
      // If the server ends the connection between two queries, the second fails. An unhandled event would end the
      // program.
      this.on("error", () => {});
    }
  }
  const pool = new pg.Pool({
    connectionString: address,
    Client: PatientClient,
    keepAlive: true,
    allowExitOnIdle: true,
    application_name: "emend",
    // Row numbers are far below the largest safe integer of JavaScript.
    types: { getTypeParser: (id, format) => (NUMBERS.has(id) ? Number : pg.types.getTypeParser(id, format)) },
  });
  // Also emitted if an idle connection ends. The next query opens another one.
  pool.on("error", () => {});
  return pool;
}

/** bigint and numeric. */
const NUMBERS: ReadonlySet<number> = new Set([20, 1700]);

/** True if the tables exist. @throws StoreUnavailableError if another version of emend made them. */
async function areTables(client: pg.ClientBase): Promise<boolean> {
  // Reads the catalogue, since `to_regclass` uses a cache, which is not refreshed after waiting for a lock.
  const { rows } = await client.query(
    "SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = 'emend' AND tablename = 'version') AS exists",
  );
  if (!rows[0]?.exists) return false;
  const made = (await client.query("SELECT version FROM emend.version")).rows[0]?.version;
  if (made !== STORE_VERSION)
    throw new StoreUnavailableError(
      "The store in this database was made by another version of emend. Use that one, or drop the schema emend and ingest the documents again.",
    );
  return true;
}

/** Creates the tables unless they exist. A lock makes programs that start at the same time take turns. */
async function makeTables(client: pg.ClientBase): Promise<void> {
  await client.query("BEGIN; SELECT pg_advisory_xact_lock(hashtext('emend tables'))");
  if (!(await areTables(client))) await client.query(POSTGRES_SCHEMA);
  await client.query("COMMIT");
}

function writingTo(client: pg.PoolClient): Writing {
  return {
    all: (sql, values = []) => rowsOf(client, sql, values),
    async insert(table, rows, conflict = "") {
      const columns = Object.keys(rows[0] ?? {}).join(", ");
      if (columns === "") return;
      const sql = `INSERT INTO ${table} (${columns})
        SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1::json) ${conflict}`;
      await client.query(sql, [JSON.stringify(rows.map(inJson))]);
    },
    async lock(name) {
      await client.query("SELECT pg_advisory_xact_lock(hashtext($1))", [`emend ${name}`]);
    },
  };
}

async function rowsOf(client: pg.ClientBase, sql: string, values: readonly Value[]): Promise<Row[]> {
  const { rows } = await client.query<Row>(sql, values.map(given));
  for (const row of rows)
    for (const [column, value] of Object.entries(row))
      if (typeof value === "string" && value.includes(ESCAPE)) row[column] = unescaped(value);
  return rows;
}

/** Postgres does not allow null characters in text. They are escaped with a code point that is not a character. */
const ESCAPE = "\uFDD0";
const escaped = (text: string) =>
  text.toWellFormed().replace(/[\0\uFDD0]/g, (found) => (found === ESCAPE ? `${ESCAPE}1` : `${ESCAPE}0`));
const unescaped = (text: string) => text.replace(/\uFDD0([01])/g, (_, which) => (which === "0" ? "\0" : ESCAPE));

const given = (value: Value): unknown => {
  if (typeof value === "string") return escaped(value);
  if (value instanceof Uint8Array) return Buffer.from(value);
  return Array.isArray(value)
    ? value.map((one: string | number) => (typeof one === "string" ? escaped(one) : one))
    : value;
};

const inJson = (row: Readonly<Record<string, Value>>) =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column,
      value instanceof Uint8Array ? `\\x${Buffer.from(value).toString("hex")}` : given(value),
    ]),
  );

/** Returns how many candidates a vector index reads: twice as many as are asked for, 200 to 1,000. */
function indexCandidates(queries: Parameters<Database["read"]>[0]): number {
  const limits = queries.map((query) => ("nearest" in query ? query.nearest.limit : 0));
  return Math.min(1_000, Math.max(200, 2 * Math.max(...limits)));
}

/** Sums up the counts of each term, some terms at a time: all of them may take longer than a statement may. */
async function sumUp(database: Database): Promise<void> {
  for (let from: string | undefined = ""; from !== undefined; ) {
    const first: string = from;
    from = await database.write(async (to) => {
      await to.lock("tidy");
      const [row] = await to.all(SUM_UP, [first]);
      // The text that follows it.
      return typeof row?.last === "string" ? `${row.last}\u0001` : undefined;
    });
  }
}

const SUM_UP = `WITH repeated AS (
  SELECT term FROM emend.counts WHERE term >= $1 GROUP BY term HAVING count(*) > 1 ORDER BY term LIMIT 5000
), gone AS (
  DELETE FROM emend.counts WHERE term IN (SELECT term FROM repeated)
  RETURNING term, passages, length
), summed AS (
  INSERT INTO emend.counts SELECT term, sum(passages), sum(length) FROM gone
  GROUP BY term HAVING sum(passages) <> 0 OR sum(length) <> 0
)
SELECT max(term) AS last FROM repeated`;

/** Indexes the vectors of each language once there are too many to compare them all. */
async function indexVectors(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query(
    `SELECT m.n, m.dimensions, v.language FROM emend.vectors v JOIN emend.models m ON m.n = v.model
    GROUP BY m.n, m.dimensions, v.language HAVING count(*) >= ${COMPARED}`,
  );
  for (const { n, dimensions, language } of rows) {
    if (dimensions > MAX_DIMENSIONS || !LANGUAGES.includes(language)) continue;
    const name = `vectors_${n}_${language}`;
    const known = await client.query("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)", [
      `emend.${name}`,
    ]);
    if (known.rows[0]?.indisvalid) continue;
    const [lock] = (await client.query("SELECT pg_try_advisory_lock(hashtext('emend vectors')) AS mine")).rows;
    if (!lock?.mine) return;
    // An interrupted build leaves an invalid index.
    await client.query(`DROP INDEX IF EXISTS emend.${name}`);
    await client.query(
      `CREATE INDEX CONCURRENTLY ${name} ON emend.vectors USING hnsw ((embedding::halfvec(${dimensions})) halfvec_ip_ops)
      WHERE model = ${n} AND language = '${language}'`,
    );
    await client.query("SELECT pg_advisory_unlock(hashtext('emend vectors'))");
  }
}

/** In vectors. Comparing fewer takes about 10 ms. */
const COMPARED = 10_000;

/** The most dimensions that an index of pgvector supports. */
const MAX_DIMENSIONS = 4_000;

/** Time limit for connecting, and for a statement that reads, in milliseconds. */
const READING = 15_000;
/** Time limit for a statement in a transaction that writes, in milliseconds. */
const WRITING = 120_000;
const TRIES = 5;

const isConflict = (error: unknown) => /^40(?:P01|001)$/.test(errorCodeIn(error));

/** True for an error of the server, the network or the client; false for an error of the caller's own work. */
const isOfPostgres = (error: unknown) =>
  /^(?:[0-9A-Z]{5}|E[A-Z_]+)$/.test(errorCodeIn(error)) ||
  (error instanceof Error &&
    /^(?:Connection terminated|Client has encountered|timeout|.*password must be a string|.*SSL)/i.test(error.message));
