import type { ColumnType, TableHead } from "../types/table.js";

/** A table under the names that a query calls it by. */
export interface NamedTable<T extends TableHead = TableHead> {
  /** Unique among the tables, whatever its case. */
  name: string;
  /** By column: the name of its values and, unless they are texts, that of its cells as they are written. */
  columns: readonly { value: string; written?: string; type: ColumnType }[];
  table: T;
}

/** The column with the number of each row, from 1. */
export const ROW = "_row";

/**
 * Names tables for queries, in this order: the last name of each in letters, digits and underscores, with a number if
 * another one is called that already. Columns keep their headings. Cells as they are written are in a column of their own
 * beside typed values, "Cost" and "Cost (written)".
 */
export function namedTables<T extends TableHead>(tables: readonly T[]): NamedTable<T>[] {
  const taken = new Set<string>();
  const unique = (wanted: string, among: Set<string>) => {
    let name = wanted;
    for (let i = 2; among.has(name.toLowerCase()); i++) name = `${wanted}_${i}`;
    among.add(name.toLowerCase());
    return name;
  };
  return tables.map((table) => {
    const plain = table.name
      .replace(/\.\w{1,5}$/, "")
      .replace(/[^\p{L}\p{N}]+/gu, "_")
      .replace(/^_+|_+$/g, "")
      .slice(0, 40)
      .replace(/\p{Cs}$/u, "");
    const own = new Set([ROW]);
    // SQL ends at NUL, and has no halves of characters.
    const values = table.columns.map(({ name }) => unique(name.replaceAll("\0", "").toWellFormed() || "column", own));
    const columns = table.columns.map(({ type }, i) => {
      const value = values[i] ?? "";
      return { value, type, ...(type !== "text" && { written: unique(`${value} (written)`, own) }) };
    });
    return { name: unique(/^(?!sqlite_)\p{L}/iu.test(plain) ? plain : `table_${plain}`, taken), columns, table };
  });
}
