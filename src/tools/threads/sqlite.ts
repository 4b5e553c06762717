import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import {
  BaseCheckpointSaver,
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointTuple,
} from "@langchain/langgraph";
import { StoreUnavailableError, toError } from "../../errors.js";
import { saidIn, type Threads, type ThreadsOptions } from "./port.js";

type Writes = Parameters<BaseCheckpointSaver["putWrites"]>[1];
type ListOptions = Parameters<BaseCheckpointSaver["list"]>[1];

/**
 * Keeps threads in one SQLite file, by Node's own SQLite, which several processes of one machine may share.
 * @param path the file, opened on first use; its folder is made. ":memory:" keeps nothing.
 * @throws StoreUnavailableError on first use, if the file cannot be opened or is no database.
 */
export const sqliteThreads = (path: string, { steps = 40 }: ThreadsOptions = {}): Threads =>
  new SqliteThreads(path, steps);

function opened(path: string): DatabaseSync {
  try {
    if (path !== ":memory:") mkdirSync(dirname(path), { recursive: true });
    const database = new DatabaseSync(path, { timeout: PATIENCE });
    database.exec(SCHEMA);
    return database;
  } catch (error) {
    throw new StoreUnavailableError(
      `The conversations in ${path} cannot be opened (${toError(error).message}). Check the file, or move it away to begin anew.`,
      { cause: error },
    );
  }
}

/** Milliseconds that a process waits for another one's write. */
const PATIENCE = 10_000;

const SCHEMA = `
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS steps (
  thread TEXT, namespace TEXT, id TEXT, parent TEXT,
  type TEXT, state BLOB, metadataType TEXT, metadata BLOB,
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

/** LangGraph asks for a class here; see `sqliteThreads`. */
class SqliteThreads extends BaseCheckpointSaver implements Threads {
  readonly #path: string;
  readonly #steps: number;
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
    this.#together(() => {
      if (said && messages) this.#record(thread, said, messages);
      this.#database
        .prepare("INSERT OR REPLACE INTO steps VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
        .run(thread, namespace, checkpoint.id, parent, type, state, metadataType, data);
      this.#dropOld(thread, namespace);
    });
    return { configurable: { thread_id: thread, checkpoint_ns: namespace, checkpoint_id: checkpoint.id } };
  }

  async putWrites({ configurable = {} }: RunnableConfig, writes: Writes, task: string): Promise<void> {
    const { thread_id: thread, checkpoint_ns: namespace = "", checkpoint_id: id } = configurable;
    const values = await Promise.all(writes.map(([, value]) => this.serde.dumpsTyped(value)));
    this.#together(() => {
      writes.forEach(([channel], i) => {
        const [type = "", value = new Uint8Array()] = values[i] ?? [];
        // What a task wrote stands; what became of it (an error, an interrupt, its resume) is replaced by the newest.
        const isOutcome = OUTCOMES.has(channel);
        this.#database
          .prepare(`INSERT OR ${isOutcome ? "REPLACE" : "IGNORE"} INTO writes VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
          .run(thread, namespace, id, task, isOutcome ? channel : `${i}`, channel, type, value);
      });
    });
  }

  async deleteThread(thread: string): Promise<void> {
    this.#together(() => {
      for (const table of ["steps", "writes", "said"])
        this.#database.prepare(`DELETE FROM ${table} WHERE thread = ?`).run(thread);
    });
  }

  async conversation(thread: string): Promise<BaseMessage[]> {
    const rows = this.#database.prepare("SELECT type, message FROM said WHERE thread = ? ORDER BY n").all(thread);
    return Promise.all(rows.map(({ type, message }) => this.#read(type, message)));
  }

  async threads(beginning = ""): Promise<string[]> {
    const rows = this.#database
      .prepare("SELECT thread FROM steps WHERE instr(thread, ?) = 1 GROUP BY thread ORDER BY max(id) DESC")
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
    const conditions = [...given.map(([name]) => `${name} = ?`), ...(before ? ["id < ?"] : [])];
    const where = conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : "";
    const values = [...given.map(([, value]) => `${value}`), ...(before ? [before] : [])];
    yield* this.#database.prepare(`SELECT * FROM steps ${where} ORDER BY id DESC LIMIT ?`).all(...values, limit);
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
    return this.serde.loadsTyped(`${type}`, value instanceof Uint8Array ? value : "");
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
    const nth = "SELECT id FROM steps WHERE thread = ? AND namespace = ? ORDER BY id DESC LIMIT 1 OFFSET ?";
    const oldest = this.#database.prepare(nth).get(thread, namespace, this.#steps);
    if (!oldest) return;
    for (const table of ["steps", "writes"])
      this.#database
        .prepare(`DELETE FROM ${table} WHERE thread = ? AND namespace = ? AND id <= ?`)
        .run(thread, namespace, `${oldest.id}`);
  }

  /** Does it all or nothing. Waits for a write of another process. */
  #together(work: () => void): void {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      work();
      this.#database.exec("COMMIT");
    } catch (error) {
      this.#database.exec("ROLLBACK");
      throw new StoreUnavailableError(
        `The conversations in ${this.#path} cannot be written (${toError(error).message}). Is the disk full?`,
        { cause: error },
      );
    }
  }
}

type Row = Record<string, SQLOutputValue>;

const OUTCOMES: ReadonlySet<string> = new Set(["__error__", "__scheduled__", "__interrupt__", "__resume__"]);
