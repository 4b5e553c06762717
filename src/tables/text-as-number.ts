import { type Expression, everyPart, type Query, readSql } from "./clauses.js";
import type { NamedTable } from "./named-tables.js";
import { expressionsOf, type Known, knownIn, meaningOf, type Scope, scopeOf, type Tables, tablesOf } from "./scope.js";

/**
 * Finds a column of texts that a query calculates with, or compares with a number: SQLite would read "1.204,5" as 1.204
 * and "about 12" as 0. Returns what is wrong in words for a model, or "".
 */
export function textAsNumber(sql: string, named: readonly NamedTable[]): string {
  const query = readSql(sql);
  const column = query && textIn(query, new Map(), tablesOf(named));
  if (!column) return "";
  const why = `"${column.name}" holds texts, which cannot be calculated with or compared with numbers.`;
  return column.instead === undefined ? why : `${why} Use "${column.instead}".`;
}

/** A column of texts, and the one that has its values as numbers. */
interface TextColumn {
  name: string;
  instead?: string;
}

function textIn(query: Query, known: Known, tables: Tables): TextColumn | undefined {
  const within = knownIn(query, known);
  for (const { query: common } of query.with) {
    const found = textIn(common, within, tables);
    if (found) return found;
  }
  for (const select of query.selects) {
    const scope = scopeOf(select, within, tables);
    if (!scope) continue;
    const expressions = [...expressionsOf(select), ...query.orderBy.map(({ by }) => by)];
    const parts = expressions.flatMap((expression) => [...everyPart(expression)]);
    const queries = [
      ...select.sources.map((source) => source.query),
      ...parts.map((part) => (part.kind === "query" ? part.query : undefined)),
    ];
    for (const inner of queries) {
      const found = inner && textIn(inner, within, tables);
      if (found) return found;
    }
    for (const part of parts) {
      const found = numbersWanted(part)
        .map((operand) => textOf(operand, scope))
        .find((column) => column);
      if (found) return found;
    }
  }
  return undefined;
}

/** The parts of an expression that it takes for numbers. */
function numbersWanted(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case "call":
      return CALCULATE.has(expression.name) ? expression.of.slice(0, 1) : [];
    case "cast":
      return /int|real|num|dec|floa|doub/i.test(expression.as) ? expression.of : [];
    case "minus":
      return expression.of;
    case "between":
      return expression.of.slice(1).some(isNumber) ? expression.of : [];
    case "binary":
      if (/^[-+*/%]$/.test(expression.op)) return expression.of;
      return /^[<>]=?$/.test(expression.op) && expression.of.some(isNumber) ? expression.of : [];
    default:
      return [];
  }
}

const CALCULATE = new Set(
  "sum total avg median percentile abs round ceil ceiling floor trunc sign mod pow power sqrt exp ln log log2 log10".split(
    " ",
  ),
);

const isNumber = ({ kind, ...rest }: Expression): boolean =>
  kind === "number" || (kind === "minus" && "of" in rest && rest.of.every(isNumber));

/** The column of texts that a value is a text of. Dates are none: parts of them may be numbers. */
function textOf(expression: Expression, scope: Scope, depth = 0): TextColumn | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const inParts = (parts: readonly Expression[]) =>
    parts.map((part) => textOf(part, scope, depth + 1)).find((column) => column);
  switch (expression.kind) {
    case "column": {
      const meaning = meaningOf(expression, scope);
      if (meaning?.kind === "item") return textOf(meaning.expression, meaning.scope, depth + 1);
      if (meaning?.kind !== "cell") return undefined;
      const { value, written, type } = scope.tables.named[meaning.table]?.columns[meaning.column] ?? {};
      if (meaning.isWritten && written !== undefined && value !== undefined) return { name: written, instead: value };
      return type === "text" && value !== undefined ? { name: value } : undefined;
    }
    case "call":
      return KEEP_TEXT.has(expression.name) ? inParts(expression.of) : undefined;
    case "case":
      return inParts([
        ...expression.of.filter((_, i) => i % 2 === 1),
        ...(expression.otherwise ? [expression.otherwise] : []),
      ]);
    case "binary":
      return expression.op === "||" ? inParts(expression.of) : undefined;
    case "collate":
    case "cast":
      return inParts(expression.of);
    default:
      return undefined;
  }
}

const MAX_DEPTH = 50;

/** Functions that return a text of theirs. */
const KEEP_TEXT = new Set(
  "lower upper trim ltrim rtrim substr substring replace coalesce ifnull nullif iif if min max concat concat_ws group_concat string_agg".split(
    " ",
  ),
);
