import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { TableQueryError } from "../../../src/errors.js";
import { tablesCanBeQueried } from "../../../src/tools/tables/query.js";
import { adding, guarded, numbersOf, openTables, rowsOf } from "../../../src/tools/tables/query-guard.js";
import { named } from "./jobs.js";

/** False on older versions of Node. */
const CAN_QUERY = tablesCanBeQueried() === "";

const folder = mkdtempSync(join(tmpdir(), "emend-guard-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string) => join(folder, name);

const shapes = named.map(({ name, table }) => ({
  name,
  columns: table.columns.map((column) => ({
    name: column.name,
    type: column.type === "text" || column.type === "date" ? ("TEXT" as const) : ("REAL" as const),
  })),
}));
const filled = () => {
  const db = openTables(shapes);
  for (const [i, shape] of shapes.entries()) {
    const add = adding(db, shape);
    for (const [row, values] of (named[i]?.table.values ?? []).entries()) add(row + 1, values);
  }
  const before = db.serialize();
  return { db, before, prepare: guarded(db, shapes) };
};
const { db, before, prepare } = CAN_QUERY ? filled() : ({} as ReturnType<typeof filled>);
const ask = (sql: string) => rowsOf(prepare(sql)).rows;

/** Text that grows tenfold, this many times. */
function grown(times: number): string {
  let sql = "Title";
  for (let i = 0; i < times; i++) sql = `replace(${sql}, 'e', 'eeeeeeeeee')`;
  return sql;
}

/** What a model might write that has read a hostile document, and the reason that it is told. */
const REFUSED: readonly [sql: string, why: RegExp][] = [
  // Writes.
  ["INSERT INTO jobs (Title) VALUES ('x')", /Only one SELECT/],
  ["REPLACE INTO jobs (_row, Title) VALUES (1, 'x')", /Only one SELECT/],
  ["UPDATE jobs SET Cost = 0", /Only one SELECT/],
  ["DELETE FROM jobs", /Only one SELECT/],
  ["WITH x AS (SELECT 1) DELETE FROM jobs", /Only one SELECT/],
  ["WITH x AS (SELECT 1) INSERT INTO jobs (Title) SELECT * FROM x RETURNING Title", /Only one SELECT/],
  ["with x as (select 1) update jobs set Cost = 0 returning *", /Only one SELECT/],
  ["DROP TABLE jobs", /Only one SELECT/],
  ["ALTER TABLE jobs ADD COLUMN x", /Only one SELECT/],
  ["CREATE TABLE x (y)", /Only one SELECT/],
  ["CREATE TABLE x AS SELECT * FROM jobs", /Only one SELECT/],
  ["CREATE TEMP TABLE x (y)", /Only one SELECT/],
  ["CREATE TEMP VIEW x AS SELECT * FROM jobs", /Only one SELECT/],
  ["CREATE TRIGGER x AFTER INSERT ON jobs BEGIN DELETE FROM jobs; END", /Only one SELECT/],
  ["CREATE INDEX x ON jobs (Title)", /Only one SELECT/],
  ["CREATE VIRTUAL TABLE x USING fts5(y)", /Only one SELECT/],
  ["CREATE VIRTUAL TABLE x USING rtree(a, b, c)", /Only one SELECT/],
  [`VACUUM INTO '${file("vacuum.db")}'`, /Only one SELECT/],
  ["VACUUM", /Only one SELECT/],
  ["REINDEX", /Only one SELECT/],
  ["ANALYZE", /Only one SELECT/],
  ["BEGIN", /Only one SELECT/],
  ["SAVEPOINT x", /Only one SELECT/],
  // Files and settings.
  [`ATTACH '${file("attached.db")}' AS x`, /Only one SELECT/],
  ["DETACH main", /Only one SELECT/],
  ["PRAGMA query_only = 0", /Only one SELECT/],
  ["PRAGMA temp_store_directory = '/etc'", /Only one SELECT/],
  ["EXPLAIN SELECT * FROM jobs", /Only one SELECT/],
  ["EXPLAIN QUERY PLAN SELECT * FROM jobs", /Only one SELECT/],
  ["VALUES (1)", /Only one SELECT/],
  ["SELECT load_extension('/lib/libc.so.6') FROM jobs", /load_extension\(\) is not allowed/],
  ["SELECT readfile('/etc/passwd') FROM jobs", /no such function: readfile/],
  [`SELECT writefile('${file("written")}', 'x') FROM jobs`, /no such function: writefile/],
  ["SELECT edit('x') FROM jobs", /no such function: edit/],
  ["SELECT fts3_tokenizer('simple', x'0000000000000000') FROM jobs", /fts3_tokenizer\(\) is not allowed/],
  ["SELECT sqlite_compileoption_get(1) FROM jobs", /not allowed/],
  ["SELECT last_insert_rowid(), changes() FROM jobs", /not allowed/],
  // Other tables.
  ["SELECT * FROM sqlite_master", /There is no table sqlite_master/],
  ["SELECT sql FROM sqlite_schema", /There is no table sqlite_master/],
  ["SELECT count(*) FROM sqlite_schema, jobs", /There is no table sqlite_schema/],
  ["SELECT * FROM sqlite_temp_master", /There is no table/],
  ["SELECT name FROM main.sqlite_master UNION SELECT Title FROM jobs", /There is no table sqlite_master/],
  ["SELECT * FROM pragma_database_list", /There is no table pragma_database_list/],
  ["SELECT count(*) FROM pragma_table_info('jobs'), jobs", /There is no table pragma_table_info/],
  ["SELECT * FROM pragma_query_only(0), jobs", /no such table: pragma_query_only|There is no table/],
  ["SELECT * FROM dbstat", /There is no table dbstat/],
  ["SELECT * FROM fts5vocab", /no such table|There is no table/],
  ["SELECT * FROM sqlite_dbpage", /no such table/],
  ["SELECT * FROM jobs, fts3tokenize('simple', 'a b')", /There is no table fts3tokenize/],
  ["SELECT count(*) FROM jobs, json_each('[1,2,3]')", /There is no table json_each/],
  ["SELECT value FROM json_tree('[[[[1]]]]')", /There is no table json_tree/],
  ["SELECT * FROM generate_series(1, 1000000000)", /no such table: generate_series/],
  ["SELECT * FROM temp.jobs", /no such table: temp.jobs/],
  ["SELECT * FROM salaries", /no such table: salaries\. There are these tables: "jobs", "shops"/],
  ["SELECT Title FROM jobs WHERE Title IN sqlite_master", /There is no table sqlite_master|columns/],
  ["SELECT Title FROM jobs WHERE Title IN pragma_compile_options", /There is no table pragma_compile_options/],
  ["SELECT Title FROM jobs WHERE EXISTS (SELECT 1 FROM sqlite_schema)", /There is no table sqlite_schema/],
  ["SELECT count(jobs.rowid) FROM sqlite_master AS jobs, shops", /There is no table sqlite_master/],
  ["SELECT (SELECT count(*) FROM pragma_function_list) FROM jobs", /There is no table pragma_function_list/],
  // SQLite does not ask whether a table may be read that is joined in this way.
  ["SELECT Title FROM jobs JOIN (SELECT 1 AS x) JOIN sqlite_master USING (name)", /without USING/],
  ["SELECT Title FROM jobs JOIN shops/**/Using/**/(Shop)", /without USING/],
  // Values that grow.
  ["SELECT zeroblob(1000000000) FROM jobs", /zeroblob\(\) is not allowed/],
  ["SELECT hex(randomblob(1000000000)) FROM jobs", /not allowed/],
  ["SELECT printf('%.*c', 1000000000, 'x') FROM jobs", /printf\(\) is not allowed.*round/],
  ["SELECT format('%1000000000d', 1) FROM jobs", /format\(\) is not allowed/],
  ["SELECT json_group_array(Title) FROM jobs", /json_group_array\(\) is not allowed/],
  ["SELECT Title ->> '$' FROM jobs", /->>\(\) is not allowed/],
  [`SELECT ${grown(7)} FROM jobs`, /too long \(1 MB\)/],
  [`SELECT ${grown(5)} FROM jobs`, /too long \(64 KB\)/],
  [`SELECT 1 AS "${"x".repeat(70_000)}" FROM jobs`, /too long/],
  // Loops and size.
  ["WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x FROM r, jobs", /recursive/],
  ["WITH r(x) AS (SELECT _row FROM jobs UNION SELECT x + 1 FROM r) SELECT x FROM r", /recursive/],
  [`SELECT ${"(".repeat(300)}1${")".repeat(300)}${" + 1".repeat(300)} FROM jobs`, /too large|overflow/],
  [`SELECT ${"-".repeat(1)}${" NOT".repeat(500)} 1 FROM jobs`, /too large|syntax|overflow/],
  [`SELECT 1 FROM jobs WHERE _row IN (${Array.from({ length: 20_000 }, (_, i) => i)})`, /too long/],
  [Array(30).fill("SELECT Title FROM jobs").join(" UNION ALL "), /too many terms in compound SELECT/],
  [`SELECT ${Array(300).fill("_row")} FROM jobs`, /too many columns/],
  [`SELECT coalesce(${Array(40).fill("Cost")}) FROM jobs`, /too many arguments/],
  [`SELECT * FROM jobs WHERE Title LIKE '${"%a".repeat(150)}'`, /LIKE or GLOB pattern too complex/],
  [
    `SELECT 1 FROM ${Array(70)
      .fill("jobs")
      .map((name, i) => `${name} j${i}`)}`,
    /at most 64 tables/,
  ],
  ["SELECT Title FROM jobs WHERE Title = ?", /variable/],
  ["SELECT Title FROM jobs WHERE Title = :x", /variable/],
  // More than one statement.
  [`SELECT "${"x".repeat(5_000)}" FROM jobs`, /^no such column: "x{1,300}\. "jobs" has/],
  ["SELECT Title FROM jobs; DROP TABLE jobs", /Only one SELECT/],
  ["SELECT Title FROM jobs; SELECT Title FROM jobs", /Only one SELECT/],
  ["SELECT Title FROM jobs;;/* */; DELETE FROM jobs --", /Only one SELECT/],
  ["SELECT Title FROM jobs; -- harmless\nDELETE FROM jobs", /Only one SELECT/],
  ["/* SELECT */ DELETE FROM jobs", /Only one SELECT/],
  ["-- SELECT\rDELETE FROM jobs", /Only one SELECT/],
  ["SELECT Title FROM jobs\0; DELETE FROM jobs", /Only one SELECT/],
  ["\u{FEFF}DELETE FROM jobs", /Only one SELECT/],
  ["ＳＥＬＥＣＴ Title FROM jobs", /Only one SELECT/],
  ["SELECT Title FROM jobs； DROP TABLE jobs", /syntax error/],
  ["SELECT\u{D800} FROM jobs", /syntax error/],
  ["", /Only one SELECT/],
  [";", /Only one SELECT/],
  ["SELECT sum(Title) FROM jobs", /sum\(\) adds up numbers, and “Paint the hull” is a text/],
  ["SELECT total(x) FROM (SELECT Opened AS x FROM jobs)", /total\(\) adds up numbers/],
  ["SELECT avg(Title || '') OVER (ORDER BY Cost) FROM jobs", /avg\(\) adds up numbers/],
  ["SELECT median(Title) FROM jobs", /not numeric/],
  // Figures that come from nowhere, or are not what they seem.
  ["SELECT 4711", /reads no table/],
  ["SELECT 4711 WHERE 'jobs' = 'jobs'", /reads no table/],
  ["WITH jobs AS (SELECT 4711 AS Cost) SELECT sum(Cost) FROM jobs", /must not name a query like a table: jobs/],
  ["WITH JOBS AS MATERIALIZED (SELECT 4711) SELECT count(*) FROM JOBS", /must not name a query like a table/],
  ["SELECT sum(Cost) FROM (SELECT 4711 AS Cost) AS jobs", /reads no table/],
  ["SELECT count(*) FROM jobs NATURAL JOIN shops", /without USING or NATURAL/],
  ['SELECT count(*) FROM jobs WHERE State = "Open"', /no such column.*"jobs" has these columns: _row, "Title"/],
];

test.runIf(CAN_QUERY).each(REFUSED)("%s is refused", (sql, why) => {
  let thrown: unknown;
  try {
    ask(sql);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(TableQueryError);
  expect(thrown).toMatchObject({ message: expect.stringMatching(why), repairable: true });
});

test.runIf(CAN_QUERY).each<[sql: string, rows: unknown]>([
  ["SELECT count(*) FROM jobs", [[5]]],
  ["select count(*) from jobs where State = 'Open';", [[3]]],
  ["-- open jobs\nSELECT COUNT(*) FROM jobs WHERE State = 'OPEN' /* any case */ ; -- done", [[3]]],
  ["SELECT sum(Cost) FROM jobs WHERE State = 'Open' AND Urgent = 1", [[1718.5]]],
  ["SELECT round(avg(Hours), 2), median(Hours), min(Hours), max(Hours) FROM jobs", [[4, 3.5, 0.5, 8]]],
  [
    "SELECT Shop, count(*) AS jobs, total(Cost) FROM jobs GROUP BY Shop HAVING count(*) > 1 ORDER BY Shop",
    [
      ["North", 2, 1504.5],
      ["South", 2, 99.1],
    ],
  ],
  ["SELECT Title FROM jobs ORDER BY Cost DESC NULLS LAST LIMIT 1", [["Paint the hull"]]],
  ["SELECT Title FROM jobs WHERE Cost = (SELECT max(Cost) FROM jobs)", [["Paint the hull"]]],
  ["SELECT count(DISTINCT Shop) FROM jobs", [[3]]],
  [
    "SELECT s.Lead, count(*) n FROM jobs j JOIN shops s ON s.Shop = j.Shop WHERE j.State = 'Open' GROUP BY s.Shop ORDER BY n DESC, s.Lead",
    [
      ["Ada Berg", 1],
      ["Ivo Lund", 1],
      ["张伟", 1],
    ],
  ],
  ["SELECT Lead FROM shops LEFT JOIN jobs ON jobs.Shop = shops.Shop WHERE Hours > 7", [["Ada Berg"]]],
  [
    "WITH open AS (SELECT Shop, Cost FROM jobs WHERE State = 'Open'), sums AS (SELECT Shop, sum(Cost) c FROM open GROUP BY Shop) SELECT Shop FROM sums ORDER BY c DESC LIMIT 1",
    [["North"]],
  ],
  ["WITH x AS MATERIALIZED (SELECT DISTINCT State FROM jobs) SELECT count(*) FROM x", [[2]]],
  [
    "SELECT strftime('%Y-%m', Opened) AS month, count(*) FROM jobs GROUP BY month",
    [
      ["2026-03", 2],
      ["2026-04", 2],
      ["2026-05", 1],
    ],
  ],
  ["SELECT julianday(max(Opened)) - julianday(min(Opened)) FROM jobs", [[71]]],
  ["SELECT count(*) FROM jobs WHERE Opened >= date('2026-05-31', 'start of month', '-1 month')", [[3]]],
  [
    "SELECT CASE WHEN Hours > 3 THEN 'long' ELSE 'short' END AS kind, count(*) FROM jobs GROUP BY 1",
    [
      ["long", 3],
      ["short", 2],
    ],
  ],
  [
    "SELECT Title FROM (SELECT Title, row_number() OVER (PARTITION BY Shop ORDER BY Hours DESC) r FROM jobs) WHERE r = 1 AND Title LIKE '%mast%'",
    [["Mend the mast"]],
  ],
  ["SELECT Opened, sum(Hours) OVER (ORDER BY Opened) FROM jobs LIMIT 1", [["2026-03-02", 3.5]]],
  ["SELECT group_concat(Title, ', ') FROM (SELECT Title FROM jobs WHERE Shop = '上海')", [["修理船舵"]]],
  ["SELECT sum(Cost), total(Cost), avg(Cost) FROM jobs WHERE Cost > 9999", [[null, 0, null]]],
  ["SELECT sum(Cost) FILTER (WHERE Urgent = 1), sum(DISTINCT Urgent), avg(Urgent) FROM jobs", [[1817.6, 1, 0.6]]],
  ["SELECT sum(x) FROM (SELECT 1e16 AS x FROM jobs WHERE _row = 1 UNION ALL SELECT 1 UNION ALL SELECT -1e16)", [[1]]],
  [
    "SELECT avg(Hours) OVER (ORDER BY Opened ROWS 1 PRECEDING) FROM jobs ORDER BY Opened",
    [[3.5], [5.75], [4.25], [1.25], [4]],
  ],
  ["SELECT 100.0 * sum(State = 'Open') / count(*) FROM jobs", [[60]]],
  ['SELECT sum("Staff (2026)") FROM shops', [[40]]],
  ["SELECT [Staff (2026)] / 2, `Lead` FROM shops WHERE instr(lower(Lead), 'lund')", [[3.5, "Ivo Lund"]]],
  [
    "SELECT Title FROM jobs WHERE Shop IN (SELECT Shop FROM shops WHERE \"Staff (2026)\" < 10) EXCEPT SELECT 'Oil the winch'",
    [["Change the rope"]],
  ],
  ["SELECT count(*) FROM jobs WHERE Cost IS NULL OR Cost BETWEEN 90 AND 310", [[3]]],
  [
    "SELECT count(*) FROM jobs WHERE EXISTS (SELECT 1 FROM shops WHERE shops.Shop = jobs.Shop AND Lead GLOB 'A*')",
    [[2]],
  ],
  ["SELECT Title FROM jobs WHERE Title = 'natural; using (x); DROP TABLE jobs'", []],
])("%s works", (sql, rows) => {
  expect(ask(sql)).toEqual(rows);
});

const reads = (sql: string) =>
  Object.fromEntries(prepare(sql).reads.map(({ table, columns }) => [table, columns.toSorted()]));

test.runIf(CAN_QUERY)("a query tells which tables and columns it reads", () => {
  expect(reads("SELECT s.Lead FROM jobs j JOIN shops s ON s.Shop = j.Shop WHERE State = 'Open'")).toEqual({
    jobs: ["Shop", "State"],
    shops: ["Lead", "Shop"],
  });
  expect(reads("WITH jobs2 AS (SELECT rowid r FROM jobs) SELECT count(*) FROM jobs2")).toEqual({ jobs: ["_row"] });
  expect(reads("SELECT count(*) FROM jobs")).toEqual({ jobs: [] });
});

test.runIf(CAN_QUERY)("the numbers of rows are read, and nothing else in their place", () => {
  expect(numbersOf(prepare("SELECT _row FROM jobs WHERE State = 'Open'").statement)).toEqual({
    rows: [1, 3, 5],
    count: 3,
  });
  expect(() => numbersOf(prepare("SELECT Title FROM jobs").statement)).toThrow("Not the number of a row.");
});

test.runIf(CAN_QUERY)("values are plain JSON, without NUL, infinity or lost digits", () => {
  const sql =
    "SELECT 9007199254740993, 0.1 + 0.2, 9e999, NULL, x'e4b8ad', 'a' || char(0) || 'b', 7 / 2, 1e300 FROM jobs LIMIT 1";
  expect(ask(sql)).toEqual([["9007199254740993", 0.3, null, null, "中", "a\u{FFFD}b", 3, 1e300]]);
});

test.runIf(CAN_QUERY)("no query changed anything or wrote a file", () => {
  db.setAuthorizer(null);
  expect(db.serialize()).toEqual(before);
  expect(readdirSync(folder)).toEqual([]);
  expect(existsSync("x")).toBe(false);
});
