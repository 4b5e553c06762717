import { z } from "zod";
import { unpacked } from "../../tables/packed.js";
import { type PackedTable, type Table, TableHead } from "../../types/table.js";
import { checksumOf, metadataIn, pairsText } from "./metadata.js";
import type { Dialect, Row, Value, Writing } from "./port.js";

/** A table and the terms that find it. */
export interface AnalysedTable {
  table: PackedTable;
  terms: readonly string[];
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
  const rows = given.flatMap(({ table, terms }): Record<string, Value>[] => {
    const { id, documentId, metadata, content, ...rest } = table;
    const document = documents.get(documentId);
    if (document === undefined) return [];
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
  const { content } = row;
  if (!(content instanceof Uint8Array)) return [];
  return headOf(row).flatMap((head) => unpacked({ ...head, content }) ?? []);
}

const StoredHead = z.object({
  id: z.string(),
  document: z.string(),
  head: z.string(),
  checksum: z.string(),
  pairs: z.string().nullable(),
});
const Head = TableHead.omit({ id: true, documentId: true, metadata: true });

export const headChecksum = (id: string, documentId: string, pairs: string | null, head: string) =>
  checksumOf([id, documentId, pairs, head]);
