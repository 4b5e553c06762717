import { Index, type Table } from "@lancedb/lancedb";
import { indexOf } from "../../store/lancedb/table-folder.js";
import { tidy } from "../../store/lancedb/tidy.js";
import { vectorColumns } from "./vectors.js";

/** Tidies the table of passages, and gives it an index of vectors once scanning all of them takes too long. */
export async function tidyPassages(table: Table, when: "whileWriting" | "atTheEnd"): Promise<void> {
  const isTidied = await tidy(table, when);
  const [vectors] = await vectorColumns(table);
  if (!vectors || (when === "whileWriting" && !isTidied)) return;
  const { name } = vectors;
  if ((await table.countRows(`${name} IS NOT NULL`)) >= EXACT_ROWS && !(await table.indexStats(indexOf(name))))
    await table.createIndex(name, { config: Index.ivfFlat({ distanceType: "dot" }) });
}

/** Below this a scan of all vectors takes less than 10 ms (384 numbers each); at ten times as many, 50 ms. */
const EXACT_ROWS = 10_000;
