import { type Expression, everyPart, type Query, type Select } from "./clauses.js";
import { type NamedTable, ROW } from "./named-tables.js";

/** The common table expressions that a query may read, by their names in lower case. */
export type Known = ReadonlyMap<string, { query: Query; columns?: string[]; known: Known }>;

/** What a SELECT reads: tables, by their index, and queries. */
export interface Scope {
  named: readonly NamedTable[];
  known: Known;
  sources: { name: string; table?: number; query?: Query; columns?: string[]; known?: Known }[];
}

/** What a column's name stands for. */
export type Meaning =
  | { kind: "cell"; source: number; table: number; column: number; isWritten: boolean }
  | { kind: "row"; source: number; table: number }
  /** A column of a query in FROM. */
  | { kind: "item"; source: number; expression: Expression; select: Select; scope: Scope };

/** Adds the common table expressions of a query to those that it may read. */
export function knownIn(query: Query, known: Known): Known {
  let all = known;
  for (const { name, columns, query: body } of query.with)
    all = new Map([...all, [name.toLowerCase(), { query: body, known: all, ...(columns && { columns }) }]]);
  return all;
}

/** Undefined if it reads a table that there is not. */
export function scopeOf(select: Select, known: Known, named: readonly NamedTable[]): Scope | undefined {
  const sources: Scope["sources"] = [];
  for (const { name = "", alias = name, query } of select.sources) {
    const common = query ? { query, known } : known.get(name.toLowerCase());
    const table = named.findIndex((each) => each.name.toLowerCase() === name.toLowerCase());
    if (!common && table < 0) return undefined;
    sources.push({ name: alias, ...(common ?? { table }) });
  }
  return { named, known, sources };
}

/** Undefined if the scope has no such column, or several. */
export function meaningOf(column: { table?: string; name: string }, scope: Scope): Meaning | undefined {
  const found = scope.sources.flatMap((source, i) => {
    if (column.table !== undefined && !isSame(column.table, source.name)) return [];
    const meaning = meaningIn(column.name, i, scope);
    return meaning ? [meaning] : [];
  });
  return found.length === 1 ? found[0] : undefined;
}

function meaningIn(name: string, source: number, scope: Scope): Meaning | undefined {
  const { table, query, columns, known = scope.known } = scope.sources[source] ?? {};
  const own = table === undefined ? undefined : scope.named[table];
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
  const inner = query && select && scopeOf(select, knownIn(query, known), scope.named);
  if (!query || !inner || !select || query.selects.length > 1) return undefined;
  const all = columns ? [] : select.items.filter(({ expression }) => !expression);
  const item = columns
    ? select.items[columns.findIndex((each) => isSame(each, name))]
    : select.items.find(({ alias, expression }) =>
        alias === undefined ? expression?.kind === "column" && isSame(expression.name, name) : isSame(alias, name),
      );
  if (item?.expression) return { kind: "item", source, expression: item.expression, select, scope: inner };
  const through = all.map((each) => meaningOf({ name, ...(each.all && { table: each.all }) }, inner)).find(Boolean);
  if (!through) return undefined;
  const expression: Expression = { kind: "column", name, start: 0, end: 0 };
  return { kind: "item", source, expression, select, scope: inner };
}

/** True if everything that a query reads is in itself, so that it can be run alone. */
export function isAlone(query: Query, known: Known, named: readonly NamedTable[]): boolean {
  const within = knownIn(query, known);
  return query.selects.every((select) => {
    const scope = scopeOf(select, within, named);
    const aliases = select.items.flatMap(({ alias }) => alias ?? []);
    return (
      scope &&
      select.sources.every((source) => !source.query || isAlone(source.query, within, named)) &&
      [...expressionsOf(select), ...query.orderBy.map(({ by }) => by)].every((expression) =>
        [...everyPart(expression)].every((part) => {
          if (part.kind === "unknown") return false;
          if (part.kind === "query") return isAlone(part.query, within, named);
          if (part.kind !== "column") return true;
          return meaningOf(part, scope) ?? aliases.some((alias) => isSame(alias, part.name));
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

export const isSame = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

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
