import type { Column, Computed, Table } from "../src/types/table.js";

const column = (name: string, type: Column["type"] = "text"): Column => ({
  ...{ name, type, unit: type === "money" ? "EUR" : "", empty: 0, odd: 0, values: [], isWhole: false, different: 0 },
});
const CELLS = [
  ["Door", "Done", "80 EUR"],
  ["Stairs", "Done", "410 EUR"],
  ["Roof", "Open", "1.204,50 EUR"],
  ["Fence", "Waiting", "n/a"],
  ["Gate", "Open", ""],
  ["Boiler", "Done", "990 EUR"],
  ["Window", "Waiting", "120 EUR"],
  ["Wall", "Open", "95 EUR"],
  ["Lift", "Open", "310 EUR"],
  ["Lamp", "Open", "12 EUR"],
  ["Floor", "Waiting", "640 EUR"],
  ["Sign", "Done", "35 EUR"],
];

/** A table of 12 jobs. */
export const JOBS: Table = {
  id: "docs/jobs.csv#table0",
  documentId: "docs/jobs.csv",
  name: "jobs",
  title: "jobs",
  uri: "docs/jobs.csv",
  section: "",
  reviewedAt: "2026-05-12",
  language: "en",
  columns: [column("Job"), column("State"), column("Cost", "money")],
  rows: CELLS.length,
  firstRows: CELLS.slice(0, 3),
  struck: 0,
  notes: [],
  cells: CELLS,
  values: CELLS,
  passages: CELLS.map(() => 0),
};

const { id, documentId, name, title, uri, section, reviewedAt, rows } = JOBS;

/** The costs of the open jobs, added up: rows 3, 8, 9 and 10. Another one has no cost. */
export const OPEN_JOBS: Computed = {
  sql: "SELECT sum(Cost) AS cost FROM jobs WHERE State = 'Open'",
  columns: ["cost"],
  rows: [[1621.5]],
  isCut: false,
  tables: [
    {
      ...{ id, documentId, name, title, uri, section, reviewedAt, rows },
      columns: ["Job", "State", "Cost"],
      used: CELLS.flatMap((cells, i) =>
        cells[1] === "Open" && cells[2] !== "" ? [{ number: i + 1, cells, passage: 0 }] : [],
      ),
      matched: 4,
      unread: [{ column: "Cost", cells: 1 }],
    },
  ],
};
