import { type Expression, everyPart, type Place, type Query, readSql, type Select } from "./clauses.js";
import { type NamedTable, ROW } from "./named-tables.js";
import {
  aggregatesIn,
  type Call,
  expressionsOf,
  isAlone,
  isNamed,
  itemOf,
  type Known,
  knownIn,
  meaningOf,
  type Scope,
  scopeOf,
  type Tables,
  tablesOf,
} from "./scope.js";

/** How the rows of a table are found that a result rests on. */
export interface RowsQuery {
  /** Its index among the tables. */
  table: number;
  /** Gives the numbers of the rows in one column, in their order and each once, without a limit. */
  sql: string;
  /**
   * Columns that the query computes, sorts or compares: `sql` gives the numbers of the rows that it leaves out there only
   * since their value is null. Empty if that cannot be told.
   */
  unread: { column: number; sql: string }[];
}

/**
 * Returns queries for the rows that the result of a query rests on, for each table of which they can be told:
 * - those that WHERE leaves and, for functions of a value such as `sum(x)`, that have one;
 * - for `max(x)` and `min(x)`, only those with that value;
 * - under LIMIT or HAVING, only the rows, and those of the groups, that are shown.
 * Conditions in functions, such as `count(*) FILTER (…)`, choose no rows. Tables that only a query in brackets reads are
 * included if it could be run alone.
 */
export function rowsQueries(sql: string, named: readonly NamedTable[]): RowsQuery[] {
  const query = readSql(sql);
  if (!query) return [];
  const tables = tablesOf(named);
  const found = tracer(sql, tables).rowsOf(query, new Map());
  const before = query.withPlace ? `${textOf(sql, query.withPlace)} ` : "";
  return [...found].flatMap(([table, parts]) => {
    const rows = parts.join(" UNION ALL ");
    const whole = `${before}SELECT DISTINCT ${quoted(ROW)} FROM (${rows}) WHERE ${quoted(ROW)} IS NOT NULL ORDER BY 1`;
    return whole.length > MAX_LENGTH ? [] : [{ table, sql: whole, unread: unreadIn(sql, query, table, tables) }];
  });
}

const MAX_LENGTH = 20_000;
/** How many queries within a query are followed. */
const MAX_QUERIES = 20;
const MAX_LINEAGES = 20;

/**
 * The rows behind each row of a query. Columns that are added to the query hold their numbers, or what tells its group.
 */
type Lineage =
  | { columns: string[]; table: number }
  /** The query `rows` has a column for each of them that has to be equal: all of the `keys` first, and one of the others. */
  | { columns: string[]; rows: string; equals: string[]; keys: number; behind: Lineage[] };

/** A query with the columns of its lineages. */
interface Traced {
  sql: string;
  lineages: Lineage[];
}

/** SELECTs of row numbers, by table. */
type Rows = Map<number, string[]>;

