import { type SqlToken, sqlTokens } from "./sql-tokens.js";

/** Where something stands in the text of a query: offsets, end exclusive. */
export interface Place {
  start: number;
  end: number;
}

/** An expression. What is not understood is `unknown`. */
export type Expression = Place &
  (
    | { kind: "unknown" }
    | { kind: "column"; table?: string; name: string }
    | { kind: "number" | "text"; value: string }
    | { kind: "null" }
    /** `name` in lower case. `isWhole` for `count(*)`. */
    | {
        kind: "call";
        name: string;
        of: Expression[];
        isWhole: boolean;
        isDistinct: boolean;
        isWindow: boolean;
        filter?: Expression;
      }
    | { kind: "not" | "minus" | "collate"; of: Expression[] }
    | { kind: "and" | "or"; of: Expression[] }
    /** `op` is one of `= <> < <= > >= + - * / % ||`, `is` and `is not`, or another one that SQLite has. */
    | { kind: "binary"; op: string; of: [Expression, Expression] }
    /** The value, then the pattern. */
    | { kind: "like" | "glob"; isNot: boolean; of: [Expression, Expression]; hasEscape: boolean }
    /** The value, then the lower and the upper bound. */
    | { kind: "between"; isNot: boolean; of: [Expression, Expression, Expression] }
    /** The value, then those in the list. */
    | { kind: "in"; isNot: boolean; of: [Expression, ...Expression[]] }
    /** The values `when`, `then`, `when`, `then`; with the value that they are compared to, and `else`, if any. */
    | { kind: "case"; of: Expression[]; subject?: Expression; otherwise?: Expression }
    | { kind: "cast"; of: Expression[]; as: string }
    | { kind: "query"; query: Query; isExists: boolean }
  );

/** A column of a result. */
export interface Item extends Place {
  /** Undefined for `*` and `t.*`. */
  expression?: Expression;
  /** The table of `t.*`. */
  all?: string;
  alias?: string;
}

/** What stands in FROM: a table or a common table expression, or a query of its own. */
export interface Source extends Place {
  name?: string;
  query?: Query;
  alias?: string;
  /** How it is joined to those before it. */
  join: "" | "," | "inner" | "left" | "cross" | "other";
  on?: Expression;
  using?: string[];
}

export interface Select {
  isDistinct: boolean;
  items: Item[];
  /** The list of items. */
  list: Place;
  sources: Source[];
  /** What follows FROM. */
  from?: Place;
  where?: Expression;
  groupBy: Expression[];
  having?: Expression;
  /** GROUP BY, HAVING and WINDOW, as they are written. */
  grouping?: Place;
}

export interface Order {
  by: Expression;
  isDescending: boolean;
}

/** A query: one SELECT, or several that are joined by UNION, EXCEPT or INTERSECT. */
export interface Query extends Place {
  /** Its common table expressions, and where the whole WITH clause stands. */
  with: { name: string; columns?: string[]; query: Query }[];
  withPlace?: Place;
  selects: [Select, ...Select[]];
  orderBy: Order[];
  /** What follows the last SELECT: ORDER BY and LIMIT as they are written. */
  tail?: Place;
  limit?: Expression;
  offset?: Expression;
}

/** As many characters as a query may have. */
const MAX_LENGTH = 20_000;
const MAX_DEPTH = 100;
/** What a query within a query adds to the depth: ten of them are nested at most. */
const PER_QUERY = 10;

type WithoutPlace<T> = T extends unknown ? Omit<T, keyof Place> : never;
type Unplaced = WithoutPlace<Expression>;

/**
 * Reads a query of SQLite of at most 20,000 characters. Undefined if it is none, or has a form that no plain query needs.
 * Expressions that are not understood or nested more than 100 deep are `unknown`. Never throws. Takes linear time.
 */
export function readSql(sql: string): Query | undefined {
  const tokens = sql.length <= MAX_LENGTH ? sqlTokens(sql) : undefined;
  while (tokens && isSymbol(tokens.at(-1), ";")) tokens.pop();
  return tokens && attempt(() => reader(tokens).query(0, tokens.length, 0));
}

