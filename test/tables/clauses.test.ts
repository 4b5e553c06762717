import { describe, expect, test } from "vitest";
import { type Expression, everyPart, readSql } from "../../src/tables/clauses.js";

/** An expression as nested lists, so that it can be compared. */
function shape(expression: Expression | undefined): unknown {
  if (!expression) return undefined;
  switch (expression.kind) {
    case "column":
      return expression.table === undefined ? expression.name : `${expression.table}.${expression.name}`;
    case "number":
      return Number(expression.value);
    case "text":
      return `'${expression.value}'`;
    case "null":
    case "unknown":
    case "query":
      return expression.kind;
    case "binary":
      return [expression.op, ...expression.of.map(shape)];
    case "call":
      return [expression.name, ...expression.of.map(shape), ...(expression.filter ? [shape(expression.filter)] : [])];
    case "case":
      return ["case", ...[expression.subject, ...expression.of, expression.otherwise].filter(Boolean).map(shape)];
    default:
      return [
        "isNot" in expression && expression.isNot ? `not ${expression.kind}` : expression.kind,
        ...expression.of.map(shape),
      ];
  }
}

const where = (condition: string) => shape(readSql(`SELECT 1 FROM t WHERE ${condition}`)?.selects[0].where);

describe("expressions are read as SQLite reads them", () => {
  test.each([
    ["a = 1 AND b = 2 OR c = 3", ["or", ["and", ["=", "a", 1], ["=", "b", 2]], ["=", "c", 3]]],
    ["a OR b AND c", ["or", "a", ["and", "b", "c"]]],
    ["a AND b AND (c AND d)", ["and", "a", "b", ["and", "c", "d"]]],
    ["NOT a = 1 AND b", ["and", ["not", ["=", "a", 1]], "b"]],
    ["a + b * c - -2 || 'x'", ["-", ["+", "a", ["*", "b", "c"]], ["||", ["minus", 2], "'x'"]]],
    ["a BETWEEN 1 AND 2 AND c NOT BETWEEN x AND y", ["and", ["between", "a", 1, 2], ["not between", "c", "x", "y"]]],
    ["a IN (1, 'b') OR c NOT IN (SELECT d FROM u)", ["or", ["in", "a", 1, "'b'"], ["not in", "c", "query"]]],
    ["a LIKE '50\\%' ESCAPE '\\' AND b NOT LIKE 'x%'", ["and", ["like", "a", "'50\\%'"], ["not like", "b", "'x%'"]]],
    [
      "a IS NOT NULL AND b ISNULL AND c NOT NULL AND d NOTNULL",
      ["and", ["is not", "a", "null"], ["is", "b", "null"], ["is not", "c", "null"], ["is not", "d", "null"]],
    ],
    ["a IS NOT DISTINCT FROM b AND c IS DISTINCT FROM d", ["and", ["is", "a", "b"], ["is not", "c", "d"]]],
    ["a == 1 AND b != 2", ["and", ["=", "a", 1], ["<>", "b", 2]]],
    ["a = 'x' COLLATE NOCASE", ["=", "a", ["collate", "'x'"]]],
    ["CASE a WHEN 1 THEN 'x' ELSE b END = 'x'", ["=", ["case", "a", 1, "'x'", "b"], "'x'"]],
    ["CAST(a AS REAL) > .5e1", [">", ["cast", "a"], 5]],
    ["count(DISTINCT a) FILTER (WHERE b) > 1", [">", ["count", "a", "b"], 1]],
    ['"a ""b""" = `c``d` AND [e f] = t."g"', ["and", ["=", 'a "b"', "c`d"], ["=", "e f", "t.g"]]],
    ["费用 > 1 /* a -- b */ -- c\n AND 'it''s' = 状态", ["and", [">", "费用", 1], ["=", "'it's'", "状态"]]],
    ["EXISTS (SELECT 1) AND NOT EXISTS (SELECT 2)", ["and", "query", ["not", "query"]]],
    ["a = ?", "unknown"],
    ["a = x'00'", "unknown"],
    ["(a, b) = (1, 2)", "unknown"],
    ["a b c", "unknown"],
  ])("%s", (condition, expected) => expect(where(condition)).toEqual(expected));
});

