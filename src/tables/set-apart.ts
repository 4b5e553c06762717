import type { Language } from "../types/language.js";

interface Row {
  start: number;
  cells: string[];
}

/** Returns the rows of a table that are data, and its titles, notes and totals. Undefined if it has no header. */
export function withoutAside(
  _names: readonly string[],
  rows: readonly Row[],
  _language: Language,
): { rows: readonly Row[]; notes: string[] } | undefined {
  return { rows, notes: [] };
}
