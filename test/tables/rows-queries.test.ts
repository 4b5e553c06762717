import { describe, expect, test } from "vitest";
import { rowsQueries } from "../../src/tables/rows-queries.js";
import { databaseOf, sample } from "./sample.js";

const database = databaseOf(sample);

/** The rows of each table behind a query, found by SQLite: "jobs 1 2; shops 3". */
function rowsOf(sql: string): string {
  database.prepare(sql).all();
  const found = rowsQueries(sql, sample).map((query) => [sample[query.table]?.name, ...numbers(query.sql)].join(" "));
  return found.sort().join("; ");
}

const numbers = (sql: string) =>
  database
    .prepare(sql)
    .all()
    .map(({ _row }) => _row);

/** The rows that are left out without a value: "Cost 3". */
const unreadOf = (sql: string) =>
  rowsQueries(sql, sample)
    .flatMap(({ table, unread }) =>
      unread.map((one) => [sample[table]?.columns[one.column]?.value, ...numbers(one.sql)].join(" ")),
    )
    .join("; ");

describe("the rows behind a result", () => {
  test.each([
    // Conditions choose rows.
    ["SELECT count(*) FROM jobs WHERE State = 'Open'", "jobs 1 2 5"],
    ["select COUNT(*) as n from \"jobs\" where LOWER(\"State\") = 'open' and `Team` IN ('A', 'B')", "jobs 1 2"],
    ["SELECT count(*)\nFROM jobs -- all\nWHERE Team = 'A' -- of A\n OR Team = 'C'", "jobs 1 3 5 6 7"],
    ["SELECT * FROM [jobs] WHERE NOT (Team = 'A' OR Cost > 500)", "jobs 2 5"],
    ["SELECT Job FROM jobs WHERE State IS NULL", "jobs 6"],
    ["SELECT Job FROM jobs j WHERE j.Team = 'Z'", "jobs"],
    ["SELECT count(*) FROM jobs", "jobs 1 2 3 4 5 6 7"],
    ["SELECT 'a' AS label, count(*) FROM jobs WHERE Paid", "jobs 1 3 5 7"],
    ["SELECT Cost * 2 AS twice FROM jobs WHERE twice > 300", "jobs 2 4 6"],
    // Figures of a column rest on the rows that have a value.
    ["SELECT sum(Cost) FROM jobs", "jobs 1 2 4 5 6 7"],
    ["SELECT round(avg(Hours), 1) FROM jobs WHERE Team = 'C'", "jobs 6"],
    ["SELECT sum(Cost * Hours) FROM jobs", "jobs 1 2 4 6 7"],
    ["SELECT sum(Cost), sum(Hours) FROM jobs WHERE Team IN ('A', 'C')", "jobs 1 3 5 6 7"],
    ["SELECT count(Cost), count(*) FROM jobs", "jobs 1 2 3 4 5 6 7"],
    ["SELECT count(DISTINCT State) FROM jobs", "jobs 1 2 3 4 5 7"],
    ["SELECT coalesce(sum(Cost), 0) FROM jobs WHERE Team = 'A' LIMIT 1", "jobs 1 7"],
    ["SELECT group_concat(Job) FROM jobs WHERE Team = 'B'", "jobs 2 4"],
    // Conditions in functions choose no rows.
    ["SELECT sum(CASE WHEN State = 'Open' THEN 1 ELSE 0 END) FROM jobs WHERE Team = 'A'", "jobs 1 3 7"],
    ["SELECT sum(CASE WHEN State = 'Open' THEN Cost END) FROM jobs WHERE Team = 'A'", "jobs 1 3 7"],
    ["SELECT count(*) FILTER (WHERE Paid = 1) FROM jobs WHERE Team = 'B'", "jobs 2 4"],
    ["SELECT sum(State = 'Open') FROM jobs WHERE Team = 'C'", "jobs 5 6"],
    ["SELECT sum(iif(Paid, Cost, NULL)) FROM jobs WHERE Team = 'A'", "jobs 1 3 7"],
    // Extremes rest on the rows that have them.
    ["SELECT max(Cost) FROM jobs", "jobs 4 6"],
    ["SELECT Job, max(Cost) FROM jobs WHERE Team <> 'C'", "jobs 4"],
    ["SELECT min(Opened), max(Opened) FROM jobs WHERE State = 'Open'", "jobs 1 5"],
    ["SELECT min(Cost), avg(Cost) FROM jobs WHERE Team = 'A'", "jobs 1 7"],
    ["SELECT Team, max(Hours) FROM jobs GROUP BY Team", "jobs 1 4 6"],
    ["SELECT max(Cost, Hours) FROM jobs WHERE Team = 'A'", "jobs 1 3 7"],
    ["SELECT Job FROM jobs WHERE Cost = (SELECT max(Cost) FROM jobs)", "jobs 4 6"],
    // A limit shows some rows.
    ["SELECT Job FROM jobs ORDER BY Cost DESC LIMIT 3", "jobs 2 4 6"],
    ["SELECT Job, Cost * 2 AS c FROM jobs WHERE Cost > 0 ORDER BY c LIMIT 2", "jobs 1 5"],
    ["SELECT Job, Cost FROM jobs ORDER BY 2 DESC, 1 LIMIT 1 OFFSET 1", "jobs 6"],
    ["SELECT *, Job FROM jobs ORDER BY Job LIMIT 1", "jobs 7"],
    ["SELECT DISTINCT Team FROM jobs ORDER BY Team LIMIT 2", "jobs 1 2 3 4 7"],
    ["SELECT DISTINCT Team FROM jobs WHERE Cost > 200", "jobs 2 4 6"],
    // Groups: the rows of those that are shown.
    ["SELECT Team, sum(Cost) FROM jobs GROUP BY Team", "jobs 1 2 4 5 6 7"],
    ["SELECT Team, sum(Cost) t FROM jobs GROUP BY Team ORDER BY t DESC LIMIT 1", "jobs 2 4"],
    ["SELECT Team FROM jobs GROUP BY 1 HAVING count(*) > 2", "jobs 1 3 7"],
    ["SELECT Team FROM jobs GROUP BY Team ORDER BY sum(Hours) LIMIT 1", "jobs 1 3 7"],
    ["SELECT State FROM jobs GROUP BY State HAVING State IS NULL", "jobs 6"],
    ["SELECT lower(State) s, count(*) FROM jobs GROUP BY s ORDER BY 2 DESC LIMIT 1", "jobs 1 2 5"],
    ["SELECT strftime('%Y-%m', Opened) AS m, count(*) FROM jobs GROUP BY m HAVING m = '2026-05'", "jobs 1 2 5"],
    ["SELECT Team, State FROM jobs GROUP BY Team, State HAVING count(*) > 1", "jobs"],
    ["SELECT Team, max(Cost) FROM jobs GROUP BY Team HAVING count(Cost) > 1 ORDER BY 2 LIMIT 1", "jobs 7"],
    [
      "SELECT Team, count(*) FROM jobs GROUP BY Team HAVING count(*) = (SELECT max(n) FROM (SELECT count(*) AS n FROM jobs GROUP BY Team))",
      "jobs 1 3 7",
    ],
    // Joins: the rows of each table.
    ["SELECT j.Job, s.Leader FROM jobs j JOIN shops s ON s.Shop = j.Shop WHERE j.Team = 'B'", "jobs 2 4; shops 1 2"],
    ["SELECT j.Job FROM jobs AS j LEFT JOIN shops AS s ON j.Shop = s.Shop WHERE s.Shop IS NULL", "jobs 5 6; shops"],
    ["SELECT jobs.Job FROM jobs, shops WHERE jobs.Shop = shops.Shop AND City = 'Ulm'", "jobs 3 4; shops 2"],
    [
      "SELECT s.Leader, sum(j.Cost) FROM jobs j JOIN shops s ON s.Shop = j.Shop GROUP BY s.Leader ORDER BY 2 DESC LIMIT 1",
      "jobs 4; shops 2",
    ],
    ["SELECT a.Job FROM jobs a JOIN jobs b ON a.Cost = b.Cost AND a._row < b._row", "jobs 4 6"],
    // Queries within queries.
    ["WITH o AS (SELECT * FROM jobs WHERE State = 'Open') SELECT count(*) FROM o WHERE Cost > 50", "jobs 1 2"],
    [
      "WITH t AS (SELECT Team, count(*) n FROM jobs GROUP BY Team) SELECT Team FROM t ORDER BY n DESC LIMIT 1",
      "jobs 1 3 7",
    ],
    [
      "WITH a AS (SELECT * FROM jobs WHERE Paid), b AS (SELECT * FROM a WHERE Team = 'A') SELECT sum(Cost) FROM b",
      "jobs 1 7",
    ],
    ["WITH t(a, b) AS (SELECT Job, Cost FROM jobs WHERE Team = 'B') SELECT max(b) FROM t", "jobs 2 4"],
    ["SELECT avg(n) FROM (SELECT Team, sum(Hours) n FROM jobs GROUP BY Team) WHERE n > 10", "jobs 2 4 6"],
    ["SELECT max(n) FROM (SELECT count(*) AS n FROM jobs GROUP BY Team)", "jobs 1 3 7"],
    ["SELECT avg(Cost) FROM (SELECT Cost FROM jobs ORDER BY Cost DESC LIMIT 3) AS top", "jobs 2 4 6"],
    [
      "SELECT Job FROM (SELECT Job, row_number() OVER (PARTITION BY Team ORDER BY Cost DESC) AS n FROM jobs) WHERE n = 1",
      "jobs 4 6 7",
    ],
    ["SELECT Job, rank() OVER (ORDER BY Cost DESC) r FROM jobs ORDER BY r LIMIT 2", "jobs 4 6"],
    ["SELECT count(*) FROM jobs WHERE Shop IN (SELECT Shop FROM shops WHERE City = 'Kiel')", "jobs 1 2 7; shops 1"],
    ["SELECT count(*) FROM jobs j WHERE EXISTS (SELECT 1 FROM shops s WHERE s.Shop = j.Shop)", "jobs 1 2 3 4 7"],
    [
      "SELECT (SELECT count(*) FROM jobs WHERE Paid) * 1.0 / (SELECT count(*) FROM jobs WHERE Team = 'A')",
      "jobs 1 3 5 7",
    ],
    ["SELECT count(*) * 100.0 / (SELECT count(*) FROM jobs) FROM jobs WHERE Team = 'A'", "jobs 1 3 7"],
    [
      "SELECT Job FROM jobs WHERE Team = 'A' UNION SELECT Leader FROM shops WHERE City = 'Ulm' ORDER BY 1",
      "jobs 1 3 7; shops 2",
    ],
    [
      "WITH a AS (SELECT Team, sum(Cost) c FROM jobs WHERE Paid GROUP BY Team), b AS (SELECT Team, sum(Cost) c FROM jobs WHERE NOT Paid GROUP BY Team) SELECT a.Team, b.c - a.c FROM a JOIN b ON a.Team = b.Team",
      "jobs 5 6",
    ],
    // Chinese names.
    ['SELECT "状态", sum("费用") FROM "维修" GROUP BY "状态" ORDER BY 2 DESC LIMIT 1', "维修 1"],
    ["SELECT 编号 FROM 维修 WHERE 状态 = '进行中'", "维修 1 3"],
  ])("%s", (sql, expected) => {
    expect(rowsOf(sql)).toBe(expected);
    if (!/SELECT \*|OFFSET|HAVING|100\.0|= \(SELECT/.test(sql))
      expect(resultOverRows(sql)).toEqual(database.prepare(sql).all());
  });
});

/** The result of a query over nothing but the rows that it is said to rest on. */
function resultOverRows(sql: string): unknown {
  const only = new Map(rowsQueries(sql, sample).map((query) => [query.table, new Set(numbers(query.sql))]));
  const named = sample.map((one, i) => {
    const kept = (_: unknown, row: number) => only.get(i)?.has(row + 1) ?? true;
    return {
      ...one,
      table: { ...one.table, values: one.table.values.filter(kept), cells: one.table.cells.filter(kept) },
    };
  });
  return databaseOf(named).prepare(sql).all();
}

describe("cells without a value that a result leaves out", () => {
  test.each([
    ["SELECT sum(Cost) FROM jobs", "Cost 3"],
    ["SELECT sum(Cost) FROM jobs WHERE Team = 'B'", "Cost"],
    ["SELECT count(*) FROM jobs WHERE Cost > 100 AND Team = 'A'", "Cost 3"],
    ["SELECT count(*) FROM jobs WHERE Cost > 100 OR Cost IS NULL", ""],
    ["SELECT Job FROM jobs ORDER BY Hours LIMIT 1", "Hours 5"],
    ["SELECT count(*) FROM jobs WHERE State = 'Open'", ""],
    ["SELECT count(*) FROM jobs WHERE \"Cost (written)\" = ''", ""],
    ["SELECT sum(j.Cost) FROM jobs j JOIN shops s ON s.Shop = j.Shop", "Cost 3"],
    ["SELECT avg(Cost) FROM jobs WHERE Opened >= '2026-01-01'", "Cost 3; Opened 6"],
  ])("%s", (sql, expected) => expect(unreadOf(sql)).toBe(expected));
});

test.each(["", "DELETE FROM jobs", "SELECT count(*) FROM others", "SELECT (a, b) FROM jobs", "SELECT 1"])(
  "no rows can be told: %s",
  (sql) => expect(rowsQueries(sql, sample)).toEqual([]),
);

test("counting and cutting off the rows works for queries with common table expressions too", () => {
  const [query] = rowsQueries("WITH o AS (SELECT * FROM jobs WHERE Paid) SELECT count(*) FROM o", sample);
  expect(database.prepare(`SELECT count(*) AS n FROM (${query?.sql})`).get()).toEqual({ n: 4 });
  expect(database.prepare(`SELECT * FROM (${query?.sql}) LIMIT 1`).all()).toEqual([{ _row: 1 }]);
});

test("queries that multiply each other are given up", () => {
  const steps = Array.from({ length: 200 }, (_, i) => {
    const from = i === 0 ? "jobs" : `t${i - 1}`;
    return `t${i} AS (SELECT a.Cost + b.Cost AS Cost FROM ${from} a, ${from} b)`;
  });
  expect(rowsQueries(`WITH ${steps.join(", ")} SELECT sum(Cost) FROM t199`, sample)).toEqual([]);
});
