import { describe, expect, test } from "vitest";
import { figureText, type Origin, originsOf } from "../../src/tables/figures.js";
import type { ColumnType, TableValue } from "../../src/types/table.js";
import { databaseOf, sample, tableOf } from "./sample.js";

const database = databaseOf(sample);

const origins = (sql: string) =>
  originsOf(
    {
      sql,
      columns: database
        .prepare(sql)
        .columns()
        .map(({ name }) => name),
    },
    sample,
  ).map((origin) => origin && `${origin.fn} ${origin.column.name}`);

describe("where a column of a result comes from", () => {
  test.each([
    [
      "SELECT Team, sum(Cost) AS c, count(*), avg(Hours) FROM jobs GROUP BY Team",
      ["value Team", "sum Cost", undefined, "avg Hours"],
    ],
    ["SELECT round(avg(j.Cost), 2), coalesce(max(Opened), '') FROM jobs AS j", ["avg Cost", "max Opened"]],
    ["SELECT sum(CASE WHEN Paid THEN Cost ELSE 0 END), sum(Cost) - sum(Cost) FROM jobs", ["sum Cost", "sum Cost"]],
    [
      "SELECT Cost * 2, Cost || 'x', sum(Cost) / 2, sum(Cost) - sum(Hours) FROM jobs",
      [undefined, undefined, undefined, undefined],
    ],
    ["SELECT avg(n) FROM (SELECT sum(Hours) AS n FROM jobs GROUP BY Team)", ["avg Hours"]],
    ["WITH t AS (SELECT Team, sum(Cost) AS c FROM jobs GROUP BY Team) SELECT * FROM t", ["value Team", "sum Cost"]],
    [
      'SELECT Leader, "Cost (written)", max(Cost) OVER () FROM jobs JOIN shops ON jobs.Shop = shops.Shop',
      ["value Leader", undefined, undefined],
    ],
    ["SELECT sum(Cost) FROM jobs UNION SELECT 1", [undefined]],
  ])("%s", (sql, expected) => expect(origins(sql)).toEqual(expected));

  test("all columns, by their names", () => {
    const found = origins("SELECT * FROM jobs");
    expect(found.filter(Boolean)).toEqual(sample[0]?.columns.map(({ value }) => `value ${value}`));
  });
});

describe("a figure for a reader", () => {
  const origin = (type: ColumnType, unit: string, values: TableValue[], fn: Origin["fn"] = "value"): Origin => {
    const [column] = tableOf(
      "a",
      [["A", type, unit]],
      values.map((value) => [value]),
    ).columns;
    if (!column) throw new Error("no column");
    return { fn, table: 0, column };
  };
  test.each<[TableValue, Origin | undefined, string, string]>([
    [75, undefined, "75", "75"],
    [1234567, undefined, "1,234,567", "1234567"],
    [52.447552447552, undefined, "52.45", "52.45"],
    [0.123456, undefined, "0.1235", "0.1235"],
    [0.00001234, undefined, "0.000012", "0.000012"],
    [1234.5, origin("money", "EUR", ["1234.50"], "sum"), "EUR 1,234.50", "1234.5 EUR"],
    [1234.5, origin("money", "CNY", ["1234.5元"], "sum"), "CNY 1,234.50", "1234.5元"],
    [1200, origin("money", "万元", ["3万元"]), "1,200万元", "1200万元"],
    [130.16666666666666, origin("money", "EUR", ["100", "40.5"], "avg"), "EUR 130.17", "130.17 EUR"],
    [2117.6000000000004, origin("number", "", ["7.5", "0.1"], "sum"), "2117.6", "2117.6"],
    [2026, origin("number", "", ["2026", "2025"]), "2026", "2026"],
    [4.333333333333333, origin("number", "", ["4", "5"], "avg"), "4.33", "4.33"],
    [12.5, origin("duration", "h", ["3.5"], "sum"), "12.5 h", "12.5小时"],
    [12, origin("duration", "小时", ["3小时"], "sum"), "12小时", "12小时"],
    [12, origin("share", "%", ["12 %"]), "12%", "12%"],
    [-3, origin("number", "km", ["-3"]), "-3 km", "-3 km"],
    [1, origin("yes/no", "", ["yes"]), "yes", "是"],
    [0, origin("yes/no", "", ["no"], "max"), "no", "否"],
    [4, origin("yes/no", "", ["yes"], "sum"), "4", "4"],
    ["2026-05-01", origin("date", "month", ["May 2026"], "max"), "2026-05", "2026-05"],
    ["2026-01-01", origin("date", "year", ["2026"]), "2026", "2026"],
    ["2026-05-12", origin("date", "", ["12 May 2026"]), "2026-05-12", "2026-05-12"],
    ["Open", origin("text", "", ["Open"]), "Open", "Open"],
    [null, undefined, "–", "–"],
    [1e300, undefined, "1e+300", "1e+300"],
  ])("%s", (value, from, english, chinese) => {
    expect(figureText(value, from, "en")).toBe(english);
    expect(figureText(value, from, "zh")).toBe(chinese);
  });
});
