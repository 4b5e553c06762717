import { describe, expect, test } from "vitest";
import { typedColumns } from "../../src/tables/typed-columns.js";
import type { Language } from "../../src/types/language.js";

/** Types one column of a table; its cells are separated by bars. */
function column(heading: string, cells: string, language: Language = "en") {
  const rows = cells.split("|").map((cell) => [cell.trim()]);
  const { columns, values } = typedColumns([heading], rows, language, new Set());
  const [{ type = "", unit = "", empty = 0, odd = 0 } = {}] = columns;
  return { is: unit === "" ? type : `${type} ${unit}`, values: values.map(([value]) => value), empty, odd };
}

const typed = (heading: string, cells: string, language?: Language) => {
  const { is, values } = column(heading, cells, language);
  return [is, values];
};

describe("numbers", () => {
  test.each([
    ["1.204,5 | 12,5 | 1.000", [1204.5, 12.5, 1000]],
    ["1,204.5 | 12.5 | 1,000", [1204.5, 12.5, 1000]],
    ["1 204,5 | 3 | 12 000", [1204.5, 3, 12000]],
    ["1'204.50 | 3", [1204.5, 3]],
    ["12,34,567 | 5", [1234567, 5]],
    ["(1,200) | −5 | 1,200- | +3 | -.5", [-1200, -5, -1200, 3, -0.5]],
    ["3.5万 | 十二万 | 1,200 | 3万5千 | 二十", [35000, 120000, 1200, 35000, 20]],
    ["1.5k | 2M | 3 million | 1.2bn", [1500, 2e6, 3e6, 1.2e9]],
    ["１２ | ３．５", [12, 3.5]],
  ])("%s", (cells, values) => expect(typed("Count", cells)).toEqual(["number", values]));

  test("a mark that may be a decimal mark is one if other cells show it", () => {
    expect(typed("x", "1.204 | 850,5")).toEqual(["number", [1204, 850.5]]);
    expect(typed("x", "1.204 | 850.5")).toEqual(["number", [1.204, 850.5]]);
    expect(typed("x", "1.204 | 15000")).toEqual(["number", [1.204, 15000]]);
    expect(typed("x", "1.204 | 1.350 | 2.001")).toEqual(["number", [1.204, 1.35, 2.001]]);
    expect(typed("x", "1,204 | 850")).toEqual(["number", [1204, 850]]);
  });

  test("or another column does", () => {
    const { columns, values } = typedColumns(
      ["a", "b"],
      [
        ["1.204", "3,5"],
        ["850", "2,5"],
      ],
      "other",
      new Set(),
    );
    expect(columns[0]?.type).toBe("number");
    expect(values.map(([value]) => value)).toEqual([1204, 850]);
  });

  test("what nothing decides is text, and not guessed", () => {
    expect(column("x", "1.204 | 850").is).toBe("text");
    expect(column("Preis", "1,204 | 850", "other").is).toBe("text");
    expect(column("x (EUR)", "1.204 | 1.350").is).toBe("text");
  });

  test("cells with both decimal marks leave only the open ones without a value", () => {
    expect(column("x", "1.5 | 2,5 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 1.204")).toMatchObject({
      is: "number",
      values: [1.5, 2.5, 3, 4, 5, 6, 7, 8, 9, null],
      odd: 1,
    });
  });

  test("one cell of another kind is odd and has no value, and many make the column text", () => {
    expect(column("x", "1 | 2 | about 12 | 4 | 5")).toMatchObject({ values: [1, 2, null, 4, 5], odd: 1, empty: 0 });
    expect(column("x", "1 | 2 | about 12 | 4")).toMatchObject({ is: "text", odd: 0 });
    expect(column("x", "1 | 2 | 5-10 | 4 | ≤ 5 | 6").is).toBe("text");
  });
});

describe("names, codes and the like are text", () => {
  test.each([
    ["Zip", "10115 | 20095"],
    ["Postal code", "10115 | 20095"],
    ["邮编", "100000 | 200000"],
    ["Phone", "5550123 | 5550124"],
    ["Account", "10001 | 10002"],
    ["Version", "1.10 | 1.9"],
    ["x", "007 | 012"],
    ["x", "13800138000 | 13900139000"],
    ["Year", "2024 | 2025 | 2025"],
    ["年份", "2024 | 2025"],
    ["Id", "1024 | 1025 | 1026"],
    ["编号", "1 | 2 | 3"],
    ["No.", "1 | 2 | 3"],
    ["x", "1.10.2 | 1.9.0"],
    ["x", "Q1 2026 | Q2 2026"],
    ["x", "1月 | 2月"],
    ["x", "1st | 2nd"],
    ["x", "一般 | 一般"],
    ["x", "12A | 12B"],
  ])("%s: %s", (heading, cells) => {
    const written = cells.split("|").map((cell) => cell.trim());
    expect(typed(heading, cells)).toEqual(["text", written]);
  });

  test("a number under such a word is one if it repeats, or if another word follows", () => {
    expect(column("Ticket", "3 | 3 | 5").is).toBe("number");
    expect(column("Invoice amount", "3 | 4").is).toBe("number");
    expect(column("No. of items", "3 | 4").is).toBe("number");
  });
});