function tracer(sql: string, tables: Tables) {
  let columns = 0;
  let queries = 0;
  const column = () => quoted(`${ROW} ${++columns}`);
  const text = (place: Place) => textOf(sql, place);

  function rowsOf(query: Query, known: Known): Rows {
    const rows: Rows = new Map();
    const within = knownIn(query, known);
    for (const select of query.selects) {
      const traced = trace(query, select, within, rows);
      const { sql: shown, lineages } = traced?.all ?? traced ?? { sql: "", lineages: [] };
      for (const lineage of lineages) follow(lineage, shown, rows);
    }
    const others: Rows = new Map();
    for (const select of query.selects)
      for (const expression of [...expressionsOf(select), ...query.orderBy.map(({ by }) => by)])
        for (const part of everyPart(expression))
          if (part.kind === "query" && canStand(part.query, within)) merge(rowsOf(part.query, within), others);
    for (const [table, parts] of others) if (!rows.has(table)) rows.set(table, parts);
    return rows;
  }

  /** Common table expressions within a query would be missing where a part of it is moved. */
  const canStand = (query: Query, known: Known) => query.with.length === 0 && isAlone(query, known, tables);

  /**
   * Undefined if the rows behind a SELECT cannot be told. `all` selects them where the result shows every group. Rows of
   * queries in FROM that can only be told alone go to `rows`.
   */
  function trace(query: Query, select: Select, known: Known, rows: Rows): (Traced & { all?: Traced }) | undefined {
    const scope = ++queries > MAX_QUERIES ? undefined : scopeOf(select, known, tables);
    if (!scope) return undefined;
    const calls = select.items.flatMap(({ expression }) => aggregatesIn(expression));
    const later = [...query.orderBy.map(({ by }) => by), select.having].flatMap(aggregatesIn);
    const isGrouped = select.groupBy.length > 0 || calls.length > 0 || later.length > 0;
    // SQLite lets WHERE name items, which are not selected with the rows behind groups.
    if (isGrouped && select.where && !isNamed(select.where, scope)) return undefined;
    if (!isGrouped && select.items.some(({ expression }) => expression && isUnclear(expression))) return undefined;

    const from = traceFrom(select, scope, rows);
    if (from.lineages.length > MAX_LINEAGES) return undefined;
    const behind = from.lineages.map((lineage) => ({
      ...lineage,
      columns: lineage.columns.map(column),
    }));
    const tags = from.lineages.flatMap((lineage, i) =>
      lineage.columns.map((written, j) => `${written} AS ${behind[i]?.columns[j]}`),
    );
    const isOne = query.selects.length === 1;
    const selected = (added: readonly string[]) =>
      [
        `SELECT ${select.isDistinct ? "DISTINCT " : ""}${[text(select.list), ...added].join(", ")}`,
        from.text,
        select.where ? `WHERE ${text(select.where)}` : "",
        select.grouping ? text(select.grouping) : "",
        isOne && query.tail ? text(query.tail) : "",
      ].join(" ");
    if (!isGrouped && !select.isDistinct) return { sql: selected(tags), lineages: behind };

    const isCut = isOne && query.limit !== undefined;
    const groups = isGrouped ? keysOf(select, scope) : valuesOf(select);
    const canTell = groups !== undefined && !(isGrouped && select.isDistinct && isCut);
    const keys = canTell ? groups : [];
    const computed = calls.length > 0 ? calls : later;
    const extremes = canTell && computed.every(isExtreme) ? computed : [];
    const equals = [...keys, ...extremes.flatMap(({ of }) => of)].map((each) => [text(each), column()]);
    const added = [...keys, ...extremes].map((each) => [text(each), column()]);
    const conditions = [select.where && text(select.where), withValue(computed)].filter(Boolean);
    const found = [
      `SELECT ${[...tags, ...equals.map((each) => each.join(" AS ")), "1"].join(", ")}`,
      from.text,
      conditions.length > 0 ? `WHERE (${conditions.join(") AND (")})` : "",
    ].join(" ");
    const lineage: Lineage = {
      columns: added.map(([, name = ""]) => name),
      rows: found,
      equals: equals.map(([, name = ""]) => name),
      keys: keys.length,
      behind,
    };
    return {
      sql: selected(added.map((each) => each.join(" AS "))),
      lineages: [lineage],
      ...(!isCut && !select.having && extremes.length === 0 && { all: { sql: found, lineages: behind } }),
    };
  }

  /** FROM, with the columns of the lineages in its queries, and these lineages as the SELECT can name them. */
  function traceFrom(select: Select, scope: Scope, rows: Rows): { text: string; lineages: Lineage[] } {
    if (!select.from) return { text: "", lineages: [] };
    const lineages: Lineage[] = [];
    let written = "FROM ";
    let at = select.from.start;
    for (const [i, source] of scope.sources.entries()) {
      const place = select.sources[i];
      const alias = quoted(source.name);
      if (source.table !== undefined) lineages.push({ columns: [`${alias}.${quoted(ROW)}`], table: source.table });
      if (!source.query || !place) continue;
      const known = source.known ?? scope.known;
      const [only, ...more] = source.query.selects;
      const canTrace = more.length === 0 && source.query.with.length === 0 && !source.columns;
      const traced = canTrace ? trace(source.query, only, known, rows) : undefined;
      if (traced) {
        for (const lineage of traced.lineages)
          lineages.push({ ...lineage, columns: lineage.columns.map((name) => `${alias}.${name}`) });
        written += `${sql.slice(at, place.start)}(${traced.sql}) AS ${alias}`;
        at = place.end;
      } else if (canStand(source.query, known)) merge(rowsOf(source.query, known), rows);
    }
    return { text: written + sql.slice(at, select.from.end), lineages };
  }

  const withValue = (computed: readonly Call[]): string =>
    computed.some(({ isWhole, filter, of }) => isWhole || filter || of.some(isConditional))
      ? ""
      : computed.flatMap(({ of: [value] }) => (value ? `(${text(value)}) IS NOT NULL` : [])).join(" OR ");

  return { rowsOf };
}

function follow(lineage: Lineage, shown: string, rows: Rows): void {
  if ("table" in lineage) {
    merge(new Map([[lineage.table, [`SELECT ${lineage.columns[0]} AS ${quoted(ROW)} FROM (${shown})`]]]), rows);
    return;
  }
  const equal = lineage.columns.map((column, i) => `r.${lineage.equals[i]} IS g.${column}`);
  const [keys, extremes] = [equal.slice(0, lineage.keys), equal.slice(lineage.keys)];
  const on = [...keys, ...(extremes.length > 0 ? [`(${extremes.join(" OR ")})`] : [])].join(" AND ");
  const joined = `SELECT r.* FROM (${lineage.rows}) AS r JOIN (${shown}) AS g${on ? ` ON ${on}` : ""}`;
  for (const behind of lineage.behind) follow(behind, joined, rows);
}

