import { namedTables } from "../../../src/tables/named-tables.js";
import type { Column, ColumnType, Table, TableValue } from "../../../src/types/table.js";

/** Makes a table of these columns and rows, for tests. */
export function tableOf(
  name: string,
  columns: Readonly<Record<string, ColumnType>>,
  values: readonly (readonly TableValue[])[],
): Table {
  const column = ([heading, type]: [string, ColumnType]): Column => ({
    name: heading,
    type,
    unit: "",
    empty: 0,
    odd: 0,
    values: [],
    isWhole: false,
  });
  return {
    id: `${name}#table0`,
    documentId: name,
    name,
    title: name,
    uri: name,
    section: "",
    reviewedAt: "2026-05-01",
    language: "en",
    columns: Object.entries(columns).map(column),
    rows: values.length,
    notes: [],
    values,
    cells: values.map((row) => row.map((value) => (value === null ? "n/a" : `${value}`))),
    passages: values.map(() => 0),
  };
}

const JOBS = tableOf(
  "jobs.csv",
  { Title: "text", Shop: "text", State: "text", Cost: "money", Opened: "date", Hours: "duration", Urgent: "yes/no" },
  [
    ["Paint the hull", "North", "Open", 1204.5, "2026-03-02", 3.5, 1],
    ["Mend the mast", "North", "Closed", 300, "2026-03-20", 8, 0],
    ["Oil the winch", "South", "open", null, "2026-04-11", 0.5, 0],
    ["Change the rope", "South", "Closed", 99.1, "2026-04-30", 2, 1],
    ["修理船舵", "上海", "Open", 514, "2026-05-12", 6, 1],
  ],
);

const SHOPS = tableOf("shops.csv", { Shop: "text", Lead: "text", "Staff (2026)": "number" }, [
  ["North", "Ada Berg", 12],
  ["South", "Ivo Lund", 7],
  ["上海", "张伟", 21],
]);

/** Five jobs and three shops. */
export const named = namedTables([JOBS, SHOPS]);