describe("units", () => {
  test.each([
    ["Cost", "EUR 1.2 m | EUR 3,400 | 5.5 € | €7", "money EUR", [1.2e6, 3400, 5.5, 7]],
    ["Cost", "$1,200.50 | -$5 | ($3) | US$ 7", "money USD", [1200.5, -5, -3, 7]],
    ["Cost", "CHF 12.50 | 7 CHF", "money CHF", [12.5, 7]],
    ["Cost (EUR)", "3.5 m | 1,204.50 | 3", "money EUR", [3.5e6, 1204.5, 3]],
    ["Cost, EUR", "3 | 4", "money EUR", [3, 4]],
    ["Cost EUR", "3 | 4", "money EUR", [3, 4]],
    ["Cost in $", "3 | 4", "money USD", [3, 4]],
    ["Cost (k€)", "3 | 4.5", "money k€", [3, 4.5]],
    ["金额（万元）", "12 | 3.5万 | 12万元", "money 万元", [12, 3.5, 12]],
    ["金额（元）", "十二万 | 3.5万 | 120", "money CNY", [120000, 35000, 120]],
    ["金额", "12元 | 3.5万元", "money CNY", [12, 35000]],
    ["Share", "12 % | 13,5% | 百分之五", "share %", [12, 13.5, 5]],
    ["Share (%)", "12 | 13.5", "share %", [12, 13.5]],
    ["Way", "5 km | 300 m | 2 km", "number km", [5, 0.3, 2]],
    ["Weight (kg)", "5 | 300 g", "number kg", [5, 0.3]],
    ["人数", "12人 | 30人", "number 人", [12, 30]],
    ["Stock", "1 piece | 3 pieces", "number piece", [1, 3]],
    ["Took", "3,5 h | 45 min | 2 h 15 min | 1 hour", "duration h", [3.5, 0.75, 2.25, 1]],
    ["Took", "45 min | 30 min | 1 h", "duration min", [45, 30, 60]],
    ["用时", "3小时 | 2小时15分钟 | 两个半小时", "duration h", [3, 2.25, 2.5]],
    ["Duration", "1:30 | 0:45", "duration h", [1.5, 0.75]],
    ["Worked", "1:30 | 2h | 30m", "duration h", [1.5, 2, 0.5]],
    ["Hours", "3 | 4.5", "duration h", [3, 4.5]],
    ["Age", "3 years | 18 months | 2 years", "duration year", [3, 1.5, 2]],
  ])("%s: %s", (heading, cells, is, values) => expect(typed(heading, cells)).toEqual([is, values]));

  test("¥ has a currency of its own only in Chinese and Japanese", () => {
    expect(typed("价格", "¥5 | ￥6", "zh")).toEqual(["money CNY", [5, 6]]);
    expect(typed("きんがく", "¥5 | ¥6", "other")).toEqual(["money JPY", [5, 6]]);
    expect(typed("Price", "¥5 | ¥6")).toEqual(["money ¥", [5, 6]]);
  });

  test("two currencies leave a column without a unit, and only the most frequent one has values", () => {
    expect(column("Cost", "$5 | €7 | €8")).toEqual({ is: "money", values: [null, 7, 8], empty: 0, odd: 1 });
    expect(column("Cost (EUR)", "5 | 7 | $8")).toEqual({ is: "money", values: [5, 7, null], empty: 0, odd: 1 });
  });

  test("a currency in some cells alone counts for all, as accounts have it", () => {
    expect(typed("Cost", "$5 | 7 | 8")).toEqual(["money USD", [5, 7, 8]]);
    expect(typed("费用", "1,500 | 3.5万元 | 2,100")).toEqual(["money CNY", [1500, 35_000, 2100]]);
    expect(column("Cost", "5 | $7 | €8").is).not.toBe("money USD");
  });

  test("days are not counted as 24 hours, since a working day has fewer", () => {
    expect(column("Effort", "2 h | 3 h | 1 d").is).toBe("text");
    expect(typed("Effort", "2 weeks | 14 days | 1 week")).toEqual(["duration week", [2, 2, 1]]);
  });

  test("a time of the day is text", () => expect(column("Start", "08:30 | 14:00").is).toBe("text"));
});

test.each([
  ["amount_eur", "money EUR"],
  ["weight_kg", "number kg"],
  ["dep_delay_max", "number"],
  ["temp_min", "number"],
])("the heading %s has a unit of programs: %s", (name, is) => expect(typed(name, "12 | 7.5 | 8")[0]).toBe(is));

