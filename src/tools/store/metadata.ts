import { crc32 } from "node:zlib";
import { z } from "zod";
import { fromPairs, metadataPairs } from "../../text/metadata.js";
import { type Filter, pairsIn } from "../../types/filter.js";
import type { Metadata } from "../../types/metadata.js";
import type { Database, Dialect, SqlQuery, Value, Writing } from "./port.js";

/**
 * Returns stored metadata, whose checksum must have been verified, as an object to spread; without the field if the
 * metadata is unknown.
 */
export function metadataIn(pairs: string | null): { metadata?: Metadata } {
  if (pairs === null) return {};
  return { metadata: fromPairs(Pairs.parse(JSON.parse(pairs))) };
}
const Pairs = z.array(z.string());

/** Writes a query for the `n` of all stored metadata that meets a filter. Undefined for an empty filter. */
export function statedThatMeets(filter: Filter, dialect: Dialect, first = 1): SqlQuery | undefined {
  if (filter.length === 0) return undefined;
  const values: Value[] = [];
  const conditions = filter.map((condition) => {
    values.push(pairsIn(condition));
    const pairs = dialect.isOneOf("pair", `$${first + values.length - 1}`);
    return `n ${condition.not ? "NOT IN" : "IN"} (SELECT stated FROM emend.pairs WHERE ${pairs})`;
  });
  return { sql: `SELECT n FROM emend.stated WHERE ${conditions.join(" AND ")}`, values };
}

/** Writes a filter as a condition on a row with the column `stated`. Its parameters are numbered from `first`. */
export function meeting(filter: Filter, dialect: Dialect, row: string, first: number): Required<SqlQuery> | undefined {
  const stated = statedThatMeets(filter, dialect, first);
  return stated && { sql: `${row}.stated IN (${stated.sql})`, values: stated.values ?? [] };
}

/** Stores the metadata of documents, each combination once. Returns a function that gives the `n` of such metadata. */
export async function keepStated(
  to: Writing,
  dialect: Dialect,
  all: readonly (Metadata | undefined)[],
): Promise<(metadata: Metadata | undefined) => number | null> {
  const texts = [...new Set(all.flatMap((metadata) => pairsText(metadata) ?? []))].sort();
  if (texts.length === 0) return () => null;
  await to.insert(
    "emend.stated",
    texts.map((pairs) => ({ pairs, checksum: checksumOf([pairs]) })),
    "ON CONFLICT DO NOTHING",
  );
  const rows = await to.all(`SELECT n, pairs FROM emend.stated WHERE ${dialect.isOneOf("pairs", "$1")}`, [texts]);
  const pairs = rows.flatMap(({ n, pairs }) =>
    (JSON.parse(`${pairs}`) as string[]).map((pair) => ({
      pair,
      key: pair.slice(0, pair.indexOf("=")),
      stated: Number(n),
    })),
  );
  if (pairs.length > 0) await to.insert("emend.pairs", pairs, "ON CONFLICT DO NOTHING");
  const known = new Map(rows.map(({ n, pairs }) => [pairs, Number(n)]));
  return (metadata) => known.get(pairsText(metadata)) ?? null;
}

/** Returns metadata as the table `stated` stores it; null if it is unknown. */
export const pairsText = (metadata: Metadata | undefined): string | null =>
  metadata ? JSON.stringify(metadataPairs(metadata).map((pair) => pair.toWellFormed())) : null;

/** Notes that documents or facts changed. Adds a row, so that transactions need not wait for each other. */
export const noteEdit = (to: Writing) => to.insert("emend.edits", [{ at: new Date().toISOString() }]);

/** Returns a text that changes whenever documents or facts do. */
export async function editsIn(database: Database, signal?: AbortSignal): Promise<string> {
  const sql = "SELECT count(*) AS edits, max(n) AS last FROM emend.edits";
  const [[row] = []] = await database.read([{ sql }], { signal });
  return `${row?.edits} ${row?.last}`;
}

/** Deletes metadata that no document, table or fact refers to any more, and all but the newest edit. */
export const forgetUnused = (database: Database, signal: AbortSignal): Promise<void> =>
  database.write(
    async (to) => {
      await to.lock("tidy");
      await to.all(`DELETE FROM emend.stated WHERE NOT EXISTS (SELECT 1 FROM emend.passages p WHERE p.stated = stated.n)
        AND NOT EXISTS (SELECT 1 FROM emend.tables t WHERE t.stated = stated.n)
        AND NOT EXISTS (SELECT 1 FROM emend.sources s WHERE s.stated = stated.n)`);
      await to.all("DELETE FROM emend.edits WHERE n < (SELECT max(n) FROM emend.edits)");
    },
    { signal },
  );

/** Computes a CRC-32 of the values of a row, as text. It detects every flipped bit in them. */
export const checksumOf = (values: readonly (string | number | null)[]): string =>
  crc32(values.map((value) => `${value ?? ""}`.toWellFormed()).join("\0")).toString(36);
