import { DatabaseSync } from "node:sqlite";
import { type NamedTable, namedTables, ROW } from "../../src/tables/named-tables.js";
import type { ColumnType, Table, TableValue } from "../../src/types/table.js";

type Given = readonly (readonly [name: string, type: ColumnType, unit?: string])[];

/** A table of values; a cell as it is written is its value as text. */
export function tableOf(name: string, columns: Given, values: TableValue[][]): Table {
  return {
    id: `${name}#table0`,
    documentId: name,
    name,
    title: name,
    uri: name,
    section: "",
    reviewedAt: "",
    language: "en",
    columns: columns.map(([column, type, unit = ""], i) => ({
      name: column,
      type,
      unit,
      empty: values.filter((row) => row[i] === null).length,
      odd: 0,
      values: [...new Set(values.map((row) => String(row[i] ?? "")))],
      isWhole: true,
      different: new Set(values.flatMap((row) => (row[i] === null ? [] : [String(row[i]).toLowerCase()]))).size,
    })),
    rows: values.length,
    firstRows: [],
    struck: 0,
    notes: [],
    cells: values.map((row) => row.map((value) => String(value ?? ""))),
    values,
    passages: values.map(() => 0),
  };
}

/** A database with copies of these tables, as queries see them. */
export function databaseOf(named: readonly NamedTable<Table>[]): DatabaseSync {
  const database = new DatabaseSync(":memory:", { enableDoubleQuotedStringLiterals: false });
  const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
  for (const { name, columns, table } of named) {
    const all = columns.flatMap(({ value, written }, i) => [
      { name: value, cells: table.values.map((row) => row[i] ?? null), type: table.columns[i]?.type },
      ...(written ? [{ name: written, cells: table.cells.map((row) => row[i] ?? null), type: "text" as const }] : []),
    ]);
    const types = all.map(
      (each) => `${quoted(each.name)} ${each.type === "text" || each.type === "date" ? "TEXT COLLATE NOCASE" : "REAL"}`,
    );
    database.exec(`CREATE TABLE ${quoted(name)} (${[`${quoted(ROW)} INTEGER`, ...types].join(", ")})`);
    const insert = database.prepare(`INSERT INTO ${quoted(name)} VALUES (${["?", ...all.map(() => "?")].join(", ")})`);
    table.values.forEach((_, i) => void insert.run(i + 1, ...all.map(({ cells }) => cells[i] ?? null)));
  }
  return database;
}

/** Jobs of shops, in English; 维修 in Chinese. */
export const sample = namedTables([
  tableOf(
    "jobs.csv",
    [
      ["Job", "text"],
      ["State", "text"],
      ["Team", "text"],
      ["Shop", "text"],
      ["Cost", "money", "EUR"],
      ["Hours", "duration", "h"],
      ["Opened", "date"],
      ["Paid", "yes/no"],
    ],
    [
      ["Brakes", "Open", "A", "North", 100, 2, "2026-05-02", 1],
      ["Lights", "Open", "B", "North", 250.5, 3.5, "2026-05-20", 0],
      ["Tyres", "Done", "A", "South", null, 1, "2026-04-11", 1],
      ["Clutch", "Done", "B", "South", 900, 9, "2026-06-01", 0],
      ["Filter", "open", "C", "East", 40, null, "2026-05-31", 1],
      ["Gearbox", null, "C", "East", 900, 12, null, 0],
      ["Battery", "Waiting", "A", "North", 120, 1, "2025-12-24", 1],
    ],
  ),
  tableOf(
    "shops.csv",
    [
      ["Shop", "text"],
      ["Leader", "text"],
      ["City", "text"],
    ],
    [
      ["North", "Ada", "Kiel"],
      ["South", "Ben", "Ulm"],
      ["West", "Cleo", "Bonn"],
    ],
  ),
  tableOf(
    "维修.xlsx",
    [
      ["编号", "text"],
      ["状态", "text"],
      ["费用", "money", "CNY"],
      ["日期", "date"],
    ],
    [
      ["甲", "进行中", 1200, "2026-05-03"],
      ["乙", "已完成", 300, "2026-05-09"],
      ["丙", "进行中", null, "2026-06-01"],
    ],
  ),
]);
