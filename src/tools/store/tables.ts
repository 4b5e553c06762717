import { gunzipSync, gzipSync } from "node:zlib";
import { z } from "zod";
import { type Table, TableHead, type TableValue } from "../../types/table.js";
import { checksumOf, metadataIn, pairsText } from "./metadata.js";
import type { Dialect, Row, Value, Writing } from "./port.js";

/** A table as it is written: what finds it, and its rows, packed. */
export interface AnalysedTable {
  head: TableHead;
  content: Uint8Array;
  terms: readonly string[];
}

/** Packs a table for the store. @param terms what finds it. */
export function analysedTable({ cells, values, passages, ...head }: Table, terms: readonly string[]): AnalysedTable {
  return { head, content: packed({ cells, values, passages }, head.columns.length), terms };
}

/** Replaces the tables of documents. @param documents the `n` of these documents, by their ids. */
export async function replaceTables(
  to: Writing,
  { isOneOf }: Dialect,
  given: readonly AnalysedTable[],
  documents: ReadonlyMap<unknown, number>,
  statedOf: (metadata: TableHead["metadata"]) => number | null,
): Promise<void> {
  await to.all(`DELETE FROM emend.tables WHERE ${isOneOf("document", "$1")}`, [[...documents.values()]]);
  const rows = given.flatMap(({ head, content, terms }): Record<string, Value>[] => {
    const document = documents.get(head.documentId);
    if (document === undefined) return [];
    const { id, documentId, metadata, ...rest } = head;
    const text = JSON.stringify(rest);
    const checksum = headChecksum(id, documentId, pairsText(metadata), text);
    return [{ id, document, stated: statedOf(metadata), checksum, head: text, terms: terms.join(" "), content }];
  });
  if (rows.length > 0) await to.insert("emend.tables", rows);
}

/** The columns of a table's head, and the tables that hold them. */
export const HEAD_COLUMNS = "t.id, d.id AS document, t.head, t.checksum, s.pairs";
export const HEAD_TABLES = `emend.tables t JOIN emend.documents d ON d.n = t.document
  LEFT JOIN emend.stated s ON s.n = t.stated`;

/** Returns the head in a row, or nothing if it does not match its checksum. */
export function headOf(row: Row): TableHead[] {
  const { data } = StoredHead.safeParse(row);
  if (!data || data.checksum !== headChecksum(data.id, data.document, data.pairs, data.head)) return [];
  const { data: head } = Head.safeParse(JSON.parse(data.head));
  return head ? [{ ...head, id: data.id, documentId: data.document, ...metadataIn(data.pairs) }] : [];
}

/** Returns the table in a row that has the column `content`, or nothing if anything of it is damaged. */
export function tableOf(row: Row): Table[] {
  const [head] = headOf(row);
  const rows = head && unpacked(row.content);
  return rows?.passages.length === head?.rows && head && rows ? [{ ...head, ...rows }] : [];
}

const StoredHead = z.object({
  id: z.string(),
  document: z.string(),
  head: z.string(),
  checksum: z.string(),
  pairs: z.string().nullable(),
});
const Head = TableHead.omit({ id: true, documentId: true, metadata: true });

const headChecksum = (id: string, documentId: string, pairs: string | null, head: string) =>
  checksumOf([id, documentId, pairs, head]);

/** By column: its cells as they are written, and its values unless they are the same. */
interface PackedRows {
  columns: (readonly [written: string[]] | readonly [written: string[], typed: TableValue[]])[];
  passages: readonly number[];
}

type Rows = Pick<Table, "cells" | "values" | "passages">;

/**
 * Packs rows as JSON by column, compressed with a checksum. Of 100,000 rows with 8 columns, this makes 3 MB that are read in
 * 0.15 s; JSON by row takes twice as long.
 */
function packed({ cells, values, passages }: Rows, width: number): Uint8Array {
  const columns = Array.from({ length: width }, (_, c): PackedRows["columns"][number] => {
    const written = cells.map((row) => row[c] ?? "");
    const typed = values.map((row) => row[c] ?? null);
    return typed.every((value, i) => value === written[i]) ? [written] : [written, typed];
  });
  return gzipSync(JSON.stringify({ columns, passages }), { level: 1 });
}

function unpacked(content: unknown): Rows | undefined {
  if (!(content instanceof Uint8Array)) return undefined;
  let text: string;
  try {
    // Throws if the text does not match its checksum.
    text = gunzipSync(content).toString();
  } catch {
    return undefined;
  }
  const { columns, passages } = JSON.parse(text) as PackedRows;
  const byRow = <T>(lists: readonly (readonly T[])[]): T[][] =>
    passages.map((_, row) => lists.map((list) => list[row] as T));
  return {
    cells: byRow(columns.map(([written]) => written)),
    values: byRow(columns.map(([written, typed = written]): readonly TableValue[] => typed)),
    passages,
  };
}
