import type { Language } from "../types/language.js";
import type { TableHead } from "../types/table.js";

/** A query for a question, and the ids of the tables that it is named over. */
export interface Plan {
  sql: string;
  tables: readonly string[];
}

export const asksToCompute = (_question: string, _language: Language): boolean => false;

export const planFor = (_question: string, _language: Language, _tables: readonly TableHead[]): Plan | undefined =>
  undefined;
