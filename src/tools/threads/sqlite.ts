import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import {
  BaseCheckpointSaver,
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointTuple,
} from "@langchain/langgraph";
import { StoreUnavailableError, toError } from "../../errors.js";
import { failedWrites, saidIn, type Threads, type ThreadsOptions } from "./port.js";

type Writes = Parameters<BaseCheckpointSaver["putWrites"]>[1];
type ListOptions = Parameters<BaseCheckpointSaver["list"]>[1];

/**
 * Keeps threads in one SQLite file, by Node's own SQLite, which several processes of one machine may share.
 * @param path the file, opened on first use; its folder is made. ":memory:" keeps nothing.
 * @throws StoreUnavailableError on first use, if the file cannot be opened or is no database.
 */
export const sqliteThreads = (path: string, { steps = 20 }: ThreadsOptions = {}): Threads =>
  new SqliteThreads(path, steps);

function opened(path: string): DatabaseSync {
  try {
    if (path !== ":memory:") mkdirSync(dirname(path), { recursive: true });
    const database = new DatabaseSync(path, { timeout: PATIENCE });
    database.exec(SCHEMA);
    const columns = database.prepare("SELECT name FROM pragma_table_info('steps')").all();
    // A file of an earlier version.
    if (!columns.some(({ name }) => name === "n")) database.exec(NUMBERED);
    database.exec("CREATE INDEX IF NOT EXISTS steps_n ON steps (n); PRAGMA busy_timeout = 0");
    return database;
  } catch (error) {
    throw new StoreUnavailableError(
      `The conversations in ${path} cannot be opened (${toError(error).message}). Check the file, or move it away to begin anew.`,
      { cause: error },
    );
  }
}

/** Milliseconds that a write waits for that of another process, and between two tries. SQLite's own way of waiting would hold the loop. */
const PATIENCE = 10_000;
const PAUSE = 50;

const SCHEMA = `
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS steps (
  thread TEXT, namespace TEXT, id TEXT, parent TEXT,
  type TEXT, state BLOB, metadataType TEXT, metadata BLOB, n INTEGER, at INTEGER,
  PRIMARY KEY (thread, namespace, id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS writes (
  thread TEXT, namespace TEXT, id TEXT, task TEXT, slot TEXT, channel TEXT, type TEXT, value BLOB,
  PRIMARY KEY (thread, namespace, id, task, slot)
);
CREATE TABLE IF NOT EXISTS said (
  thread TEXT, n INTEGER, id TEXT, type TEXT, message BLOB,
  PRIMARY KEY (thread, n)
) WITHOUT ROWID;`;

/** `n` counts the steps of the file, since their ids go back when the clock does; `at` is the time in milliseconds. */
const NUMBERED = `
ALTER TABLE steps ADD COLUMN n INTEGER;
ALTER TABLE steps ADD COLUMN at INTEGER;
UPDATE steps SET at = unixepoch() * 1000, n = numbered.n
FROM (SELECT id AS old, row_number() OVER (ORDER BY id) AS n FROM steps) AS numbered WHERE id = numbered.old;`;

/** LangGraph asks for a class here; see `sqliteThreads`. */
class SqliteThreads extends BaseCheckpointSaver implements Threads {
  readonly #path: string;
  readonly #steps: number;
  readonly #failed = failedWrites();
  #opened: DatabaseSync | undefined;

  constructor(path: string, steps: number) {
    super();
    this.#path = path;
    this.#steps = steps;
  }

