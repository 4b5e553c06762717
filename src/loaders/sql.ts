import { z } from "zod";
import { toError, UsageError } from "../errors.js";
import { check, exactly, type OptionsOf } from "../options.js";
import { withoutPassword } from "../text/address.js";
import { digestOf } from "../text/digest.js";
import { isDatabase } from "../tools/store/settings.js";
import { aReader, type Reader } from "../types/reader.js";
import { unlessAborted } from "../waiting.js";
import type { Connector, Listed } from "./port.js";

export interface SqlOptions {
  /** The address of a Postgres database, such as `postgres://user:password@host:5432/name`, or the path of a SQLite file. */
  database: string;
  /**
   * A SELECT whose rows are documents. The columns `id` and `text` must be there; `title`, `url`, `changed_at` and `readers`
   * may be, and all others become metadata. `readers` is a list, in Postgres an array and else JSON, such as
   * `["group:hr", "user:ada@example.org"]`.
   */
  query: string;
}

const Given = exactly({ database: z.string().min(1), query: z.string().min(1) } satisfies OptionsOf<SqlOptions>);

/**
 * The rows of a query to Postgres or SQLite, each of which is a document in Markdown. The query can only read.
 * @throws UsageError if an option is wrong.
 */
export function sql(options: SqlOptions): Connector {
  check(Given, options);
  const query = options.query.trim().replace(/;$/, "");
  const open = isDatabase(options.database) ? postgres(options.database) : sqlite(options.database);
  /** The texts that were listed last, since most are read soon. */
  const texts = new Map<string, string>();
  let room = MOST_KEPT;

  function keep(id: string, text: string): void {
    texts.set(id, text);
    room -= text.length;
    for (const [oldest, { length }] of texts) {
      if (room >= 0) return;
      texts.delete(oldest);
      room += length;
    }
  }

  return {
    async *list({ signal }) {
      const seen = new Set<string>();
      for await (const row of open.rows(query, signal)) {
        const { listed, text } = documentIn(row);
        if (seen.has(listed.id))
          throw new Error(`Two rows have the id ${listed.id.slice(0, 80)}. Select an id of its own for each.`);
        seen.add(listed.id);
        keep(listed.id, text);
        yield listed;
      }
    },
    async read({ id }, { signal }) {
      signal.throwIfAborted();
      let text = texts.get(id);
      if (text === undefined) {
        const row = await open.row(`SELECT * FROM (${query}\n) AS documents WHERE CAST(id AS TEXT) =`, id, signal);
        text = row && documentIn(row).text;
      } else {
        texts.delete(id);
        room += text.length;
      }
      return text?.trim() ? { text } : undefined;
    },
  };
}

/** In characters. */
const MOST_KEPT = 50_000_000;

type Row = Readonly<Record<string, unknown>>;

/** A database that is only read. */
interface Database {
  /** Runs a query and gives its rows as they come. */
  rows(query: string, signal: AbortSignal): AsyncIterable<Row>;
  /** Returns the row for which a query that ends in `=` finds the value. */
  row(query: string, value: string, signal: AbortSignal): Promise<Row | undefined>;
}

function postgres(address: string): Database {
  if (!URL.canParse(address))
    throw new UsageError(
      "The database must be an address such as postgres://user:password@host:5432/name; write special characters in the password as %23 and so on.",
    );

  async function* rows(query: string, signal: AbortSignal, values: string[] = []): AsyncGenerator<Row> {
    signal.throwIfAborted();
    const { default: pg } = await import("pg");
    const client = new pg.Client({
      connectionString: address,
      connectionTimeoutMillis: TIME_TO_CONNECT,
      application_name: "emend",
      // A date has no time, and so no time zone to convert it from.
      types: { getTypeParser: (id, format) => (id === DATE ? String : pg.types.getTypeParser(id, format)) },
    });
    // The next query fails if the connection ends. An unhandled event would end the program.
    client.on("error", () => {});
    const run = async (text: string, values: string[] = []): Promise<readonly Row[]> => {
      // Extended: one statement, so that nothing after it can leave the transaction.
      const statement = { text, values, queryMode: "extended" };
      return (await unlessAborted(client.query<Record<string, unknown>>(statement), signal)).rows;
    };
    let isOpen = false;
    try {
      await unlessAborted(client.connect(), signal);
      isOpen = true;
      await run("BEGIN READ ONLY");
      if (values.length > 0) return yield* await run(query, values);
      await run(`DECLARE documents NO SCROLL CURSOR FOR ${query}`);
      for (;;) {
        const some = await run(`FETCH ${AT_ONCE} FROM documents`);
        yield* some;
        if (some.length < AT_ONCE) return;
      }
    } catch (error) {
      signal.throwIfAborted();
      throw failure(withoutPassword(address), error, isOpen);
    } finally {
      // A query that runs on after an abort would be waited for.
      const ended = client.end().catch(() => {});
      if (!signal.aborted) await ended;
    }
  }

  return {
    rows,
    async row(query, value, signal) {
      for await (const row of rows(`${query} $1`, signal, [value])) return row;
      return undefined;
    },
  };
}

