import type { BaseMessage } from "@langchain/core/messages";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import pg from "pg";
import { failedWrites, saidIn, type Threads, type ThreadsOptions } from "./port.js";
import { inWords } from "./postgres-faults.js";

/**
 * Keeps threads in a Postgres database, for programs on several machines: any of them goes on with any conversation. The
 * tables are LangGraph's own, in the schema `emend`, so that they are not mixed with those of another LangGraph program.
 * At most 10 connections are open at once; `close` ends them.
 * @param address such as `postgres://user:password@host:5432/database`. The user must own the database, or be allowed to
 *   create in it.
 * @throws StoreUnavailableError if the database cannot be reached or the tables cannot be made.
 */
export async function postgresThreads(address: string, { steps = 20 }: ThreadsOptions = {}): Promise<Threads> {
  const pool = new pg.Pool({
    connectionString: address,
    Client: PatientClient,
    query_timeout: PATIENCE,
    keepAlive: true,
    allowExitOnIdle: true,
    application_name: "emend",
  });
  // Told of a connection as well that ends while nobody uses it: the next query opens another one.
  pool.on("error", () => {});
  const threads = new PostgresThreads(pool, address, steps);
  try {
    await threads.setup();
    return threads;
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** Milliseconds that it may take to connect, and that a query may take. */
const PATIENCE = 15_000;

/** The pool's own limit would also be one of how long a question waits for its turn where many are asked at once. */
class PatientClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: PATIENCE });
    // A connection that the server ends between two queries fails the second one. Unheard, this would end the program.
    this.on("error", () => {});
  }
}

class PostgresThreads extends PostgresSaver implements Threads {
  readonly #pool: pg.Pool;
  readonly #address: string;
  readonly #steps: number;
  readonly #failed = failedWrites();

  constructor(pool: pg.Pool, address: string, steps: number) {
    super(pool, undefined, { schema: "emend" });
    this.#pool = pool;
    this.#address = address;
    this.#steps = steps;
  }

  /**
   * Values are stored by the version of their field, and a second value of the same version is not stored. Two branches of
   * a thread count from where they part, so a version needs more than a count to be of one branch.
   */
  override getNextVersion(current: number | undefined): number {
    return Math.floor(current ?? 0) + 1 + Math.random();
  }

  /** Machines that start at once make the tables one after another. */
  override setup() {
    return this.#told(async () => {
      const client = await this.#pool.connect();
      try {
        await client.query("BEGIN");
        await client.query("SELECT pg_advisory_xact_lock(hashtext('emend.threads'))");
        await super.setup();
        await client.query(CREATE_SAID);
        await client.query("ALTER TABLE emend.checkpoints ADD COLUMN IF NOT EXISTS n BIGSERIAL");
        await client.query("COMMIT");
        client.release();
      } catch (error) {
        // A connection that is closed takes its transaction with it, whatever state that was in.
        client.release(true);
        throw error;
      }
    });
  }

  override async getTuple(config: Parameters<PostgresSaver["getTuple"]>[0]) {
    const { thread_id: thread, checkpoint_ns: namespace = "", checkpoint_id: id } = config.configurable ?? {};
    if (typeof thread !== "string") return undefined;
    await this.written(thread);
    return this.#told(async () => {
      if (id) return super.getTuple(config);
      const { rows } = await this.#pool.query<{ checkpoint_id: string }>(NEWEST, [thread, namespace]);
      const [newest] = rows;
      if (!newest) return undefined;
      return super.getTuple({ ...config, configurable: { ...config.configurable, ...newest } });
    });
  }

  override async *list(...given: Parameters<PostgresSaver["list"]>) {
    try {
      yield* super.list(...given);
    } catch (error) {
      throw inWords(error, this.#address);
    }
  }

  override async put(...given: Parameters<PostgresSaver["put"]>) {
    const [{ configurable = {} }, checkpoint, { source }, newVersions] = given;
    const { thread_id: thread, checkpoint_ns: namespace = "" } = configurable;
    const write = async () => {
      await super.put(...given);
      const said = namespace === "" ? saidIn(checkpoint, newVersions) : undefined;
      if (said) await this.#record(thread, said);
      // Once a question.
      if (source === "input") await this.#pool.query(DROP_OLD, [thread, namespace, this.#steps]);
    };
    await this.#failed.kept(thread, () => this.#told(write));
    return { configurable: { thread_id: thread, checkpoint_ns: namespace, checkpoint_id: checkpoint.id } };
  }

  override putWrites(...given: Parameters<PostgresSaver["putWrites"]>) {
    return this.#failed.kept(given[0].configurable?.thread_id, () => this.#told(() => super.putWrites(...given)));
  }

  async written(thread: string) {
    this.#failed.raise(thread);
  }

  deleteBefore(time: Date) {
    return this.#told(async () => {
      const { rows } = await this.#pool.query<{ thread_id: string }>(OLD_THREADS, [time.toISOString()]);
      for (const { thread_id: thread } of rows) await this.deleteThread(thread);
      return rows.length;
    });
  }

  override deleteThread(thread: string) {
    return this.#told(async () => {
      await super.deleteThread(thread);
      await this.#pool.query("DELETE FROM emend.said WHERE thread = $1", [thread]);
    });
  }

  conversation(thread: string) {
    return this.#told(async () => {
      const { rows } = await this.#pool.query<{ type: string; message: Uint8Array }>(
        "SELECT type, message FROM emend.said WHERE thread = $1 ORDER BY n",
        [thread],
      );
      return Promise.all(rows.map(({ type, message }): Promise<BaseMessage> => this.serde.loadsTyped(type, message)));
    });
  }

  threads(beginning = "") {
    return this.#told(async () => {
      const { rows } = await this.#pool.query<{ thread_id: string }>(THREADS, [beginning]);
      return rows.map(({ thread_id: thread }) => thread);
    });
  }

  async close() {
    if (!this.#pool.ended) await this.#pool.end();
  }

  async #record(thread: string, said: readonly (BaseMessage & { id: string })[]) {
    const dumped = await Promise.all(said.map((message) => this.serde.dumpsTyped(message)));
    const types = dumped.map(([type]) => type);
    const messages = dumped.map(([, message]) => Buffer.from(message));
    await this.#pool.query(RECORD, [thread, said[0]?.id ?? "", said.map(({ id }) => id), types, messages]);
  }

  async #told<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw inWords(error, this.#address);
    }
  }
}