  get #database(): DatabaseSync {
    this.#opened ??= opened(this.#path);
    return this.#opened;
  }

  async getTuple({ configurable = {} }: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { thread_id: thread, checkpoint_ns: namespace = "", checkpoint_id: id } = configurable;
    if (typeof thread !== "string") return undefined;
    await this.written(thread);
    const [row] = this.#select({ thread, namespace, ...(id && { id }) }, "", 1);
    return row && this.#tuple(row);
  }

  async *list({ configurable = {} }: RunnableConfig, options: ListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const { thread_id: thread, checkpoint_ns: namespace, checkpoint_id: id } = configurable;
    const { before, filter = {}, limit = Number.POSITIVE_INFINITY } = options;
    let left = limit;
    for (const row of this.#select({ thread, namespace, id }, before?.configurable?.checkpoint_id ?? "")) {
      if (left <= 0) return;
      const tuple = await this.#tuple(row);
      const metadata: Record<string, unknown> = { ...tuple.metadata };
      if (!Object.entries(filter).every(([key, value]) => metadata[key] === value)) continue;
      left -= 1;
      yield tuple;
    }
  }

  async put(
    { configurable = {} }: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions?: Parameters<BaseCheckpointSaver["put"]>[3],
  ): Promise<RunnableConfig> {
    const { thread_id: thread, checkpoint_ns: namespace = "", checkpoint_id: parent = null } = configurable;
    const [type, state] = await this.serde.dumpsTyped(checkpoint);
    const [metadataType, data] = await this.serde.dumpsTyped(metadata);
    const said = namespace === "" ? saidIn(checkpoint, newVersions) : undefined;
    const messages = said && (await Promise.all(said.map((message) => this.serde.dumpsTyped(message))));
    await this.#failed.kept(thread, () =>
      this.#together(() => {
        if (said && messages) this.#record(thread, said, messages);
        this.#database
          .prepare("INSERT OR REPLACE INTO steps SELECT ?, ?, ?, ?, ?, ?, ?, ?, coalesce(max(n), 0) + 1, ? FROM steps")
          .run(thread, namespace, checkpoint.id, parent, type, small(state), metadataType, small(data), Date.now());
        this.#dropOld(thread, namespace);
      }),
    );
    return { configurable: { thread_id: thread, checkpoint_ns: namespace, checkpoint_id: checkpoint.id } };
  }

  async putWrites({ configurable = {} }: RunnableConfig, writes: Writes, task: string): Promise<void> {
    const { thread_id: thread, checkpoint_ns: namespace = "", checkpoint_id: id } = configurable;
    const values = await Promise.all(writes.map(([, value]) => this.serde.dumpsTyped(value)));
    await this.#failed.kept(thread, () =>
      this.#together(() => {
        writes.forEach(([channel], i) => {
          const [type = "", value = new Uint8Array()] = values[i] ?? [];
          // What a task wrote stands; what became of it (an error, an interrupt, its resume) is replaced by the newest.
          const isOutcome = OUTCOMES.has(channel);
          this.#database
            .prepare(`INSERT OR ${isOutcome ? "REPLACE" : "IGNORE"} INTO writes VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
            .run(thread, namespace, id, task, isOutcome ? channel : `${i}`, channel, type, small(value));
        });
      }),
    );
  }

  async written(thread: string): Promise<void> {
    this.#failed.raise(thread);
  }

  async deleteThread(thread: string): Promise<void> {
    await this.#together(() => this.#delete(thread));
  }

  async deleteBefore(time: Date): Promise<number> {
    const old = "SELECT thread FROM steps GROUP BY thread HAVING max(at) < ? LIMIT 100";
    let deleted = 0;
    // A few at a time, so that others can write in between.
    for (;;) {
      const rows = this.#database.prepare(old).all(time.getTime());
      if (rows.length === 0) return deleted;
      await this.#together(() => {
        for (const { thread } of rows) this.#delete(`${thread}`);
      });
      deleted += rows.length;
    }
  }

  #delete(thread: string): void {
    for (const table of ["steps", "writes", "said"])
      this.#database.prepare(`DELETE FROM ${table} WHERE thread = ?`).run(thread);
  }

  async conversation(thread: string): Promise<BaseMessage[]> {
    const rows = this.#database.prepare("SELECT type, message FROM said WHERE thread = ? ORDER BY n").all(thread);
    return Promise.all(rows.map(({ type, message }) => this.#read(type, message)));
  }

  async threads(beginning = ""): Promise<string[]> {
    const rows = this.#database
      .prepare("SELECT thread FROM steps WHERE instr(thread, ?) = 1 GROUP BY thread ORDER BY max(n) DESC")
      .all(beginning);
    return rows.map(({ thread }) => `${thread}`);
  }

  async close(): Promise<void> {
    this.#opened?.close();
    this.#opened = undefined;
  }

  /** Newest first. Undefined values are not asked for. */
  *#select(wanted: Record<string, unknown>, before: string, limit = -1): Iterable<Row> {
    const given = Object.entries(wanted).filter(([, value]) => typeof value === "string");
    const conditions = [
      ...given.map(([name]) => `${name} = ?`),
      ...(before ? ["n < (SELECT n FROM steps WHERE id = ?)"] : []),
    ];
    const where = conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : "";
    const values = [...given.map(([, value]) => `${value}`), ...(before ? [before] : [])];
    yield* this.#database.prepare(`SELECT * FROM steps ${where} ORDER BY n DESC LIMIT ?`).all(...values, limit);
  }

  async #tuple({ thread, namespace, id, parent, type, state, metadataType, metadata }: Row): Promise<CheckpointTuple> {
    const place = (checkpoint: unknown) => ({
      configurable: { thread_id: thread, checkpoint_ns: namespace, checkpoint_id: checkpoint },
    });
    const written = this.#database
      .prepare(
        "SELECT task, channel, type, value FROM writes WHERE thread = ? AND namespace = ? AND id = ? ORDER BY rowid",
      )
      .all(thread ?? null, namespace ?? null, id ?? null);
    return {
      config: place(id),
      checkpoint: await this.#read(type, state),
      metadata: await this.#read(metadataType, metadata),
      pendingWrites: await Promise.all(
        written.map(
          async (one): Promise<[string, string, unknown]> => [
            `${one.task}`,
            `${one.channel}`,
            await this.#read(one.type, one.value),
          ],
        ),
      ),
      ...(parent !== null && { parentConfig: place(parent) }),
    };
  }

  #read(type: SQLOutputValue | undefined, value: SQLOutputValue | undefined) {
    return this.serde.loadsTyped(`${type}`, value instanceof Uint8Array ? whole(value) : "");
  }

  /** From the first message's place on, or from the start where that is new. */
  #record(thread: string, said: readonly { id: string }[], messages: readonly [string, Uint8Array][]): void {
    const place = this.#database.prepare("SELECT n FROM said WHERE thread = ? AND id = ?");
    const first = Number(place.get(thread, said[0]?.id ?? "")?.n ?? 0);
    this.#database.prepare("DELETE FROM said WHERE thread = ? AND n >= ?").run(thread, first);
    const add = this.#database.prepare("INSERT INTO said VALUES (?, ?, ?, ?, ?)");
    messages.forEach(([type, message], i) => {
      add.run(thread, first + i, said[i]?.id ?? "", type, message);
    });
  }

  #dropOld(thread: string, namespace: string): void {
    const old = "SELECT id FROM steps WHERE thread = ? AND namespace = ? ORDER BY n DESC LIMIT -1 OFFSET ?";
    for (const { id } of this.#database.prepare(old).all(thread, namespace, this.#steps))
      for (const table of ["steps", "writes"])
        this.#database
          .prepare(`DELETE FROM ${table} WHERE thread = ? AND namespace = ? AND id = ?`)
          .run(thread, namespace, `${id}`);
  }

  /** Does it all or nothing. Waits for a write of another process. */
  async #together(work: () => void): Promise<void> {
    const began = performance.now();
    for (;;) {
      try {
        this.#database.exec("BEGIN IMMEDIATE");
        work();
        this.#database.exec("COMMIT");
        return;
      } catch (error) {
        // A full disk ends the transaction by itself.
        if (this.#opened?.isTransaction) this.#opened.exec("ROLLBACK");
        const isLocked = /locked/.test(toError(error).message);
        if (error instanceof StoreUnavailableError || !isLocked || performance.now() - began > PATIENCE)
          throw this.#told(error, isLocked);
      }
      await setTimeout(PAUSE);
    }
  }

  #told(error: unknown, isLocked: boolean): Error {
    if (error instanceof StoreUnavailableError) return error;
    const remedy = isLocked
      ? "Another program is writing to the file: try again once it is done."
      : "Is the disk full?";
    const { message } = toError(error);
    return new StoreUnavailableError(`The conversations in ${this.#path} cannot be written (${message}). ${remedy}`, {
      cause: error,
    });
  }
}

type Row = Record<string, SQLOutputValue>;

const OUTCOMES: ReadonlySet<string> = new Set(["__error__", "__scheduled__", "__interrupt__", "__resume__"]);

/** States repeat passages and prompts: they take a quarter of the space. The first byte tells what was stored as it is. */
const small = (value: Uint8Array): Uint8Array => Buffer.concat([SMALL, deflateRawSync(value)]);
const whole = (value: Uint8Array): Uint8Array =>
  value[0] === SMALL[0] ? inflateRawSync(value.subarray(SMALL.length)) : value;
/** No value of LangGraph's own serialisers begins with it: they write JSON. */
const SMALL = Buffer.from([0]);
