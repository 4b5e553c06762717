import { namedTables } from "../../../src/tables/named-tables.js";
import { fakeTable } from "../../../src/testing/tables-sample.js";
import type { ColumnType } from "../../../src/types/table.js";

/** A table of these columns and rows. */
export const tableOf = (
  name: string,
  columns: Readonly<Record<string, ColumnType>>,
  rows: Parameters<typeof fakeTable>[2],
) =>
  fakeTable(
    name,
    Object.entries(columns).map(([heading, type]) => ({ name: heading, type })),
    rows,
    { name },
  );

const JOBS = tableOf(
  "jobs.csv",
  { Title: "text", Shop: "text", State: "text", Cost: "money", Opened: "date", Hours: "duration", Urgent: "yes/no" },
  [
    ["Paint the hull", "North", "Open", 1204.5, "2026-03-02", 3.5, 1],
    ["Mend the mast", "North", "Closed", 300, "2026-03-20", 8, 0],
    ["Oil the winch", "South", "open", [null, "n/a"], "2026-04-11", 0.5, 0],
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
