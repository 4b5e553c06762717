import { join } from "node:path";
import { fakeRun } from "../../src/testing/runs-contract.js";
import { sqlRuns } from "../../src/tools/runs/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import type { RunRecord } from "../../src/types/run.js";

/** Records this many runs, all with the same time, in the store of a folder. */
export async function recorded(path: string, count: number, daysAgo: number, given: Partial<RunRecord> = {}) {
  const database = openDatabase(join(path, ".emend"));
  await database.write(async () => {});
  const runs = sqlRuns(database);
  const at = new Date(Date.now() - daysAgo * 86_400_000).toISOString();
  for (let i = 0; i < count; i++) runs.add(fakeRun({ at, ...given }), "");
  await runs.close();
  await database.close();
}