test("words between numbers leave the others numbers, codes do not", () => {
  expect(typed("Fee", "300 | 900 | free | 1500")).toEqual(["number", [300, 900, null, 1500]]);
  expect(column("Room", "1 | 2 | A2 | 3").is).toBe("text");
});

test("lengths of time are told by a total that is longer than a day", () => {
  expect(typed("Time on site", "1:30 | 0:45 | 30:00")[0]).toBe("duration h");
});

describe("dates", () => {
  test.each([
    ["2026-05-12 | 2026/5/3 | 2026.05.04", ["2026-05-12", "2026-05-03", "2026-05-04"]],
    ["2026-05-12 14:30 | 2026-05-12T09:00:00Z | 2026-05-13", ["2026-05-12 14:30", "2026-05-12 09:00", "2026-05-13"]],
    ["12 May 2026 | May 3, 2026 | 4-Jun-26", ["2026-05-12", "2026-05-03", "2026-06-04"]],
    ["Tue, 12 May 2026 | 3rd of June 2026", ["2026-05-12", "2026-06-03"]],
    ["12.5.2026 | 03.06.26", ["2026-05-12", "2026-06-03"]],
    ["2026年5月12日 | 二〇二六年六月三日", ["2026-05-12", "2026-06-03"]],
    ["5/12/2026 2:30 PM | 5/13/2026 12:05 am", ["2026-05-12 14:30", "2026-05-13 00:05"]],
    ["5/12/2026 | 13/12/2026", ["2026-12-05", "2026-12-13"]],
  ])("%s", (cells, values) => expect(typed("Opened", cells)).toEqual(["date", values]));

  test("months and years are their first day", () => {
    expect(typed("x", "2026年5月 | 2026年6月份")).toEqual(["date month", ["2026-05-01", "2026-06-01"]]);
    expect(typed("x", "May 2026 | 2026-06")).toEqual(["date month", ["2026-05-01", "2026-06-01"]]);
    expect(typed("x", "2025年 | 2026年")).toEqual(["date year", ["2025-01-01", "2026-01-01"]]);
  });

  test("whether days or months come first is not guessed", () => {
    expect(column("x", "5/12/2026 | 6/1/2026").is).toBe("text");
    expect(column("x", "15/12/2026 | 6/13/2026").is).toBe("text");
    const rows = [
      ["5/12/2026", "5/13/2026"],
      ["6/1/2026", "6/2/2026"],
    ];
    const { values } = typedColumns(["Opened", "Closed"], rows, "en", new Set());
    expect(values.map(([opened]) => opened)).toEqual(["2026-05-12", "2026-06-01"]);
  });

  test("a day that the calendar does not have is odd", () => {
    expect(column("x", "2026-02-30 | 2026-02-01 | 2026-02-02 | 2026-02-03 | 2026-02-04")).toMatchObject({
      is: "date",
      odd: 1,
    });
  });
});

describe("yes and no, and nothing", () => {
  test.each([
    ["yes | no | Yes", [1, 0, 1]],
    ["是 | 否", [1, 0]],
    ["✓ | ✗ | ", [1, 0, null]],
    ["[x] | [ ]", [1, 0]],
    ["TRUE | FALSE", [1, 0]],
    ["x |  | X", [1, null, 1]],
  ])("%s", (cells, values) => expect(typed("Done", cells)).toEqual(["yes/no", values]));

  test("cells that say that there is no value have none", () => {
    expect(column("x", "n/a | – | 无 | TBD |  | 5 | 待定 | N.A.")).toMatchObject({
      is: "number",
      values: [null, null, null, null, null, 5, null, null],
      empty: 7,
      odd: 0,
    });
    expect(typed("x", "open | - | n/a")).toEqual(["text", ["open", null, null]]);
  });

  test("a cell that is struck out has no value and is odd; other marks are no part of a value", () => {
    const cells = "**5** | ~~6~~ | [7](http://a.org) | `8` | 9 | 10 ~~11~~";
    expect(column("x", cells)).toMatchObject({ values: [5, null, 7, 8, 9, 10], odd: 1, empty: 0 });
    expect(column("x", "**open** | ~~closed~~")).toMatchObject({ values: ["open", null], odd: 1 });
  });
});

test("a column names its different cells, the most frequent first", () => {
  const rows = ["b", "a", "b", "", "n/a"].map((cell) => [cell]);
  const [column] = typedColumns(["x"], rows, "en", new Set()).columns;
  expect(column).toMatchObject({ values: ["b", "a"], isWhole: true, empty: 2 });
  const many = Array.from({ length: 40 }, (_, i) => [`name ${i}`]);
  expect(typedColumns(["x"], many, "en", new Set()).columns[0]).toMatchObject({ isWhole: false });
});
