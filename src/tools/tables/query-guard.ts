import type { DatabaseSync, StatementSync } from "node:sqlite";
import { TableQueryError, toError } from "../../errors.js";
import type { TableValue } from "../../types/table.js";

// What a query may do with the tables in a database of its own. See docs/table-guard.md.

/** A table as the database has it; `_row` is not among its columns. */
export interface Shape {
  name: string;
  columns: readonly { name: string; type: "TEXT" | "REAL" | "INTEGER" }[];
}

/** What a query reads of a table: names of columns, `_row` included. */
export interface Reads {
  table: string;
  columns: string[];
}

/** A query that may be run. */
interface Prepared {
  statement: StatementSync;
  reads: Reads[];
  /** Why it was stopped while it ran; empty if it was not. */
  refusal: () => string;
}

export interface QueryRows {
  columns: string[];
  rows: TableValue[][];
  isCut: boolean;
}

/** The functions that a query may call. None reads or writes anything, or makes a value much longer than its arguments. */
const TABLE_FUNCTIONS: readonly string[] = (
  "count sum total avg min max median percentile group_concat string_agg " +
  "abs round ceil ceiling floor trunc sign mod pow power sqrt exp ln log log2 log10 pi " +
  "coalesce ifnull nullif iif if typeof likely unlikely " +
  "lower upper trim ltrim rtrim substr substring replace instr length concat concat_ws like glob unicode char " +
  "date time datetime julianday unixepoch strftime timediff current_date current_time current_timestamp " +
  "row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value"
).split(" ");

/** What checking or running a query may take, beyond its tables: milliseconds of processor time, and bytes. */
export const QUERY_LIMITS = { ms: 1_500, memory: 180_000_000 };

/** What copying the tables may take. */
export const COPY_LIMITS = { ms: 10_000, memory: 800_000_000 };

/** The most rows of a result. */
const MOST_ROWS = 200;

/** The most characters of a result, as JSON. */
const MOST_CHARACTERS = 65_536;

/** Opens a database in memory with these tables, which are empty. @throws TableQueryError if they have too many columns. */
export function openTables(shapes: readonly Shape[]): DatabaseSync {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  const db = new DatabaseSync(":memory:");
  db.enableDefensive(true);
  for (const { name, columns } of shapes) {
    if (columns.length >= db.limits.column)
      throw new TableQueryError(`${name} has more columns than can be queried (${db.limits.column}).`, false);
    // Text is compared whatever its case: a query that asks for 'open' must not miss the cells "Open".
    const declared = columns.map((column) => `, ${quoted(column.name)} ${column.type}${NOCASE[column.type] ?? ""}`);
    db.exec(`CREATE TABLE ${quoted(name)} (_row INTEGER PRIMARY KEY${declared.join("")})`);
  }
  return db;
}

const NOCASE: Readonly<Record<string, string>> = { TEXT: " COLLATE NOCASE" };

/** Returns a function that adds a row to a table. */
export function adding(db: DatabaseSync, { name, columns }: Shape) {
  const names = ["_row", ...columns.map((column) => quoted(column.name))];
  const insert = db.prepare(`INSERT INTO ${quoted(name)} (${names}) VALUES (${names.map(() => "?")})`);
  return (row: number, values: readonly TableValue[]) => void insert.run(row, ...values);
}

/**
 * Closes a database to everything but SELECTs of its tables. Returns a function that prepares one.
 * @param shapes the tables, as errors describe them.
 */
