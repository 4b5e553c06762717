import { Index, type Table } from "@lancedb/lancedb";
import { indexOf } from "../lancedb/table-folder.js";
import { tidy } from "../lancedb/tidy.js";

/** Tidies the table of passages, and gives it an index of vectors once scanning all of them takes too long. */
export async function tidyPassages(
  table: Table,
  hasVectors: boolean,
  when: "whileWriting" | "atTheEnd",
): Promise<void> {
  const isTidied = await tidy(table, when);
  if (!hasVectors || (when === "whileWriting" && !isTidied)) return;
  if ((await table.countRows()) >= EXACT_ROWS && !(await table.indexStats(indexOf("vector"))))
    await table.createIndex("vector", { config: Index.ivfFlat({ distanceType: "dot" }) });
}

/** Below this a scan of all vectors takes less than 10 ms (384 numbers each); at ten times as many, 50 ms. */
const EXACT_ROWS = 10_000;