const CREATE_SAID = `CREATE TABLE IF NOT EXISTS emend.said (
  thread TEXT, n INTEGER, id TEXT NOT NULL, type TEXT NOT NULL, message BYTEA NOT NULL,
  PRIMARY KEY (thread, n)
)`;

const THREADS = `SELECT thread_id FROM emend.checkpoints
WHERE checkpoint_ns = '' AND starts_with(thread_id, $1)
GROUP BY thread_id ORDER BY max(n) DESC`;

/** By `n`, which counts the steps: their ids go back when the clock does. */
const NEWEST = `SELECT checkpoint_id FROM emend.checkpoints WHERE thread_id = $1 AND checkpoint_ns = $2
ORDER BY n DESC LIMIT 1`;

const OLD_THREADS = `SELECT thread_id FROM emend.checkpoints GROUP BY thread_id HAVING max(checkpoint ->> 'ts') < $1`;

/** From the first message's place on, or from the start where that is new; what stands there already is not written again. */
const RECORD = `WITH place AS (
  SELECT coalesce((SELECT n FROM emend.said WHERE thread = $1 AND id = $2), 0) AS n
), gone AS (
  DELETE FROM emend.said s USING place WHERE s.thread = $1 AND s.n >= place.n + cardinality($3::text[])
)
INSERT INTO emend.said AS s (thread, n, id, type, message)
SELECT $1, place.n + m.i - 1, m.id, m.type, m.message
FROM place, unnest($3::text[], $4::text[], $5::bytea[]) WITH ORDINALITY AS m (id, type, message, i)
ON CONFLICT (thread, n) DO UPDATE SET id = excluded.id, type = excluded.type, message = excluded.message
WHERE s.id <> excluded.id OR s.message <> excluded.message`;

/** All but the newest steps of a thread, what tasks wrote for them, and the values that only they refer to. */
const DROP_OLD = `WITH oldest AS (
  SELECT n FROM emend.checkpoints WHERE thread_id = $1 AND checkpoint_ns = $2
  ORDER BY n DESC OFFSET $3 LIMIT 1
), old AS (
  SELECT checkpoint_id AS id FROM emend.checkpoints
  WHERE thread_id = $1 AND checkpoint_ns = $2 AND n <= (SELECT n FROM oldest)
), steps AS (
  DELETE FROM emend.checkpoints WHERE thread_id = $1 AND checkpoint_ns = $2 AND checkpoint_id IN (SELECT id FROM old)
), writes AS (
  DELETE FROM emend.checkpoint_writes WHERE thread_id = $1 AND checkpoint_ns = $2 AND checkpoint_id IN (SELECT id FROM old)
)
DELETE FROM emend.checkpoint_blobs
WHERE thread_id = $1 AND checkpoint_ns = $2 AND EXISTS (SELECT FROM oldest) AND (channel, version) NOT IN (
  SELECT kept.key, kept.value
  FROM emend.checkpoints, jsonb_each_text(checkpoint -> 'channel_versions') AS kept
  WHERE thread_id = $1 AND checkpoint_ns = $2 AND n > (SELECT n FROM oldest)
)`;
