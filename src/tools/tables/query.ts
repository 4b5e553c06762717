import type { ChildProcess } from "node:child_process";
import { TableQueryError } from "../../errors.js";
import type { NamedTable } from "../../tables/named-tables.js";
import { textAsNumber } from "../../tables/text-as-number.js";
import type { ColumnType, Table, TableValue } from "../../types/table.js";
import { gate } from "../../waiting.js";
import { isOfMemory, moduleAt, startModule } from "../process/own-process.js";
import type { FromChild, ToChild } from "./query-child.js";
import { COPY_LIMITS, QUERY_LIMITS, type QueryRows, type Reads, type Shape } from "./query-guard.js";

export type { Reads } from "./query-guard.js";

/** The result of a query: at most 200 rows and 64 KB. Values are plain JSON. */
export interface TableQueryResult extends QueryRows {
  /** What the query reads, by the names of `namedTables`, in the order of the tables. */
  reads: Reads[];
  /** By extra query: the numbers of its rows, at most 200, and how many there are; undefined if it failed. */
  extra: ({ rows: number[]; count: number } | undefined)[];
}

/** Returns why no table can be queried here, and what to do; empty if tables can be queried. */
export function tablesCanBeQueried(): string {
  const sqlite = process.getBuiltinModule("node:sqlite") as typeof import("node:sqlite") | undefined;
  const db = sqlite && new sqlite.DatabaseSync(":memory:");
  const isGuarded = db && "setAuthorizer" in db && "enableDefensive" in db && "limits" in db;
  db?.close();
  if (isGuarded) return "";
  return `Tables cannot be queried on Node ${process.versions.node}, which cannot limit what a query does. Install Node 24.15 or newer.`;
}

/**
 * Runs one SELECT of SQLite on copies of these tables and nothing else, in a process of its own. See docs/table-guard.md.
 * Two queries run at a time; others wait.
 * @param options.extra SELECTs of one table's `_row` each, for the rows that the result rests on.
 * @throws TableQueryError if the query is refused, fails, or takes more than 1.5 s or 180 MB; or the signal's reason.
 */
export async function queryTables(
  sql: string,
  tables: readonly NamedTable<Table>[],
  { extra = [], signal }: { extra?: readonly string[]; signal?: AbortSignal | undefined } = {},
): Promise<TableQueryResult> {
  const why = tablesCanBeQueried();
  if (why !== "") throw new TableQueryError(why, false);
  const fault = textAsNumber(sql, tables);
  if (fault !== "") throw new TableQueryError(fault, true);
  return await turns.through(signal, () => askProcess(started(), sql, tables, { extra, signal }));
}

/** Never called: file tracing (Next.js, Vercel) finds by it what the child imports. */
queryTables.traced = () => import("./query-child.js");

/** The more run, the more memory they take. */
const turns = gate(2);

/** Milliseconds for a process to start, even on a busy machine. */
const STARTING = 60_000;

const SLOW = { why: "it took too long to start. Try again when the machine is less busy." };

/** Milliseconds that a query may take by the clock, where its processor time does not count. */
const RUNNING = QUERY_LIMITS.ms + 500;

function started(): ChildProcess {
  return startModule(moduleAt(new URL("./query-child.js", import.meta.url)), {
    flags: [`--max-old-space-size=${COPY_LIMITS.memory / 1_000_000}`],
  });
}

