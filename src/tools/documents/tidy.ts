import { Index, type Table } from "@lancedb/lancedb";
import { TERMS_INDEX } from "./table-folder.js";

/**
 * Takes new rows into the indexes, joins small files and drops old versions, where that is worth the wait. Until then
 * new rows are found by reading each of them (18 ms of a processor for 1,000), while taking them in costs 0.3 ms for
 * every row of the store. So at the end a small rest may stay outside, and a long run of writes is taken in whenever it
 * has tripled the store, which costs half as much again as doing it once.
 */
export async function tidy(table: Table, hasVectors: boolean, when: "whileWriting" | "atTheEnd"): Promise<void> {
  const { numIndexedRows = 0, numUnindexedRows = 0 } = (await table.indexStats(TERMS_INDEX)) ?? {};
  const { fragmentStats } = await table.stats();
  const [rows, files] =
    when === "atTheEnd" ? [Math.max(500, numIndexedRows / 100), 50] : [Math.max(5_000, numIndexedRows * 2), 500];
  if (numUnindexedRows <= rows && fragmentStats.numFragments <= files) return;
  await table.optimize({ cleanupOlderThan: new Date(Date.now() - KEPT_VERSIONS) });
  if (hasVectors && numIndexedRows + numUnindexedRows >= EXACT_ROWS && !(await table.indexStats(VECTOR_INDEX)))
    await table.createIndex("vector", { config: Index.ivfFlat({ distanceType: "dot" }) });
}

/** Readers move to the newest version before each search; none takes a minute, and one that did would begin again. */
const KEPT_VERSIONS = 60_000;
/** Below this a scan of all vectors takes less than 10 ms (384 numbers each); at ten times as many, 50 ms. */
const EXACT_ROWS = 10_000;
const VECTOR_INDEX = "vector_idx";
