import type { Table } from "@lancedb/lancedb";

/**
 * Takes new rows into the indexes, joins small files and drops old versions, where that is worth the wait. Until then
 * new rows are found by reading each of them (18 ms of a processor for 1,000), while taking them in costs 0.3 ms for
 * every row of the store. So at the end a small rest may stay outside, and a long run of writes is taken in whenever it
 * has tripled the store, which costs half as much again as doing it once. Every index is looked at: each is brought up to
 * date in a step of its own, and a process may be killed between two.
 * @returns whether anything was done.
 */
export async function tidy(table: Table, when: "whileWriting" | "atTheEnd"): Promise<boolean> {
  const indexes = await table.listIndices();
  const indexed = Math.min(...indexes.map(({ numIndexedRows = 0 }) => numIndexedRows));
  const unindexed = Math.max(...indexes.map(({ numUnindexedRows = 0 }) => numUnindexedRows));
  const { fragmentStats } = await table.stats();
  const [rows, files] = when === "atTheEnd" ? [Math.max(500, indexed / 100), 50] : [Math.max(5_000, indexed * 2), 500];
  if (unindexed <= rows && fragmentStats.numFragments <= files) return false;
  await table.optimize({ cleanupOlderThan: new Date(Date.now() - KEPT_VERSIONS) });
  return true;
}

/** Readers move to the newest version before each search; none takes a minute, and one that did would begin again. */
const KEPT_VERSIONS = 60_000;
