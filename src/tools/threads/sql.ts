import { deflateSync, inflateSync } from "node:zlib";
import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import {
  BaseCheckpointSaver,
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointTuple,
} from "@langchain/langgraph";
import { StoreUnavailableError } from "../../errors.js";
import { aCount, check, exactly } from "../../options.js";
import { aDatabase, type Database, type Row, type SqlQuery, type Value, type Writing } from "../store/port.js";
import { changedMessages, orderedWrites, type Threads, type ThreadsOptions } from "./port.js";

type Writes = Parameters<BaseCheckpointSaver["putWrites"]>[1];
type ListOptions = Parameters<BaseCheckpointSaver["list"]>[1];

/** Keeps threads in a database (`openDatabase`), which several processes may share. `close` closes the database. */
export function sqlThreads(database: Database, options: ThreadsOptions = {}): Threads {
  check(Given, { ...options, database });
  return new SqlThreads(database, options.steps ?? 20);
}

const Given = exactly({ database: aDatabase, steps: aCount(1).optional() });

/** LangGraph asks for a class here; see `sqlThreads`. */
class SqlThreads extends BaseCheckpointSaver implements Threads {
  readonly #database: Database;
  readonly #steps: number;
  readonly #writes = orderedWrites();

  constructor(database: Database, steps: number) {
    super();
    this.#database = database;
    this.#steps = steps;
  }

  async getTuple({ configurable = {} }: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { thread_id: thread, checkpoint_ns: namespace = "", checkpoint_id: id } = configurable;
    if (typeof thread !== "string") return undefined;
    await this.written(thread);
    const [row] = await this.#select({ thread, namespace, ...(id && { id }) }, "", 1);
    return row && this.#tuple(row);
  }

  async *list({ configurable = {} }: RunnableConfig, options: ListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const { thread_id: thread, checkpoint_ns: namespace, checkpoint_id: id } = configurable;
    const { before, filter = {}, limit = Number.POSITIVE_INFINITY } = options;
    let left = limit;
    for (const row of await this.#select({ thread, namespace, id }, before?.configurable?.checkpoint_id ?? "")) {
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
    const { id } = checkpoint;
    await this.#writes.add(thread, async () => {
      const [type, state] = await this.serde.dumpsTyped(checkpoint);
      const [metadataType, data] = await this.serde.dumpsTyped(metadata);
      const said = namespace === "" ? changedMessages(checkpoint, newVersions) : undefined;
      const messages = said && (await Promise.all(said.map((message) => this.serde.dumpsTyped(message))));
      await this.#database.write(async (to) => {
        await to.lock(`thread ${thread}`);
        if (said && messages) await record(to, thread, said, messages);
        const place = [thread, namespace, id];
        // Deleted first, so that the row is the newest: steps are ordered by writing, since ids depend on the clock.
        await to.all("DELETE FROM emend.steps WHERE thread = $1 AND namespace = $2 AND id = $3", place);
        await to.insert("emend.steps", [
          {
            thread,
            namespace,
            id,
            parent,
            type,
            state: small(state),
            metadata_type: metadataType,
            metadata: small(data),
            at: Date.now(),
          },
        ]);
        await dropOld(to, thread, namespace, this.#steps);
      });
    });
    return { configurable: { thread_id: thread, checkpoint_ns: namespace, checkpoint_id: id } };
  }

  async putWrites({ configurable = {} }: RunnableConfig, writes: Writes, task: string): Promise<void> {
    const { thread_id: thread, checkpoint_ns: namespace = "", checkpoint_id: id } = configurable;
    await this.#writes.add(thread, async () => {
      const values = await Promise.all(writes.map(([, value]) => this.serde.dumpsTyped(value)));
      await this.#database.write(async (to) => {
        for (const [i, [channel]] of writes.entries()) {
          const [type = "", value = new Uint8Array()] = values[i] ?? [];
          // The first write of a task is kept. Its outcome (an error, an interrupt, a resume) is replaced by the
          // newest.
          const isOutcome = OUTCOMES.has(channel);
          const row = { thread, namespace, id, task, slot: isOutcome ? channel : `${i}`, channel, type };
          await to.insert(
            "emend.writes",
            [{ ...row, value: small(value) }],
            `ON CONFLICT (thread, namespace, id, task, slot)
            DO ${isOutcome ? "UPDATE SET type = excluded.type, value = excluded.value" : "NOTHING"}`,
          );
        }
      });
    });
  }

  async written(thread: string): Promise<void> {
    await this.#writes.settled(thread);
  }

  async deleteThread(thread: string): Promise<void> {
    // A step that is written later would bring a part of the thread back. One that failed no longer matters.
    await this.written(thread).catch(() => {});
    if (await this.#database.exists()) await this.#database.write((to) => deleteThread(to, thread));
  }

  async deleteBefore(time: Date): Promise<number> {
    const old = "SELECT thread FROM emend.steps GROUP BY thread HAVING max(at) < $1 LIMIT 100";
    const values = [time.getTime()];
    let deleted = 0;
    // A few at a time, so that others can write in between.
    while ((await this.#all({ sql: old, values })).length > 0)
      deleted += await this.#database.write(async (to) => {
        // Selected again, since somebody may have continued one of them.
        const rows = await to.all(old, values);
        for (const { thread } of rows) await deleteThread(to, `${thread}`);
        return rows.length;
      });
    return deleted;
  }

  async conversation(thread: string): Promise<BaseMessage[]> {
    const sql = "SELECT type, message FROM emend.said WHERE thread = $1 ORDER BY place";
    const rows = await this.#all({ sql, values: [thread] });
    return Promise.all(rows.map(({ type, message }) => this.#read(type, message)));
  }

  async threads(beginning = ""): Promise<string[]> {
    const rows = await this.#all({
      sql: `SELECT thread FROM emend.steps WHERE substr(thread, 1, length(CAST($1 AS TEXT))) = $1
        GROUP BY thread ORDER BY max(n) DESC`,
      values: [beginning],
    });
    return rows.map(({ thread }) => `${thread}`);
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  async #all(query: SqlQuery): Promise<Row[]> {
    return (await this.#database.read([query]))[0] ?? [];
  }

  /** Selects steps, newest first. Undefined values are no conditions. */
  #select(wanted: Record<string, unknown>, before: string, limit?: number): Promise<Row[]> {
    const given = Object.entries(wanted).filter(([, value]) => typeof value === "string");
    const values: Value[] = given.map(([, value]) => `${value}`);
    const conditions = given.map(([name], i) => `${name} = $${i + 1}`);
    if (before !== "") {
      values.push(before);
      conditions.push(`n < (SELECT max(n) FROM emend.steps WHERE id = $${values.length})`);
    }
    const where = conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : "";
    const most = limit === undefined ? "" : `LIMIT ${limit}`;
    return this.#all({ sql: `SELECT * FROM emend.steps ${where} ORDER BY n DESC ${most}`, values });
  }

  async #tuple({ thread, namespace, id, parent, type, state, metadata_type, metadata }: Row): Promise<CheckpointTuple> {
    const place = (checkpoint: unknown) => ({
      configurable: { thread_id: thread, checkpoint_ns: namespace, checkpoint_id: checkpoint },
    });
    const written = await this.#all({
      sql: `SELECT task, channel, type, value FROM emend.writes
        WHERE thread = $1 AND namespace = $2 AND id = $3 ORDER BY n`,
      values: [`${thread}`, `${namespace}`, `${id}`],
    });
    return {
      config: place(id),
      checkpoint: await this.#read(type, state),
      metadata: await this.#read(metadata_type, metadata),
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

  #read(type: unknown, value: unknown) {
    return this.serde.loadsTyped(`${type}`, value instanceof Uint8Array ? whole(value) : "");
  }
}