/** Returns the expressions that an expression consists of, without those of its queries. */
export function partsOf(expression: Expression): Expression[] {
  switch (expression.kind) {
    case "call":
      return [...expression.of, ...(expression.filter ? [expression.filter] : [])];
    case "case":
      return [expression.subject, ...expression.of, expression.otherwise].filter((part) => part !== undefined);
    case "unknown":
    case "column":
    case "number":
    case "text":
    case "null":
    case "query":
      return [];
    default:
      return expression.of;
  }
}

/** Returns an expression and all that it consists of, without the inside of its queries. */
export function* everyPart(expression: Expression): Generator<Expression> {
  yield expression;
  for (const part of partsOf(expression)) yield* everyPart(part);
}

class Unreadable extends Error {}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

const isSymbol = (token: SqlToken | undefined, symbol: string) => token?.kind === "symbol" && token.value === symbol;

/** The clauses after the list of a SELECT, in their order; a query's last two belong to the whole of it. */
const CLAUSES = ["SELECT", "FROM", "WHERE", "GROUP", "HAVING", "WINDOW", "ORDER", "LIMIT"] as const;
const COMPOUND = ["UNION", "EXCEPT", "INTERSECT"];
const JOINS = ["NATURAL", "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "JOIN", "OUTER"];
/** Words that are no alias, since they go on with the clause. */
const AFTER_SOURCE = new Set([...JOINS, "ON", "USING", "INDEXED", "NOT"]);

/** How tightly operators bind. */
const BINDS: Readonly<Record<string, number>> = {
  OR: 1,
  AND: 2,
  ...Object.fromEntries(
    "= == != <> IS IN LIKE GLOB MATCH REGEXP BETWEEN ISNULL NOTNULL NOT".split(" ").map((op) => [op, 4]),
  ),
  ...Object.fromEntries("< <= > >=".split(" ").map((op) => [op, 5])),
  ...Object.fromEntries("& | << >>".split(" ").map((op) => [op, 6])),
  "+": 7,
  "-": 7,
  "*": 8,
  "/": 8,
  "%": 8,
  "||": 9,
  "->": 9,
  "->>": 9,
  COLLATE: 10,
};
const PREFIX = 11;
const SAME_AS: Readonly<Record<string, string>> = { "==": "=", "!=": "<>" };

/** Words that are no column. */
const RESERVED = new Set(
  "SELECT FROM WHERE GROUP BY HAVING ORDER LIMIT UNION EXCEPT INTERSECT AND OR NOT IN IS LIKE GLOB BETWEEN CASE WHEN THEN ELSE END AS ON USING JOIN DISTINCT ALL EXISTS NULL COLLATE ESCAPE VALUES WITH".split(
    " ",
  ),
);

function reader(tokens: readonly SqlToken[]) {
  const keyword = (at: number) => {
    const token = tokens[at];
    return token?.kind === "word" ? token.value.toUpperCase() : token?.kind === "symbol" ? token.value : "";
  };
  const place = (from: number, to: number): Place => ({
    start: tokens[from]?.start ?? 0,
    end: tokens[to - 1]?.end ?? 0,
  });
  const fail = (): never => {
    throw new Unreadable();
  };
  const name = (at: number): string => {
    const token = tokens[at];
    if (token?.kind === "name" || (token?.kind === "word" && !RESERVED.has(keyword(at)))) return token.value;
    return fail();
  };
  /** The index of the bracket that closes the one at `at`. */
  const closing = (at: number): number => (isSymbol(tokens[at], "(") && tokens[at]?.partner) || fail();

  /** The next token that is not in further brackets. */
  const after = (at: number) => Math.max(at, tokens[at]?.partner ?? 0) + 1;

  /** Splits a range at the tokens that `isCut`, outside brackets; returns the ranges between them. */
  function split(from: number, to: number, isCut: (at: number) => boolean): [number, number][] {
    const ranges: [number, number][] = [];
    let start = from;
    for (let at = from; at < to; at = after(at)) {
      if (!isCut(at)) continue;
      ranges.push([start, at]);
      start = at + 1;
    }
    return [...ranges, [start, to]];
  }
  const commas = (from: number, to: number) => (from >= to ? [] : split(from, to, (at) => isSymbol(tokens[at], ",")));

  function query(from: number, to: number, depth: number): Query {
    if (depth > MAX_DEPTH) fail();
    const read: Pick<Query, "with" | "withPlace"> = { with: [] };
    let start = from;
    if (keyword(from) === "WITH") {
      start = from + 1;
      do {
        const open = name(start) && keyword(start + 1) === "(" ? closing(start + 1) + 1 : start + 1;
        const columns = commas(start + 2, open - 1).map(([at]) => name(at));
        let body = keyword(open) === "AS" ? open + 1 : fail();
        while (["NOT", "MATERIALIZED"].includes(keyword(body))) body += 1;
        const close = closing(body);
        read.with.push({
          name: name(start),
          ...(columns.length > 0 && { columns }),
          query: query(body + 1, close, depth + PER_QUERY),
        });
        start = close + 1;
      } while (keyword(start++) === ",");
      start -= 1;
      read.withPlace = place(from, start);
    }
    const selects = split(start, to, (at) => COMPOUND.includes(keyword(at))).map(([first, last], i) =>
      clauses(i > 0 && keyword(first) === "ALL" ? first + 1 : first, last, depth),
    );
    const [first, ...others] = selects;
    const last = selects.at(-1);
    if (!first || !last || selects.slice(0, -1).some(({ tail }) => tail)) return fail();
    const { orderBy, limit, offset, tail } = last;
    return {
      ...place(from, to),
      ...read,
      selects: [first.select, ...others.map(({ select }) => select)],
      orderBy,
      ...(limit && { limit }),
      ...(offset && { offset }),
      ...(tail && { tail }),
    };
  }

  /** Reads one SELECT, and ORDER BY and LIMIT if they follow. */
  function clauses(from: number, to: number, depth: number) {
    const starts: { clause: (typeof CLAUSES)[number]; at: number }[] = [];
    for (let at = from; at < to; at = after(at)) {
      const clause = CLAUSES.find((each) => each === keyword(at));
      const isDistinctFrom =
        clause === "FROM" && keyword(at - 1) === "DISTINCT" && /^(?:IS|NOT)$/.test(keyword(at - 2));
      if (clause && !isDistinctFrom && keyword(at - 1) !== ".") starts.push({ clause, at });
    }
    const ranks = starts.map(({ clause }) => CLAUSES.indexOf(clause));
    if (starts[0]?.at !== from || ranks[0] !== 0 || ranks.some((rank, i) => i > 0 && rank <= (ranks[i - 1] ?? 0)))
      fail();
    const range = (wanted: (typeof CLAUSES)[number], skip = 1): [number, number] | undefined => {
      const i = starts.findIndex(({ clause }) => clause === wanted);
      const at = starts[i]?.at;
      if (at === undefined) return undefined;
      const within: [number, number] = [at + skip, starts[i + 1]?.at ?? to];
      return within[0] < within[1] ? within : fail();
    };
    const one = (found: [number, number] | undefined) => found && expression(...found, depth);

    const modifier = keyword(from + 1);
    const list = range("SELECT", modifier === "DISTINCT" || modifier === "ALL" ? 2 : 1) ?? fail();
    const sources = range("FROM");
    const where = one(range("WHERE"));
    const having = one(range("HAVING"));
    const group = range("GROUP", 2);
    const order = range("ORDER", 2);
    const limits = range("LIMIT");
    const tail = starts.find(({ clause }) => clause === "ORDER" || clause === "LIMIT")?.at;
    const grouping = starts.find(({ clause }) => /^(?:GROUP|HAVING|WINDOW)$/.test(clause))?.at;
    const select: Select = {
      isDistinct: modifier === "DISTINCT",
      items: commas(...list).map(([first, last]) => item(first, last, depth)),
      list: place(...list),
      sources: sources ? sourcesIn(...sources, depth) : [],
      ...(sources && { from: place(...sources) }),
      ...(where && { where }),
      groupBy: group ? commas(...group).map((part) => expression(...part, depth)) : [],
      ...(having && { having }),
      ...(grouping !== undefined && { grouping: place(grouping, tail ?? to) }),
    };
    const [limit, offset] = limits ? limitsIn(...limits, depth) : [];
    return {
      select,
      orderBy: order ? commas(...order).map(([first, last]) => ordering(first, last, depth)) : [],
      limit,
      offset,
      tail: tail === undefined ? undefined : place(tail, to),
    };
  }

  function limitsIn(from: number, to: number, depth: number): (Expression | undefined)[] {
    const parts = split(from, to, (at) => keyword(at) === "OFFSET" || keyword(at) === ",");
    const [first, second] = parts.map((part) => expression(...part, depth));
    return parts[0] && keyword(parts[0][1]) === "," ? [second, first] : [first, second];
  }

  function ordering(from: number, to: number, depth: number): Order {
    let end = to;
    if (keyword(end - 2) === "NULLS") end -= 2;
    const direction = keyword(end - 1);
    if (direction === "ASC" || direction === "DESC") end -= 1;
    return { by: expression(from, end, depth), isDescending: direction === "DESC" };
  }

  function item(from: number, to: number, depth: number): Item {
    if (keyword(to - 1) === "*" && (to === from + 1 || (to === from + 3 && keyword(from + 1) === ".")))
      return { ...place(from, to), ...(to === from + 3 && { all: name(from) }) };
    const last = tokens[to - 1];
    const hasAs = keyword(to - 2) === "AS";
    const isName =
      last?.kind === "name" || last?.kind === "text" || (last?.kind === "word" && !RESERVED.has(keyword(to - 1)));
    // Without AS, a name after an operator or a dot goes on with the expression.
    const isAlias = hasAs || (isName && to > from + 1 && endsOperand(to - 2));
    const expressed = expression(from, isAlias ? (hasAs ? to - 2 : to - 1) : to, depth);
    return { ...place(from, to), expression: expressed, ...(isAlias && last && { alias: last.value }) };
  }

  /** True for a token after which an operator has to come. */
  const endsOperand = (at: number) => {
    const token = tokens[at];
    if (!token || token.kind === "unknown") return false;
    if (token.kind === "symbol") return token.value === ")";
    return token.kind !== "word" || !RESERVED.has(keyword(at)) || /^(?:END|NULL)$/.test(keyword(at));
  };

  function sourcesIn(from: number, to: number, depth: number): Source[] {
    const found: Source[] = [];
    for (let at = from; at < to; ) {
      const first = at;
      while (JOINS.includes(keyword(at)) || keyword(at) === ",") at += 1;
      const words = tokens.slice(first, at).map(({ value }) => value.toUpperCase());
      if (words.length > 0 !== found.length > 0) fail();
      const source: Source = { ...place(at, at + 1), join: joinOf(words) };
      if (keyword(at) === "(") {
        const close = closing(at);
        source.query = query(at + 1, close, depth + PER_QUERY);
        at = close + 1;
      } else {
        source.name = name(at);
        at += 1;
      }
      if (keyword(at) === "AS") at += 1;
      const isAlias = at < to && tokens[at]?.kind !== "symbol" && !AFTER_SOURCE.has(keyword(at));
      if (isAlias) source.alias = name(at);
      else if (keyword(at - 1) === "AS") fail();
      if (isAlias) at += 1;
      source.end = place(at - 1, at).end;
      if (keyword(at) === "ON") {
        const end = split(at, to, (each) => isJoin(each))[0]?.[1] ?? to;
        source.on = expression(at + 1, end, depth);
        at = end;
      } else if (keyword(at) === "USING") {
        source.using = commas(at + 2, closing(at + 1)).map(([column]) => name(column));
        at = closing(at + 1) + 1;
      }
      found.push(source);
      if (at < to && !isJoin(at)) fail();
    }
    return found;
  }

  const isJoin = (at: number) => keyword(at) === "," || (JOINS.includes(keyword(at)) && keyword(at + 1) !== "(");

  /** Reads a whole range as one expression. */
  function expression(from: number, to: number, depth: number): Expression {
    return (
      attempt(() => {
        const { read, end } = operators(from, to, 0, depth);
        return end === to ? read : fail();
      }) ?? { ...place(from, to), kind: "unknown" }
    );
  }

  interface Read {
    read: Expression;
    /** The token after it. */
    end: number;
  }

  /** How many expressions are nested in each other. */
  const heights = new WeakMap<Expression, number>();

  function made(read: Unplaced, start: number, end: number): Read {
    const expressed: Expression = { ...read, start, end: place(end - 1, end).end };
    const height = 1 + partsOf(expressed).reduce((most, part) => Math.max(most, heights.get(part) ?? 0), 0);
    if (height > MAX_DEPTH) fail();
    heights.set(expressed, height);
    return { read: expressed, end };
  }

  /** Reads an operand and the operators after it that bind tighter than `above`. */
  function operators(from: number, to: number, above: number, depth: number): Read {
    if (depth > MAX_DEPTH) fail();
    let left = operand(from, to, depth + 1);
    for (;;) {
      const at = left.end;
      const binds = at < to ? BINDS[keyword(at)] : undefined;
      if (binds === undefined || binds <= above) return left;
      left = joined(left.read, at, to, binds, depth + 1);
    }
  }

  function joined(a: Expression, at: number, to: number, binds: number, depth: number): Read {
    const right = (from: number) => operators(from, to, binds, depth);
    const binary = (op: string, from: number) => {
      const b = right(from);
      return made({ kind: "binary", op, of: [a, b.read] }, a.start, b.end);
    };
    const isNot = keyword(at) === "NOT";
    const word = isNot ? keyword(at + 1) : keyword(at);
    const next = isNot ? at + 2 : at + 1;
    const isNull = (op: string) =>
      made({ kind: "binary", op, of: [a, { ...place(at, next), kind: "null" }] }, a.start, next);
    switch (word) {
      case "AND":
      case "OR": {
        const kind = word === "AND" ? "and" : "or";
        const of = [a];
        let end = isNot ? fail() : at;
        while (end < to && keyword(end) === word) {
          const b = right(end + 1);
          of.push(b.read);
          end = b.end;
        }
        return made({ kind, of }, a.start, end);
      }
      case "NULL":
        return isNot ? isNull("is not") : fail();
      case "ISNULL":
        return isNot ? fail() : isNull("is");
      case "NOTNULL":
        return isNot ? fail() : isNull("is not");
      case "IS": {
        const not = keyword(next) === "NOT" ? 1 : 0;
        const distinct = keyword(next + not) === "DISTINCT" && keyword(next + not + 1) === "FROM" ? 2 : 0;
        return isNot ? fail() : binary((not === 1) === distinct > 0 ? "is" : "is not", next + not + distinct);
      }
      case "IN": {
        const close = closing(next);
        const values = isQuery(next + 1)
          ? [operand(next, to, depth).read]
          : commas(next + 1, close).map((part) => expression(...part, depth));
        return made({ kind: "in", isNot, of: [a, ...values] }, a.start, close + 1);
      }
      case "LIKE":
      case "GLOB": {
        const pattern = right(next);
        const hasEscape = keyword(pattern.end) === "ESCAPE";
        const end = hasEscape ? right(pattern.end + 1).end : pattern.end;
        const kind = word === "LIKE" ? "like" : "glob";
        return made({ kind, isNot, of: [a, pattern.read], hasEscape }, a.start, end);
      }
      case "BETWEEN": {
        const low = right(next);
        const high = keyword(low.end) === "AND" ? right(low.end + 1) : fail();
        return made({ kind: "between", isNot, of: [a, low.read, high.read] }, a.start, high.end);
      }
      case "COLLATE":
        return name(next) && !isNot ? made({ kind: "collate", of: [a] }, a.start, next + 1) : fail();
      default:
        return isNot ? fail() : binary(SAME_AS[word] ?? word, next);
    }
  }

  const isQuery = (at: number) => keyword(at) === "SELECT" || keyword(at) === "WITH";

  function operand(from: number, to: number, depth: number): Read {
    const token = from < to ? tokens[from] : undefined;
    if (!token) return fail();
    const leaf = (read: Unplaced, end: number) => made(read, token.start, end);
    if (token.kind === "number" || token.kind === "text")
      return leaf({ kind: token.kind, value: token.value }, from + 1);
    switch (keyword(from)) {
      case "(": {
        const close = closing(from);
        if (isQuery(from + 1))
          return leaf({ kind: "query", query: query(from + 1, close, depth + PER_QUERY), isExists: false }, close + 1);
        const inner = operators(from + 1, close, 0, depth);
        // The brackets belong to its place, so that it can be copied from the text.
        return inner.end === close ? leaf(inner.read, close + 1) : fail();
      }
      case "NOT": {
        const { read, end } = operators(from + 1, to, 3, depth);
        return leaf({ kind: "not", of: [read] }, end);
      }
      case "-": {
        const { read, end } = operators(from + 1, to, PREFIX, depth);
        return leaf({ kind: "minus", of: [read] }, end);
      }
      case "+": {
        const { read, end } = operators(from + 1, to, PREFIX, depth);
        return leaf(read, end);
      }
      case "NULL":
        return leaf({ kind: "null" }, from + 1);
      case "TRUE":
      case "FALSE":
        return leaf({ kind: "number", value: keyword(from) === "TRUE" ? "1" : "0" }, from + 1);
      case "EXISTS": {
        const close = closing(from + 1);
        const within = query(from + 2, close, depth + PER_QUERY);
        return leaf({ kind: "query", query: within, isExists: true }, close + 1);
      }
      case "CASE":
        return cases(from, to, depth);
      case "CAST": {
        const close = closing(from + 1);
        const { read, end } = operators(from + 2, close, 0, depth);
        const as =
          keyword(end) === "AS" ? tokens.slice(end + 1, close).map(({ value }) => value.toUpperCase()) : fail();
        return leaf({ kind: "cast", of: [read], as: as.join(" ") }, close + 1);
      }
    }
    if (token.kind === "word" && keyword(from + 1) === "(") return call(from, depth);
    const first = name(from);
    if (keyword(from + 1) !== ".") return leaf({ kind: "column", name: first }, from + 1);
    if (keyword(from + 3) === ".") return fail();
    return leaf({ kind: "column", table: first, name: name(from + 2) }, from + 3);
  }

  function call(from: number, depth: number): Read {
    const close = closing(from + 1);
    const isDistinct = keyword(from + 2) === "DISTINCT";
    const isWhole = keyword(from + 2) === "*" && close === from + 3;
    const last = split(from + 2, close, (at) => keyword(at) === "ORDER")[0]?.[1] ?? close;
    const of = isWhole ? [] : commas(from + (isDistinct ? 3 : 2), last).map((part) => expression(...part, depth));
    let end = close + 1;
    let filter: Expression | undefined;
    if (keyword(end) === "FILTER" && keyword(end + 1) === "(") {
      const closed = closing(end + 1);
      filter = keyword(end + 2) === "WHERE" ? expression(end + 3, closed, depth) : fail();
      end = closed + 1;
    }
    const isWindow = keyword(end) === "OVER";
    if (isWindow) end = keyword(end + 1) === "(" ? closing(end + 1) + 1 : end + 2;
    const called = tokens[from]?.value.toLowerCase() ?? "";
    const read = { kind: "call" as const, name: called, of, isWhole, isDistinct, isWindow };
    return made({ ...read, ...(filter && { filter }) }, place(from, end).start, end);
  }

  function cases(from: number, to: number, depth: number): Read {
    const of: Expression[] = [];
    let at = from + 1;
    /** Reads an expression from `start` and goes on after the word that has to follow, if any. */
    const part = (start: number, ...followers: string[]) => {
      const { read, end } = operators(start, to, 0, depth);
      at = followers.length === 0 || followers.includes(keyword(end)) ? end : fail();
      return read;
    };
    const subject = keyword(at) === "WHEN" ? undefined : part(at, "WHEN");
    while (keyword(at) === "WHEN") {
      of.push(part(at + 1, "THEN"));
      of.push(part(at + 1));
    }
    const otherwise = keyword(at) === "ELSE" ? part(at + 1, "END") : undefined;
    if (keyword(at) !== "END" || of.length === 0) return fail();
    const read = { kind: "case" as const, of, ...(subject && { subject }), ...(otherwise && { otherwise }) };
    return made(read, place(from, at).start, at + 1);
  }

  return { query };
}

const joinOf = (words: readonly string[]): Source["join"] => {
  const kind = words.join(" ");
  if (kind === "" || kind === ",") return kind;
  if (kind === "JOIN" || kind === "INNER JOIN") return "inner";
  if (kind === "CROSS JOIN") return "cross";
  return /^LEFT (?:OUTER )?JOIN$/.test(kind) ? "left" : "other";
};