/** Has a process (`query-child.ts`) run a query, and ends it. As `queryTables`. */
export async function askProcess(
  child: ChildProcess,
  sql: string,
  tables: readonly NamedTable<Table>[],
  { extra, signal }: { extra: readonly string[]; signal?: AbortSignal | undefined },
): Promise<TableQueryResult> {
  const { promise, resolve, reject } = Promise.withResolvers<TableQueryResult>();
  let during: Phase = "start";
  let reads: Reads[] = [];
  let result: TableQueryResult | undefined;
  let timer: NodeJS.Timeout | undefined;
  let since = 0;
  const enter = (next: Phase, ms: number) => {
    during = next;
    since = performance.now();
    clearTimeout(timer);
    timer = setTimeout(() => end(next === "start" ? SLOW : "time"), ms);
  };
  /** What was found before an extra query took too much is kept. */
  const end = (over: Over) => {
    if (result) resolve({ ...result, extra: extra.map((_, i) => result?.extra[i]) });
    else reject(endedFor(over, during));
  };
  const send = (message: ToChild) =>
    new Promise<void>((sent, failed) => child.send(message, (error) => (error ? failed(error) : sent())));
  const copy = async (needs: readonly (readonly number[] | null)[]) => {
    for (const message of copies(tables, needs)) await send(message);
    await send("run");
  };
  const heard = (reply: FromChild) => {
    if (reply === "running") enter("run", RUNNING);
    else if ("error" in reply) reject(new TableQueryError(reply.error, reply.repairable));
    else if ("needs" in reply) {
      enter("copy", COPY_LIMITS.ms);
      reads = reply.reads;
      copy(reply.needs).catch(ignored);
    } else {
      if ("result" in reply) result = { ...reply.result, reads, extra: [] };
      else result?.extra.push(reply.extra ?? undefined);
      if (result?.extra.length === extra.length) resolve(result);
    }
  };
  const aborted = () => reject(signal?.reason);
  signal?.addEventListener("abort", aborted);
  child.on("message", heard);
  child.on("error", ({ message }) => end({ why: message }));
  child.on("exit", (code, by) => {
    const over = overBy(code, by, performance.now() - since);
    // What it sent before may not have been read yet.
    if (child.connected) child.once("disconnect", () => end(over));
    else end(over);
  });
  enter("start", STARTING);
  // A process that is gone is heard of by its exit.
  send({ sql, extra, shapes: tables.map(shapeOf) }).catch(ignored);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", aborted);
    child.kill("SIGKILL");
  }
}

const ignored = () => {};

/** What a process was doing: starting, copying the tables, checking or running the query. */
type Phase = "start" | "copy" | "run";

/** What ended a process: a limit, or something else in words. */
type Over = "time" | "memory" | { why: string };

/** @param ms how long it had been doing what it did. */
function overBy(code: number | null, by: NodeJS.Signals | null, ms: number): Over {
  if (by === "SIGTERM") return "time";
  if (isOfMemory(by)) return "memory";
  // Windows has no signals.
  if (process.platform === "win32") return ms > QUERY_LIMITS.ms ? "time" : "memory";
  return { why: `it ended with code ${code ?? by}.` };
}

function endedFor(over: Over, during: Phase): TableQueryError {
  if (typeof over === "object")
    return new TableQueryError(`The process that queries tables failed: ${over.why}`, false);
  const { ms, memory } = during === "copy" ? COPY_LIMITS : QUERY_LIMITS;
  const limit = over === "time" ? `${ms / 1_000} s` : `${memory / 1_000_000} MB of memory`;
  if (during === "copy")
    return new TableQueryError(`Copying the tables took more than ${limit} and was stopped. Read fewer columns.`, true);
  return new TableQueryError(
    `The query took more than ${limit} and was stopped. Join tables on equal columns, and read fewer rows.`,
    true,
  );
}

const shapeOf = ({ name, columns }: NamedTable): Shape => ({
  name,
  columns: columns.flatMap(({ value, written, type }) => [
    { name: value, type: SQL_TYPE[type] },
    ...(written === undefined ? [] : [{ name: written, type: "TEXT" as const }]),
  ]),
});

const SQL_TYPE: Readonly<Record<ColumnType, Shape["columns"][number]["type"]>> = {
  text: "TEXT",
  date: "TEXT",
  number: "REAL",
  share: "REAL",
  money: "REAL",
  duration: "REAL",
  "yes/no": "INTEGER",
};

/** Rows that are sent at once: the program goes on in between. */
const CHUNK = 5_000;

/** The columns that are needed, some rows at a time. */
function* copies(
  tables: readonly NamedTable<Table>[],
  needs: readonly (readonly number[] | null)[],
): Generator<ToChild> {
  for (const [at, { columns, table }] of tables.entries()) {
    const needed = needs[at];
    if (!needed) continue;
    const from = columns.flatMap(({ written }, i) => [
      (row: number): TableValue => table.values[row]?.[i] ?? null,
      ...(written === undefined ? [] : [(row: number): TableValue => table.cells[row]?.[i] ?? null]),
    ]);
    for (let first = 0; first < table.values.length; first += CHUNK) {
      const rows = Array.from({ length: Math.min(CHUNK, table.values.length - first) }, (_, i) => first + i);
      yield {
        table: at,
        first: first + 1,
        count: rows.length,
        columns: needed.map((column) => rows.map((row) => from[column]?.(row) ?? null)),
      };
    }
  }
}