/**
 * Writes messages to the conversation from the place of the first one on, or from the start if that message is new.
 * Messages that are already there are not written again.
 */
async function record(
  to: Writing,
  thread: string,
  said: readonly { id: string }[],
  messages: readonly [string, Uint8Array][],
): Promise<void> {
  const place = "SELECT place FROM emend.said WHERE thread = $1 AND id = $2";
  const [known] = await to.all(place, [thread, said[0]?.id ?? ""]);
  const first = Number(known?.place ?? 0);
  const last = first + messages.length;
  await to.all("DELETE FROM emend.said WHERE thread = $1 AND place >= $2", [thread, last]);
  await to.insert(
    "emend.said",
    messages.map(([type, message], i) => ({
      thread,
      place: first + i,
      id: said[i]?.id ?? "",
      type,
      message: small(message),
    })),
    `ON CONFLICT (thread, place) DO UPDATE SET id = excluded.id, type = excluded.type, message = excluded.message
    WHERE said.id <> excluded.id OR said.message <> excluded.message`,
  );
}

async function dropOld(to: Writing, thread: string, namespace: string, steps: number): Promise<void> {
  const old = await to.all(
    `SELECT id FROM emend.steps WHERE thread = $1 AND namespace = $2 AND n <= (
      SELECT n FROM emend.steps WHERE thread = $1 AND namespace = $2 ORDER BY n DESC LIMIT 1 OFFSET $3
    )`,
    [thread, namespace, steps],
  );
  for (const { id } of old)
    for (const table of ["steps", "writes"])
      await to.all(`DELETE FROM emend.${table} WHERE thread = $1 AND namespace = $2 AND id = $3`, [
        thread,
        namespace,
        `${id}`,
      ]);
}

async function deleteThread(to: Writing, thread: string): Promise<void> {
  for (const table of ["steps", "writes", "said", "runs", "feedback"])
    await to.all(`DELETE FROM emend.${table} WHERE thread = $1`, [thread]);
}

const OUTCOMES: ReadonlySet<string> = new Set(["__error__", "__scheduled__", "__interrupt__", "__resume__"]);

/** Compresses a value to a quarter, since states repeat passages and prompts. Zlib's format has a checksum. */
const small = (value: Uint8Array): Uint8Array => deflateSync(value);

function whole(value: Uint8Array): Uint8Array {
  try {
    return inflateSync(value);
  } catch (error) {
    throw new StoreUnavailableError(
      "This conversation is damaged in the store. Begin another one, or put a backup of the store in its place.",
      { cause: error },
    );
  }
}
