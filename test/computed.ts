import type { Computed } from "../src/types/table.js";

/** The open jobs of a table, counted: rows 3, 5, 8 and 9 of 12; one of them has no cost. */
export const OPEN_JOBS: Computed = {
  sql: "SELECT count(*) AS jobs FROM jobs WHERE State = 'Open'",
  columns: ["jobs"],
  rows: [[4]],
  isCut: false,
  tables: [
    {
      id: "works/jobs.csv#table0",
      documentId: "works/jobs.csv",
      name: "jobs",
      title: "jobs",
      uri: "works/jobs.csv",
      section: "",
      reviewedAt: "2026-05-12",
      rows: 12,
      columns: ["Job", "State", "Cost"],
      used: [
        { number: 3, cells: ["Roof", "Open", "1.204,50 EUR"], passage: 0 },
        { number: 5, cells: ["Gate", "Open", ""], passage: 0 },
        { number: 8, cells: ["Wall", "Open", "95 EUR"], passage: 1 },
        { number: 9, cells: ["Lift", "Open", "310 EUR"], passage: 1 },
      ],
      matched: 4,
      unread: [{ column: "Cost", cells: 1 }],
    },
  ],
};
