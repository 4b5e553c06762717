import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import type { RunnableConfig } from "@langchain/core/runnables";
import {
  BaseCheckpointSaver,
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointTuple,
} from "@langchain/langgraph";
import { StoreUnavailableError, toError } from "../../errors.js";

type Writes = Parameters<BaseCheckpointSaver["putWrites"]>[1];
type ListOptions = Parameters<BaseCheckpointSaver["list"]>[1];

/**
 * Keeps threads in one SQLite file, by Node's own SQLite: conversations outlive the program, and several processes of one
 * machine may share the file. Every step is durable when LangGraph goes on to the next. Of each thread the newest steps are
 * kept; with them the newest state, which holds the whole conversation.
 * @param path the file, opened on first use; its folder is made. ":memory:" keeps nothing.
 * @param steps how many steps of a thread are kept. Default 100, some ten questions.
 * @throws StoreUnavailableError on first use, if the file cannot be opened or is no database.
 */
export const sqliteThreads = (path: string, { steps = 100 }: { steps?: number } = {}): SqliteThreads =>
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
);`;

/** LangGraph asks for a class here; see `sqliteThreads`. */
class SqliteThreads extends BaseCheckpointSaver {
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
  ): Promise<RunnableConfig> {
    const { thread_id: thread, checkpoint_ns: namespace = "", checkpoint_id: parent = null } = configurable;
    const [type, state] = await this.serde.dumpsTyped(checkpoint);
    const [metadataType, data] = await this.serde.dumpsTyped(metadata);
    this.#together(() => {
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
      for (const table of ["steps", "writes"])
        this.#database.prepare(`DELETE FROM ${table} WHERE thread = ?`).run(thread);
    });
  }

  /** Returns the threads, the one with the newest step first. */
  threads(): string[] {
    const rows = this.#database.prepare("SELECT thread FROM steps GROUP BY thread ORDER BY max(id) DESC").all();
    return rows.map(({ thread }) => `${thread}`);
  }

  close(): void {
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
      throw error;
    }
  }
}

export type { SqliteThreads };

type Row = Record<string, SQLOutputValue>;

const OUTCOMES: ReadonlySet<string> = new Set(["__error__", "__scheduled__", "__interrupt__", "__resume__"]);
