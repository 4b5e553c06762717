import { expect, test } from "vitest";
import { namedTables } from "../../src/tables/named-tables.js";
import { textAsNumber } from "../../src/tables/text-as-number.js";
import { fakeTable } from "../../src/testing/tables-sample.js";

const named = namedTables([
  fakeTable(
    "jobs#table0",
    [{ name: "Job" }, { name: "Code" }, { name: "Cost", type: "money" }, { name: "Day", type: "date" }],
    [["Roof", "A1", 80, "2026-05-01"]],
  ),
]);

test.each([
  "SELECT sum(Code) FROM jobs",
  "SELECT round(avg(Code), 2) FROM jobs",
  "SELECT CAST(Code AS REAL) FROM jobs",
  "SELECT sum(CAST(replace(code, ',', '.') AS REAL)) FROM jobs",
  "SELECT sum(CAST(substr(j.Code, 2) AS INTEGER)) FROM jobs AS j",
  "SELECT Code + 0 FROM jobs",
  "SELECT -Code FROM jobs",
  "SELECT count(*) FROM jobs WHERE Code > 100",
  "SELECT count(*) FROM jobs WHERE Code >= -1.5 OR Job = 'Roof'",
  "SELECT count(*) FROM jobs WHERE Code BETWEEN 1 AND 5",
  "SELECT Job FROM jobs ORDER BY CAST(Code AS INTEGER) DESC",
  "SELECT Job FROM jobs GROUP BY Job HAVING sum(Code) > 3",
  "SELECT sum(x) FROM (SELECT Code AS x FROM jobs)",
  "WITH c AS (SELECT trim(Code) AS x FROM jobs) SELECT sum(CAST(x AS REAL)) FROM c",
  "SELECT Job FROM jobs WHERE Cost > (SELECT avg(Code) FROM jobs)",
  "SELECT sum(CASE WHEN Cost > 3 THEN Code ELSE 0 END) FROM jobs",
  "SELECT sum(coalesce(Code, 0)) FROM jobs",
])("%s takes texts for numbers", (sql) => {
  expect(textAsNumber(sql, named)).toBe(
    '"Code" holds texts, which cannot be calculated with or compared with numbers.',
  );
});

test("a column of cells as they are written names the one with their values", () => {
  const sql = `SELECT sum(CAST("Cost (written)" AS REAL)) FROM jobs`;
  expect(textAsNumber(sql, named)).toMatch(/^"Cost \(written\)" holds texts.* Use "Cost"\.$/);
});

test.each([
  "SELECT sum(Cost), avg(Cost) + 1, round(Cost), -Cost FROM jobs WHERE Cost > 3 AND Cost BETWEEN 1 AND 5",
  "SELECT count(Code), max(Code), min(Code), length(Code) + 1, sum(Code = 'A1'), sum(Code LIKE 'A%') FROM jobs",
  "SELECT CAST(strftime('%Y', Day) AS INTEGER), CAST(substr(Day, 1, 4) AS INTEGER) FROM jobs",
  "SELECT julianday(Day) - julianday('2026-01-01') FROM jobs",
  "SELECT Job FROM jobs WHERE Code = 100 OR Code IN (1, 2) OR Code > 'A0'",
  "SELECT CAST(length(Job) AS REAL) / 2, CAST(Cost AS INTEGER), CAST(Cost AS TEXT) FROM jobs",
  "SELECT sum(CASE WHEN Code = 'A1' THEN Cost END) FROM jobs",
  "SELECT nothing + 1 FROM nowhere",
  "no SQL",
])("%s takes no text for a number", (sql) => {
  expect(textAsNumber(sql, named)).toBe("");
});
