import { z } from "zod";
import { Language } from "./language.js";
import { Metadata } from "./metadata.js";

/** The value of a cell: its text, or a number, or null if it is empty or says that there is none ("n/a", "–", 无). */
export const TableValue = z.union([z.string(), z.number(), z.null()]);
export type TableValue = z.infer<typeof TableValue>;

/**
 * What the cells of a column hold:
 * - `text`: the cell, as it is written.
 * - `number`, `money`, `share` (12 % is 12), `duration`: a number, in the column's unit.
 * - `date`: ISO text, "2026-05-12" or "2026-05-12 14:30"; a month is its first day.
 * - `yes/no`: 1 or 0.
 */
export const ColumnType = z.enum(["text", "number", "share", "money", "date", "duration", "yes/no"]);
export type ColumnType = z.infer<typeof ColumnType>;

/** A column of a table. */
export const Column = z.object({
  /** Its heading, as the document writes it; unique in its table, whatever its case. */
  name: z.string(),
  type: ColumnType,
  /**
   * The unit or currency of all its values: "km", "EUR", "h", "%"; "month" or "year" if dates are no more exact. Empty if
   * there is none, or if the values have different ones.
   */
  unit: z.string(),
  /** Cells without a value, since they are empty or say that there is none. */
  empty: z.number().int().min(0),
  /** Cells that are not of the column's type or unit, such as "about 12" or another currency: their value is null too. */
  odd: z.number().int().min(0),
  /** Different cells as they are written, the most frequent first: all of them if `isWhole`, else some. */
  values: z.array(z.string()),
  isWhole: z.boolean(),
  /** The least and the greatest of its values; absent for texts, and without values. */
  range: z.tuple([TableValue, TableValue]).optional(),
  /** How many different values it has, whatever the case of their letters. */
  different: z.number().int().min(0),
});
export type Column = z.infer<typeof Column>;

/** What a table is, without its rows. */
export const TableHead = z.object({
  /** Unique in the store: the document's id, `#table`, and the position in the document. */
  id: z.string(),
  documentId: z.string(),
  /** What it is called: its caption, the heading or sheet it stands under, or else the name of its file. */
  name: z.string(),
  title: z.string(),
  uri: z.string(),
  /** The headings above it, its sheet or page included, joined by " › ". */
  section: z.string(),
  reviewedAt: z.string(),
  language: Language,
  columns: z.array(Column),
  /** The number of its rows, without header, titles, totals and notes. */
  rows: z.number().int().min(0),
  /** Its first rows, at most three, as they are written. */
  firstRows: z.array(z.array(z.string())),
  /** How many rows are struck out: they are not part of its rows either. */
  struck: z.number().int().min(0),
  /** Title rows, notes and rows of totals, as they are written: not part of its rows. */
  notes: z.array(z.string()),
  metadata: Metadata.optional(),
});
export type TableHead = z.infer<typeof TableHead>;

/** A table with its rows. */
export interface Table extends TableHead {
  /** The cells as they are written, by row. */
  cells: readonly (readonly string[])[];
  /** Their values, by row. */
  values: readonly (readonly TableValue[])[];
  /** The position of the passage that each row begins in. */
  passages: readonly number[];
}

/** A table whose rows are packed (`src/tables/packed.ts`), as it is passed between processes and stored. */
export interface PackedTable extends TableHead {
  content: Uint8Array;
}

/** A row that a figure rests on: its number, from 1, its cells as they are written, and the passage it stands in. */
const UsedRow = z.object({
  number: z.number().int().min(1),
  cells: z.array(z.string()),
  passage: z.number().int().min(0),
});

/** What a query read of one table. */
export const UsedTable = TableHead.pick({
  id: true,
  documentId: true,
  name: true,
  title: true,
  uri: true,
  section: true,
  reviewedAt: true,
  rows: true,
}).extend({
  columns: z.array(z.string()),
  /** The rows that the result rests on, in their order, at most 200; all that there are if they cannot be told apart. */
  used: z.array(UsedRow),
  /** How many rows it rests on; absent if they cannot be told apart. */
  matched: z.number().int().min(0).optional(),
  /**
   * Columns that the query computes, sorts or compares, and how many rows it leaves out since their cell there has no value.
   * If its rows cannot be told apart: typed columns that it reads, with all their cells without a value.
   */
  unread: z.array(z.object({ column: z.string(), cells: z.number().int().min(1) })),
});
export type UsedTable = z.infer<typeof UsedTable>;

/** The result of a query: a figure, or rows. */
export const Computed = z.object({
  sql: z.string(),
  columns: z.array(z.string()),
  /** At most 200. */
  rows: z.array(z.array(TableValue)),
  /** True if there are more rows than these. */
  isCut: z.boolean(),
  tables: z.array(UsedTable),
});
export type Computed = z.infer<typeof Computed>;
