import type { NamedTable } from "../../tables/named-tables.js";
import { rowsQueries } from "../../tables/rows-queries.js";
import type { Computed, Table, UsedTable } from "../../types/table.js";
import { queryTables, type Reads } from "./query.js";

/**
 * Runs a query on copies of tables, and finds the rows that its result rests on.
 * @throws TableQueryError, or the signal's reason.
 */
export async function computed(
  sql: string,
  named: readonly NamedTable<Table>[],
  signal: AbortSignal | undefined,
): Promise<Computed> {
  const behind = rowsQueries(sql, named);
  const extra = behind.flatMap((one) => [one.sql, ...one.unread.map((unread) => unread.sql)]);
  const result = await queryTables(sql, named, { extra, signal });
  const found = new Map(extra.map((query, i) => [query, result.extra[i]]));
  const tables = named.flatMap((one, i): UsedTable[] => {
    const read = result.reads.find(({ table }) => table === one.name);
    if (!read) return [];
    const { id, documentId, name, title, uri, section, reviewedAt, rows, columns } = one.table;
    const rests = behind.find(({ table }) => table === i);
    const matched = rests && found.get(rests.sql);
    const unread = matched
      ? rests.unread.map(({ column, sql }) => ({ column, cells: found.get(sql)?.count ?? 0 }))
      : withoutValue(one, read);
    return [
      {
        ...{ id, documentId, name, title, uri, section, reviewedAt, rows },
        columns: columns.map(({ name }) => name),
        used: (matched?.rows ?? firstRows(one.table)).map((number) => ({
          number,
          cells: [...(one.table.cells[number - 1] ?? [])],
          passage: one.table.passages[number - 1] ?? 0,
        })),
        ...(matched && { matched: matched.count }),
        unread: unread
          .filter(({ cells }) => cells > 0)
          .map(({ column, cells }) => ({ column: columns[column]?.name ?? "", cells })),
      },
    ];
  });
  return { sql, columns: result.columns, rows: result.rows, isCut: result.isCut, tables };
}

const firstRows = ({ rows }: Table) => Array.from({ length: Math.min(rows, MOST_USED) }, (_, i) => i + 1);
const MOST_USED = 200;

/** The typed columns that a query reads, with their cells without a value in the whole table. */
const withoutValue = ({ columns, table }: NamedTable<Table>, { columns: read }: Reads) =>
  columns.flatMap(({ value, type }, column) => {
    const { empty = 0, odd = 0 } = table.columns[column] ?? {};
    return type !== "text" && read.includes(value) ? [{ column, cells: empty + odd }] : [];
  });