export function guarded(db: DatabaseSync, shapes: readonly Shape[]) {
  // In memory, so that sorting writes no file; the process that it runs in ends if it takes too much.
  db.exec("PRAGMA query_only = 1; PRAGMA trusted_schema = 0; PRAGMA temp_store = 2");
  sumNumbersAlone(db, (why) => {
    refusal = why;
    throw new Error(why);
  });
  const all = shapes.reduce((sum, { columns }) => sum + columns.length + 1, 0);
  // A result may have all columns of all tables.
  Object.assign(db.limits, { ...LIMITS, column: Math.min(Math.max(64, all), db.limits.column) });
  const { constants } = process.getBuiltinModule("node:sqlite");
  const { SQLITE_OK, SQLITE_DENY, SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE } = constants;
  const known = new Map(shapes.map(({ name }) => [name.toLowerCase(), name]));
  const functions = new Set(TABLE_FUNCTIONS);
  const modules = new Set(
    db
      .prepare("SELECT name FROM pragma_module_list")
      .all()
      .map(({ name }) => name),
  );
  const isModule = (name: string) => modules.has(name) || /^(?:sqlite_|pragma_|jsonb?_(?:each|tree)$)/.test(name);
  let read = new Map<string, Set<string>>();
  let refusal = "";

  const refuse = (why: string) => {
    refusal ||= why;
    return SQLITE_DENY;
  };
  db.setAuthorizer((action, first, second, database, within) => {
    // Else the query could seem to read the table.
    if (known.has(within?.toLowerCase() ?? "")) return refuse(`WITH must not name a query like a table: ${within}.`);
    if (action === SQLITE_SELECT) return SQLITE_OK;
    if (action === SQLITE_READ) {
      const name = first?.toLowerCase() ?? "";
      const table = known.get(name);
      // A subquery by its name, of which nothing is read here.
      if (table === undefined && second === "" && database === null && !isModule(name)) return SQLITE_OK;
      if (table === undefined || (database !== null && database !== "main"))
        return refuse(`There is no table ${first}. ${tablesOf(shapes)}`);
      const columns = read.get(table) ?? new Set();
      read.set(table, second ? columns.add(second) : columns);
      return SQLITE_OK;
    }
    if (action === SQLITE_FUNCTION && functions.has(second?.toLowerCase() ?? "")) return SQLITE_OK;
    if (action === SQLITE_FUNCTION) return refuse(`The function ${second}() is not allowed. ${FUNCTIONS}`);
    if (action === SQLITE_RECURSIVE) return refuse("A recursive query is not allowed.");
    return refuse(ONE_SELECT);
  });

  return (sql: string): Prepared => {
    read = new Map();
    refusal = "";
    if (sql.length > LIMITS.sqlLength) throw new TableQueryError("The query is too long. Write a shorter one.", true);
    const text = withoutGap(sql.toWellFormed());
    if (!/^(?:select|with)\b/i.test(text)) throw new TableQueryError(ONE_SELECT, true);
    // The authorizer is not told of what they join. NATURAL JOIN would join the numbers of rows, too.
    if (/\b(?:natural|using)\b/i.test(text.replace(QUOTED, " ")))
      throw new TableQueryError("Write JOIN … ON a.x = b.x, without USING or NATURAL.", true);
    try {
      const statement = db.prepare(text);
      if (withoutGap(text.slice(statement.sourceSQL.length)) !== "") throw new TableQueryError(ONE_SELECT, true);
      if (read.size === 0) throw new TableQueryError(`The query reads no table. ${tablesOf(shapes)}`, true);
      statement.setReturnArrays(true);
      statement.setReadBigInts(true);
      const reads = shapes.flatMap(({ name }) => {
        const columns = read.get(name);
        return columns ? [{ table: name, columns: [...columns] }] : [];
      });
      return { statement, reads, refusal: () => refusal };
    } catch (error) {
      if (error instanceof TableQueryError) throw error;
      if (refusal !== "") throw new TableQueryError(refusal, true, { cause: error });
      const named = shapes.filter(({ name }) => text.toLowerCase().includes(name.toLowerCase()));
      throw inWords(error, { tables: tablesOf(shapes), columns: named.map(columnsOf).join(" ") });
    }
  };
}

/**
 * Makes sum(), total() and avg() refuse texts, of which SQLite would add up what looks like a number: 1.204 of "1.204,5".
 * @param refuse throws.
 */
function sumNumbersAlone(db: DatabaseSync, refuse: (why: string) => never): void {
  const results: Readonly<Record<string, (sum: Sum) => number | null>> = {
    sum: (sum) => (sum.count === 0 ? null : whole(sum)),
    total: whole,
    avg: (sum) => (sum.count === 0 ? null : whole(sum) / sum.count),
  };
  for (const [name, result] of Object.entries(results)) {
    const options = {
      deterministic: true,
      start: (): Sum => ({ sum: 0, lost: 0, count: 0 }),
      step: (to: Sum, value: unknown) => {
        if (value === null) return to;
        if (typeof value === "number") return add(to, value, 1);
        return refuse(`${name}() adds up numbers, and “${String(value).slice(0, 40)}” is a text.`);
      },
      inverse: (to: Sum, value: unknown) => (typeof value === "number" ? add(to, -value, -1) : to),
      result,
    };
    // The types do not know that the sum may be an object.
    db.aggregate(name, options as unknown as Parameters<DatabaseSync["aggregate"]>[1]);
  }
}

interface Sum {
  sum: number;
  lost: number;
  count: number;
}

/** Adds a number without losing a small one beside a large one, as SQLite does (Neumaier). */
function add(to: Sum, value: number, count: number): Sum {
  const sum = to.sum + value;
  to.lost += Math.abs(to.sum) >= Math.abs(value) ? to.sum - sum + value : value - sum + to.sum;
  to.sum = sum;
  to.count += count;
  return to;
}