/** In milliseconds. */
const TIME_TO_CONNECT = 10_000;
/** Rows. */
const AT_ONCE = 200;
const DATE = 1082;

function sqlite(path: string): Database {
  async function* rows(query: string, signal: AbortSignal, values: string[] = []): AsyncGenerator<Row> {
    signal.throwIfAborted();
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    let database: InstanceType<typeof DatabaseSync> | undefined;
    try {
      database = new DatabaseSync(path, { readOnly: true });
      const statement = database.prepare(query);
      statement.setReadBigInts(true);
      for (const row of statement.iterate(...values)) {
        yield row;
        signal.throwIfAborted();
      }
    } catch (error) {
      signal.throwIfAborted();
      throw failure(path, error, database !== undefined);
    } finally {
      database?.close();
    }
  }

  return {
    rows,
    async row(query, value, signal) {
      for await (const row of rows(`${query} ?`, signal, [value])) return row;
      return undefined;
    },
  };
}

const failure = (name: string, error: unknown, isOpen: boolean) =>
  new Error(
    isOpen
      ? `The database ${name} does not answer the query: ${toError(error).message}. Check the query and what its user may read.`
      : `The database ${name} cannot be opened: ${toError(error).message}. Check \`database\`.`,
  );

function documentIn(row: Row): { listed: Listed; text: string } {
  const { id, text, title, url, changed_at, readers, ...rest } = row;
  const named = metadataValue(id);
  if (named === undefined || Array.isArray(named) || `${named}`.trim() === "")
    throw new Error("A row has no id. Select an id for each, under that name.");
  if (!("text" in row)) throw new Error("The query has no column named text. Select one.");
  const content = typeof text === "string" ? text : "";
  const heading = typeof title === "string" ? title : undefined;
  const link = typeof url === "string" && /^https?:\/\//i.test(url) ? url : undefined;
  return {
    text: content,
    listed: {
      id: `${named}`,
      version: digestOf([heading, content]),
      title: heading,
      url: link,
      changedAt: timeOf(changed_at),
      readers: "readers" in row ? readersIn(readers) : undefined,
      metadata: Object.fromEntries(
        Object.entries(rest).flatMap(([key, given]) => {
          const value = metadataValue(given);
          return value === undefined ? [] : [[key, value]];
        }),
      ),
    },
  };
}

/** Returns what metadata can hold: not bytes, and nothing that is nested. */
function metadataValue(given: unknown): string | number | string[] | undefined {
  if (Array.isArray(given)) return given.flatMap((one) => metadataValue(one) ?? []).map(String);
  if (given instanceof Date) return given.toISOString();
  if (typeof given === "bigint" || typeof given === "boolean") return String(given);
  return typeof given === "string" || typeof given === "number" ? given : undefined;
}

function timeOf(given: unknown): string | undefined {
  const time = new Date(given instanceof Date ? given : typeof given === "string" ? given : Number.NaN);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** NULL is nobody, so that no other setting lets more people read. */
function readersIn(given: unknown): Reader[] {
  const { data, error } = z.array(aReader).safeParse(typeof given === "string" ? listIn(given) : (given ?? []));
  if (error)
    throw new Error('The column readers must be a list of everyone, user:NAME and group:NAME, such as ["group:hr"].');
  return data;
}

function listIn(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