test("clauses are told apart, whatever their case, brackets and comments", () => {
  const sql = `with o as (select * from t where x in (select y from u order by z limit 1))
    select distinct a, sum(b) total, c as [the c], o.* -- from nowhere
    from o as p left join "u v" w on p.a = w.a, x
    where (select 1 from t where 1) group by a, 2 having sum(b) > 1 order by total desc nulls last, a limit 5 offset 2;`;
  const query = readSql(sql);
  const [select] = query?.selects ?? [];
  expect(query?.with.map(({ name }) => name)).toEqual(["o"]);
  expect(select?.isDistinct).toBe(true);
  expect(select?.items.map(({ expression, alias, all }) => [shape(expression), alias, all])).toEqual([
    ["a", undefined, undefined],
    [["sum", "b"], "total", undefined],
    ["c", "the c", undefined],
    [undefined, undefined, "o"],
  ]);
  expect(select?.sources.map(({ name, alias, join }) => [name, alias, join])).toEqual([
    ["o", "p", ""],
    ["u v", "w", "left"],
    ["x", undefined, ","],
  ]);
  expect(select?.groupBy.map(shape)).toEqual(["a", 2]);
  expect(shape(select?.having)).toEqual([">", ["sum", "b"], 1]);
  expect(query?.orderBy.map(({ by, isDescending }) => [shape(by), isDescending])).toEqual([
    ["total", true],
    ["a", false],
  ]);
  expect([shape(query?.limit), shape(query?.offset)]).toEqual([5, 2]);
});

test("LIMIT with a comma has its offset first", () => {
  const query = readSql("SELECT a FROM t LIMIT 10, 5");
  expect([shape(query?.limit), shape(query?.offset)]).toEqual([5, 10]);
});

test("SELECTs that are joined are told apart, and the order is that of all", () => {
  const query = readSql("SELECT a FROM t UNION ALL SELECT b FROM u EXCEPT SELECT c FROM v ORDER BY 1");
  expect(query?.selects.map(({ items }) => shape(items[0]?.expression))).toEqual(["a", "b", "c"]);
  expect(query?.orderBy).toHaveLength(1);
});

test.each([
  "",
  ";",
  "DELETE FROM t",
  "SELECT",
  "SELECT a FROM",
  "SELECT 'a",
  "SELECT (a",
  "SELECT a)",
  "VALUES (1)",
  "SELECT a WHERE b FROM c",
  "SELECT a FROM t ORDER BY 1 UNION SELECT 2",
  "WITH a SELECT 1",
  'SELECT "a',
])("is not read: %s", (sql) => expect(readSql(sql)).toBeUndefined());

test.each([
  ["brackets", `SELECT ${"(".repeat(9000)}1${")".repeat(9000)}`],
  ["sums", `SELECT 1${"+1".repeat(9000)}`],
  ["calls", `SELECT ${"f(".repeat(6000)}${")".repeat(6000)}`],
  ["cases", `SELECT ${"CASE WHEN a THEN ".repeat(900)}`],
  ["negations", `SELECT ${"NOT ".repeat(4000)}a`],
])("what is nested too deep is unknown: %s", (_, sql) =>
  expect(readSql(sql)?.selects[0].items[0]?.expression?.kind).toBe("unknown"),
);

test("queries that are nested too deep are not read, and long lists of conditions are", () => {
  expect(readSql(`SELECT * FROM ${"(SELECT * FROM ".repeat(900)}t${")".repeat(900)}`)).toBeUndefined();
  const all = readSql(`SELECT 1 FROM t WHERE ${"a AND ".repeat(3000)}b`)?.selects[0].where;
  expect(all && [...everyPart(all)]).toHaveLength(3002);
});
