import type { Expression, Query, Source } from "./clauses.js";
import { aggregatesIn, itemOf, type Known, knownIn, type Scope, scopeOf, type Tables } from "./scope.js";

/** An expression, and what its names stand for. */
export interface Located {
  expression: Expression;
  scope: Scope;
}

/** What a query says, with the queries that it reads from put in their places. */
export interface Flat {
  tables: { table: number; join: Source["join"]; on: Located[]; using: string[] }[];
  /** Undefined for all columns. */
  items: (Located | undefined)[];
  /** All of them hold. */
  where: Located[];
  groupBy: Located[];
  having: Located[];
  /** True if rows are grouped, or all of them make one group. */
  isGrouped: boolean;
  isDistinct: boolean;
  /** What the groups are formed by whose figures the items compute, and the scope of these items. */
  ofGroups?: { keys: Located[]; scope: Scope };
  orderBy: (Located & { isDescending: boolean })[];
  limit?: Expression;
  offset?: Expression;
}

/**
 * Reads a query of one SELECT over tables, or over one query that it can be merged with. Undefined for others, such as
 * those with UNION.
 */
export function flatQuery(query: Query, tables: Tables, known: Known): Flat | undefined {
  const within = knownIn(query, known);
  const [select, ...others] = query.selects;
  const scope = others.length > 0 ? undefined : scopeOf(select, within, tables);
  if (!scope) return undefined;
  const at = (expression: Expression): Located => ({ expression, scope });
  const clauses = {
    items: select.items.map(({ expression }) => expression && at(expression)),
    where: conjuncts(select.where).map(at),
    groupBy: select.groupBy.map((key) => at(itemOf(key, select, scope, false))),
    having: conjuncts(select.having).map(at),
    isDistinct: select.isDistinct,
  };
  const orderBy = query.orderBy.map(({ by, isDescending }) => ({
    ...at(itemOf(by, select, scope, true)),
    isDescending,
  }));
  const expressions = [...clauses.items, ...clauses.having, ...orderBy].map((each) => each?.expression);
  const isGrouped = clauses.groupBy.length > 0 || expressions.flatMap(aggregatesIn).length > 0;
  // All rows make one group, and one row of the result, which has no order and needs no limit.
  const isOne = isGrouped && clauses.groupBy.length === 0;
  const own = {
    ...clauses,
    orderBy: isOne ? [] : orderBy,
    ...(query.limit && !isOne && { limit: query.limit }),
    ...(query.offset && !isOne && { offset: query.offset }),
  };

  if (scope.sources.every(({ table }) => table !== undefined)) {
    const all = scope.sources.map(({ table = 0 }, i) => {
      const { join = "", on, using = [] } = select.sources[i] ?? {};
      return { table, join, using, on: conjuncts(on).map(at) };
    });
    return { ...own, tables: all, isGrouped };
  }
  const [source, ...more] = scope.sources;
  const inner =
    source?.query && more.length === 0 ? flatQuery(source.query, tables, source.known ?? scope.known) : undefined;
  if (!inner || inner.ofGroups) return undefined;

  const isPlain = !isGrouped && !own.isDistinct;
  const isAll = own.items.some((item) => !item);
  const isCut = inner.limit !== undefined || inner.offset !== undefined;
  if (isCut || inner.isDistinct) {
    // The figures of the rows that the inner query cuts off at, or fewer columns of them.
    const isOfCut = own.where.length === 0 && own.groupBy.length === 0 && own.orderBy.length === 0 && !own.limit;
    if (!isOfCut || own.isDistinct || inner.isDistinct || (isGrouped && inner.isGrouped)) return undefined;
    return {
      ...inner,
      items: isAll ? inner.items : own.items,
      having: [...inner.having, ...own.having],
      isGrouped: isGrouped || inner.isGrouped,
    };
  }
  if (!inner.isGrouped)
    return {
      ...own,
      tables: inner.tables,
      items: isAll ? inner.items : own.items,
      where: [...inner.where, ...own.where],
      isGrouped,
    };
  if (isPlain)
    return {
      ...inner,
      items: isAll ? inner.items : own.items,
      having: [...inner.having, ...own.where],
      orderBy: own.orderBy,
      ...(own.limit && { limit: own.limit }),
      ...(own.offset && { offset: own.offset }),
    };
  if (own.groupBy.length > 0 || own.having.length > 0 || own.isDistinct) return undefined;
  return {
    ...inner,
    items: own.items,
    groupBy: [],
    orderBy: [],
    ofGroups: { keys: inner.groupBy, scope },
    having: [...inner.having, ...own.where],
  };
}

export const conjuncts = (expression: Expression | undefined): Expression[] =>
  !expression ? [] : (expression.kind === "and" ? expression.of : [expression]).filter((each) => !isTrue(each));

/** WHERE TRUE, WHERE 1 = 1 */
const isTrue = (expression: Expression): boolean =>
  (expression.kind === "number" && expression.value === "1") ||
  (expression.kind === "binary" && expression.op === "=" && expression.of.every(isTrue));
