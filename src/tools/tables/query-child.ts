import type { DatabaseSync } from "node:sqlite";
import { TableQueryError, toError } from "../../errors.js";
import type { TableValue } from "../../types/table.js";
import { watchSelf } from "../process/watch.js";
import {
  adding,
  COPY_LIMITS,
  guarded,
  numbersOf,
  openTables,
  QUERY_LIMITS,
  type QueryRows,
  type Reads,
  rowsOf,
  type Shape,
} from "./query-guard.js";

// A child process that runs one query. First it checks the query on empty tables, then it gets the columns that the query
// needs. It ends if the query takes too much time or memory, or the parent is gone.

/** A question, then the rows of each table, then `run`. */
export type ToChild =
  | { sql: string; extra: readonly string[]; shapes: readonly Shape[] }
  | { table: number; first: number; count: number; columns: readonly (readonly TableValue[])[] }
  | "run";

/**
 * `running` is said before a query is checked and before it is run. `needs` has the places of the columns that are
 * wanted, by table; null for a table that is not.
 */
export type FromChild =
  | { error: string; repairable: boolean }
  | { needs: (number[] | null)[]; reads: Reads[] }
  | "running"
  | { result: QueryRows }
  | { extra: { rows: number[]; count: number } | null };

const watch = watchSelf(10);
let question: Extract<ToChild, { sql: string }>;
let db: DatabaseSync;
let adders: ReturnType<typeof adding>[] = [];

const say = (reply: FromChild) => void process.send?.(reply);

process.on("message", (message: ToChild) => {
  try {
    if (message === "run") run();
    else if ("sql" in message) check(message);
    else add(message);
  } catch (error) {
    say({ error: toError(error).message, repairable: error instanceof TableQueryError && error.repairable });
  }
});
// Not `exit`, which would wait.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
say("running");

/** Checks the query on empty tables, and asks for the columns that it and the extra queries read. */
function check(asked: typeof question): void {
  question = asked;
  const { sql, extra, shapes } = question;
  limitQuery();
  db = openTables(shapes);
  const prepare = guarded(db, shapes);
  const { reads } = prepare(sql);
  const all = [...reads, ...extra.flatMap((one) => orNull(() => prepare(one))?.reads ?? [])];
  db.close();
  const needs = shapes.map(({ name, columns }) => {
    const read = all.filter(({ table }) => table === name);
    if (read.length === 0) return null;
    const names = new Set(read.flatMap((one) => one.columns));
    return columns.flatMap((column, i) => (names.has(column.name) ? [i] : []));
  });
  // Without the other columns: one that were missed would be an error, not a column without values.
  const needed = shapes.map(({ name, columns }, i) => ({
    name,
    columns: columns.filter((_, at) => needs[i]?.includes(at)),
  }));
  db = openTables(needed);
  db.exec("BEGIN");
  adders = needed.map((shape) => adding(db, shape));
  watch.limit(COPY_LIMITS);
  say({ needs, reads });
}

function add({ table, first, count, columns }: Extract<ToChild, { table: number }>): void {
  const addRow = adders[table];
  for (let i = 0; i < count; i++) {
    const values = columns.map((column) => column[i] ?? null);
    addRow?.(first + i, values);
  }
}

function run(): void {
  const { sql, extra, shapes } = question;
  db.exec("COMMIT");
  const prepare = guarded(db, shapes);
  limitQuery();
  say("running");
  say({ result: rowsOf(prepare(sql)) });
  for (const one of extra) say({ extra: orNull(() => numbersOf(prepare(one).statement)) });
}

/** The process and the tables that it holds do not count. */
function limitQuery(): void {
  watch.limit({ ms: QUERY_LIMITS.ms, memory: process.memoryUsage.rss() + QUERY_LIMITS.memory });
}

function orNull<T>(make: () => T): T | null {
  try {
    return make();
  } catch {
    return null;
  }
}
