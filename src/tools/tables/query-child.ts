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

/** `needs` has the columns of each table that are wanted, by their numbers; null for a table that is not. */
export type FromChild =
  | { error: string; repairable: boolean }
  | { needs: (number[] | null)[]; reads: Reads[] }
  | "running"
  | { result: QueryRows }
  | { extra: { rows: number[]; count: number } | null };

const watch = watchSelf(10);
let question: Extract<ToChild, { sql: string }>;
let db: DatabaseSync;
let needs: (string[] | null)[] = [];

process.on("message", (message: ToChild) => {
  try {
    if (message === "run") run();
    else if ("sql" in message) check(message);
    else add(message);
  } catch (error) {
    const repairable = error instanceof TableQueryError && error.repairable;
    say({ error: toError(error).message, repairable });
  }
});
// Not `exit`, which would wait.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));

/** Checks the query on empty tables, and asks for the columns that it and the extra queries read. */
function check(message: typeof question): void {
  question = message;
  const { sql, extra, shapes } = question;
  limitQuery();
  db = openTables(shapes);
  const prepare = guarded(db, shapes);
  const { reads } = prepare(sql);
  const all = [...reads, ...extra.flatMap((one) => orNull(() => prepare(one))?.reads ?? [])];
  needs = shapes.map(({ name, columns }) => {
    const wanted = all.filter(({ table }) => table === name);
    if (wanted.length === 0) return null;
    return columns.map((column) => column.name).filter((column) => wanted.some((one) => one.columns.includes(column)));
  });
  db.close();
  db = openTables(shapes);
  db.exec("BEGIN");
  adders = needs.map((columns, i) => (columns && shapes[i] ? adding(db, shapes[i].name, columns) : undefined));
  const numbers = needs.map(
    (columns, i) => columns?.map((name) => shapes[i]?.columns.findIndex((c) => c.name === name) ?? 0) ?? null,
  );
  say({ needs: numbers, reads });
  watch.limit(COPY_LIMITS);
}
let adders: (ReturnType<typeof adding> | undefined)[] = [];

function add({ table, first, count, columns }: Extract<ToChild, { table: number }>): void {
  const insert = adders[table];
  for (let i = 0; i < count; i++)
    insert?.(
      first + i,
      columns.map((values) => values[i] ?? null),
    );
}

function run(): void {
  const { sql, extra, shapes } = question;
  db.exec("COMMIT");
  const prepare = guarded(db, shapes);
  say("running");
  limitQuery();
  say({ result: rowsOf(prepare(sql).statement, shapes) });
  for (const one of extra) say({ extra: orNull(() => numbersOf(prepare(one).statement)) });
}

/** The tables do not count: a query may take as much memory again. */
const limitQuery = () => watch.limit({ ms: QUERY_LIMITS.ms, memory: process.memoryUsage.rss() + QUERY_LIMITS.memory });

function orNull<T>(make: () => T): T | null {
  try {
    return make();
  } catch {
    return null;
  }
}

const say = (reply: FromChild) => void process.send?.(reply);