function merge(from: Rows, into: Rows): void {
  for (const [table, parts] of from) into.set(table, [...(into.get(table) ?? []), ...parts]);
}

/** What tells the groups apart. Undefined if it cannot be named where the rows are selected. */
function keysOf(select: Select, scope: Scope): Expression[] | undefined {
  const keys = select.groupBy.map((key) => {
    const meant = itemOf(key, select, scope, false);
    const isTold = !isUnclear(meant) && aggregatesIn(meant).length === 0 && isNamed(meant, scope);
    return isTold ? meant : undefined;
  });
  return keys.every((key) => key !== undefined) ? keys : undefined;
}

const valuesOf = (select: Select): Expression[] | undefined => {
  const values = select.items.map(({ expression }) => expression);
  return values.every((value) => value !== undefined) ? values : undefined;
};

const isExtreme = ({ name, filter }: Call) => (name === "min" || name === "max") && !filter;

const isUnclear = (expression: Expression) => [...everyPart(expression)].some(({ kind }) => kind === "unknown");

const CONDITIONS = /^(?:case|unknown|and|or|not|like|glob|in|between)$/;
const isComparison = (part: Expression) => part.kind === "binary" && /[=<>]|is/.test(part.op);

/** True for a value that depends on a condition, and so tells nothing about its row. */
const isConditional = (expression: Expression) =>
  [...everyPart(expression)].some(
    (part) => CONDITIONS.test(part.kind) || isComparison(part) || (part.kind === "call" && /^i?if$/.test(part.name)),
  );

function unreadIn(sql: string, query: Query, table: number, tables: Tables): RowsQuery["unread"] {
  const [select, ...others] = query.selects;
  const scope = scopeOf(select, knownIn(query, new Map()), tables);
  if (!scope || others.length > 0 || !select.from || scope.sources.some((source) => source.table === undefined))
    return [];
  const { where } = select;
  const { sources } = scope;
  const before = query.withPlace ? `${textOf(sql, query.withPlace)} ` : "";
  const conditions = where?.kind === "and" ? where.of : where ? [where] : [];
  const cells = (expression: Expression) =>
    [...everyPart(expression)].flatMap((part) => {
      const meaning = part.kind === "column" ? meaningOf(part, scope) : undefined;
      return meaning?.kind === "cell" && meaning.table === table && !meaning.isWritten ? [meaning] : [];
    });
  const computed = [
    ...select.items.map(({ expression }) => expression),
    select.having,
    ...query.orderBy.map(({ by }) => by),
  ]
    .flatMap(aggregatesIn)
    .filter(({ filter, of }) => !filter && !of.some(isConditional))
    .flatMap(({ of }) => of);
  const sorted = query.limit ? query.orderBy.map(({ by }) => by) : [];
  const isTyped = (column: number) => tables.named[table]?.columns[column]?.type !== "text";
  const read = [
    ...[...computed, ...sorted].flatMap(cells),
    ...conditions.flatMap(cells).filter(({ column }) => isTyped(column)),
  ];
  const seen = new Set<string>();
  return read.flatMap(({ source, column }) => {
    const name = `${quoted(sources[source]?.name ?? "")}.${quoted(tables.named[table]?.columns[column]?.value ?? "")}`;
    const row = `${quoted(sources[source]?.name ?? "")}.${quoted(ROW)}`;
    if (seen.has(name)) return [];
    seen.add(name);
    const isOwn = (condition: Expression) =>
      cells(condition).some((cell) => cell.source === source && cell.column === column);
    const own = conditions.filter(isOwn);
    // A condition that is about missing values chooses these rows on purpose, or leaves them out.
    if (own.some((condition) => [...everyPart(condition)].some(isAboutNull))) return [];
    const rest = conditions.filter((condition) => !isOwn(condition)).map((condition) => textOf(sql, condition));
    const all = [...rest, `${name} IS NULL`, `${row} IS NOT NULL`].join(") AND (");
    const found = `${before}SELECT DISTINCT ${row} FROM ${textOf(sql, select.from ?? select.list)} WHERE (${all}) ORDER BY 1`;
    return [{ column, sql: found }];
  });
}

const isAboutNull = (part: Expression) =>
  part.kind === "null" || (part.kind === "call" && /^(?:coalesce|ifnull|nullif|typeof)$/.test(part.name));

const textOf = (sql: string, { start, end }: Place) => sql.slice(start, end);

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