const whole = ({ sum, lost }: Sum) => (Number.isFinite(lost) ? sum + lost : sum);

const ONE_SELECT = "Only one SELECT is allowed, and nothing else.";
const FUNCTIONS = `These are: ${TABLE_FUNCTIONS.join(", ")}. For decimals use round(x, 2).`;

const QUOTED = /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\//g;

/** What SQLite itself does not go beyond. Bytes for `length`. */
const LIMITS = {
  length: 1_048_576,
  sqlLength: 20_000,
  exprDepth: 100,
  compoundSelect: 20,
  vdbeOp: 20_000,
  functionArg: 16,
  attach: 0,
  likePatternLength: 200,
  variableNumber: 0,
  triggerDepth: 0,
};

/** Reads the rows of a result, as far as they are few and short enough. @throws TableQueryError */
export function rowsOf({ statement, refusal }: Pick<Prepared, "statement" | "refusal">): QueryRows {
  const columns = statement.columns().map(({ name }) => plainText(name));
  const rows: TableValue[][] = [];
  let left = MOST_CHARACTERS - JSON.stringify(columns).length;
  if (left < 0)
    throw new TableQueryError("The names of the columns are too long (64 KB). Ask for fewer columns.", true);
  try {
    for (const row of statement.iterate() as Iterable<unknown> as Iterable<unknown[]>) {
      if (rows.length === MOST_ROWS) return { columns, rows, isCut: true };
      const values = row.map(plain);
      left -= JSON.stringify(values).length;
      if (left < 0 && rows.length > 0) return { columns, rows, isCut: true };
      if (left < 0) throw new TableQueryError("A row of the result is too long (64 KB). Ask for fewer columns.", true);
      rows.push(values);
    }
  } catch (error) {
    if (error instanceof TableQueryError) throw error;
    throw refusal() === "" ? inWords(error) : new TableQueryError(refusal(), true, { cause: error });
  }
  return { columns, rows, isCut: false };
}

/** Reads the numbers of rows that a SELECT of `_row` returns, at most 200, and counts them all. */
export function numbersOf(statement: StatementSync): { rows: number[]; count: number } {
  const rows: number[] = [];
  let count = 0;
  for (const [number] of statement.iterate() as Iterable<unknown> as Iterable<unknown[]>) {
    if (typeof number !== "bigint") throw new TableQueryError("Not the number of a row.", false);
    if (count++ < MOST_ROWS) rows.push(Number(number));
  }
  return { rows, count };
}

/** Fractions have 15 digits, so that 0.1 + 0.2 is 0.3; longer whole numbers are text. What is infinite has no value. */
function plain(value: unknown): TableValue {
  if (Number.isSafeInteger(value)) return value as number;
  if (typeof value === "number") return Number.isFinite(value) ? Number(value.toPrecision(15)) : null;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === "string") return plainText(value);
  return value instanceof Uint8Array ? plainText(new TextDecoder().decode(value)) : null;
}

/** Without NUL, which Postgres cannot store. */
const plainText = (text: string) => text.replaceAll("\0", "\uFFFD").toWellFormed();

/** Returns an error of SQLite in words by which a model can repair the query. */
function inWords(error: unknown, there = { tables: "", columns: "" }): TableQueryError {
  const { message } = toError(error);
  const hint = [
    [/^no such table/, there.tables],
    [/^no such column/, there.columns],
    [/^no such function/, FUNCTIONS],
    [/^string or blob too big/, "A text became too long (1 MB)."],
    [/^out of memory/, "The query is too complex. Write a simpler one."],
  ] as const;
  const words = hint.find(([about]) => about.test(message))?.[1] ?? "";
  return new TableQueryError(`${message.slice(0, 300)}. ${words}`.trim(), true, { cause: error });
}

const tablesOf = (shapes: readonly Shape[]) =>
  `There are these tables: ${shapes.map(({ name }) => quoted(name)).join(", ")}.`;

function columnsOf({ name, columns }: Shape): string {
  const all = ["_row", ...columns.map((column) => quoted(column.name))].join(", ");
  return `${quoted(name)} has these columns: ${all.length > 1_000 ? `${all.slice(0, 1_000)} …` : `${all}.`}`;
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Leaves out what stands before the first word of SQL: spaces, comments and semicolons. */
function withoutGap(sql: string): string {
  let rest = sql;
  for (let before = ""; before !== rest; ) {
    before = rest;
    rest = rest.replace(/^(?:[\s;]+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))/, "");
  }
  return rest;
}
