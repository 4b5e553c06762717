import { type Expression, everyPart, type Query, type Select } from "./clauses.js";
import { type NamedTable, ROW } from "./named-tables.js";

/** The common table expressions that a query may read, by their names in lower case. */
export type Known = ReadonlyMap<string, { query: Query; columns?: string[]; known: Known }>;

/** The tables that a query may name, and how many names may still be looked up, since queries can multiply them. */
export interface Tables {
  named: readonly NamedTable[];
  lookUps: number;
}

export const tablesOf = (named: readonly NamedTable[]): Tables => ({ named, lookUps: 20_000 });

/** What a SELECT reads: tables, by their index, and queries. */
export interface Scope {
  tables: Tables;
  known: Known;
  select: Select;
  sources: { name: string; table?: number; query?: Query; columns?: string[]; known?: Known; using: string[] }[];
}

/** What a column's name stands for. */
export type Meaning =
  | { kind: "cell"; source: number; table: number; column: number; isWritten: boolean }
  | { kind: "row"; source: number; table: number }
  /** A column of a query in FROM; or of the SELECT itself, which has no source. */
  | { kind: "item"; source?: number; expression: Expression; scope: Scope };

/** Adds the common table expressions of a query to those that it may read. */
export function knownIn(query: Query, known: Known): Known {
  let all = known;
  for (const { name, columns, query: body } of query.with)
    all = new Map([...all, [name.toLowerCase(), { query: body, known: all, ...(columns && { columns }) }]]);
  return all;
}

/** Undefined if it reads a table that there is not. */
export function scopeOf(select: Select, known: Known, tables: Tables): Scope | undefined {
  const sources: Scope["sources"] = [];
  tables.lookUps -= select.sources.length;
  if (tables.lookUps < 0) return undefined;
  for (const { name = "", alias = name, query, using = [] } of select.sources) {
    const common = query ? { query, known } : known.get(name.toLowerCase());
    const table = tables.named.findIndex((each) => isSame(each.name, name));
    if (!common && table < 0) return undefined;
    sources.push({ name: alias, using, ...(common ?? { table }) });
  }
  return { tables, known, select, sources };
}

/** What a name stands for among the columns of FROM, or else the items. Undefined for none and for several. */
export function meaningOf(column: Name, scope: Scope): Meaning | undefined {
  const own = columnOf(column, scope);
  if (own || column.table !== undefined) return own;
  const named = scope.select.items.find(({ alias }) => alias !== undefined && isSame(alias, column.name))?.expression;
  return named && isNamed(named, scope) ? { kind: "item", expression: named, scope } : undefined;
}

type Name = { table?: string; name: string };

/** What a name stands for among the columns of FROM. */
function columnOf(column: Name, scope: Scope): Meaning | undefined {
  scope.tables.lookUps -= scope.sources.length + 1;
  if (scope.tables.lookUps < 0) return undefined;
  let found: Meaning | undefined;
  for (const [i, source] of scope.sources.entries()) {
    if (column.table !== undefined && !isSame(column.table, source.name)) continue;
    const meaning = meaningIn(column.name, i, scope);
    const isShared = column.table === undefined && source.using.some((name) => isSame(name, column.name));
    if (meaning && found && !isShared) return undefined;
    found ??= meaning;
  }
  return found;
}

/** True if all names in an expression are those of columns of FROM. */
export const isNamed = (expression: Expression, scope: Scope): boolean =>
  [...everyPart(expression)].every((part) => part.kind !== "column" || columnOf(part, scope));

function meaningIn(name: string, source: number, scope: Scope): Meaning | undefined {
  const { table, query, columns, known = scope.known } = scope.sources[source] ?? {};
  const own = table === undefined ? undefined : scope.tables.named[table];
  if (own && table !== undefined) {
    if (isSame(name, ROW)) return { kind: "row", source, table };
    const value = own.columns.findIndex((each) => isSame(each.value, name));
    const written = own.columns.findIndex((each) => each.written !== undefined && isSame(each.written, name));
    const isWritten = value < 0;
    return isWritten && written < 0
      ? undefined
      : { kind: "cell", source, table, column: isWritten ? written : value, isWritten };
  }
  const select = query?.selects[0];
  const inner = query && select && scopeOf(select, knownIn(query, known), scope.tables);
  if (!query || !inner || !select || query.selects.length > 1) return undefined;
  const all = columns ? [] : select.items.filter(({ expression }) => !expression);
  const item = columns
    ? select.items[columns.findIndex((each) => isSame(each, name))]
    : select.items.find(({ alias, expression }) =>
        alias === undefined ? expression?.kind === "column" && isSame(expression.name, name) : isSame(alias, name),
      );
  if (item?.expression) return { kind: "item", source, expression: item.expression, scope: inner };
  const through = all.some((each) => columnOf({ name, ...(each.all && { table: each.all }) }, inner));
  if (!through) return undefined;
  const expression: Expression = { kind: "column", name, start: 0, end: 0 };
  return { kind: "item", source, expression, scope: inner };
}

/** What a number or an alias of an item stands for. ORDER BY reads a name as an alias first, GROUP BY as a column. */
export function itemOf(key: Expression, { items }: Select, scope: Scope, isAliasFirst: boolean): Expression {
  const hasAll = items.some(({ expression }) => !expression);
  if (key.kind === "number" && !hasAll) return items[Number(key.value) - 1]?.expression ?? key;
  if (key.kind !== "column" || key.table !== undefined || (!isAliasFirst && columnOf(key, scope))) return key;
  return items.find(({ alias }) => alias !== undefined && isSame(alias, key.name))?.expression ?? key;
}

/** True if everything that a query reads is in itself, so that it can be run alone. */
export function isAlone(query: Query, known: Known, tables: Tables): boolean {
  const within = knownIn(query, known);
  return query.selects.every((select) => {
    const scope = scopeOf(select, within, tables);
    return (
      scope &&
      select.sources.every((source) => !source.query || isAlone(source.query, within, tables)) &&
      [...expressionsOf(select), ...query.orderBy.map(({ by }) => by)].every((expression) =>
        [...everyPart(expression)].every((part) => {
          if (part.kind === "unknown") return false;
          if (part.kind === "query") return isAlone(part.query, within, tables);
          return part.kind !== "column" || meaningOf(part, scope) !== undefined;
        }),
      )
    );
  });
}

/** Returns all expressions of a SELECT. */
export const expressionsOf = ({ items, sources, where, groupBy, having }: Select): Expression[] =>
  [...items.map(({ expression }) => expression), ...sources.map(({ on }) => on), where, ...groupBy, having].filter(
    (expression) => expression !== undefined,
  );

const isSame = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

const AGGREGATES = new Set("count sum total avg group_concat string_agg min max median".split(" "));

export type Call = Extract<Expression, { kind: "call" }>;

/** True for a function of many rows; `max(a, b)` is one of many columns. */
export const isAggregate = (part: Expression): part is Call =>
  part.kind === "call" &&
  !part.isWindow &&
  AGGREGATES.has(part.name) &&
  (!/^m(?:in|ax)$/.test(part.name) || part.of.length === 1);

/** Returns the functions of many rows that an expression consists of. */
export const aggregatesIn = (expression: Expression | undefined): Call[] =>
  expression ? [...everyPart(expression)].filter(isAggregate) : [];
