import { beforeAll, expect, test } from "vitest";
import { sqlRuns } from "../../../src/tools/runs/sql.js";
import { openDatabase } from "../../../src/tools/store/open.js";
import { sqlRunsContract } from "../../contract/runs.js";
import { query, testDatabase } from "../../postgres.js";

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase("runs");
});

sqlRunsContract("Postgres", () => database.emptied());

test("a store of another version is refused", async () => {
  const address = await database.emptied();
  await query("CREATE SCHEMA emend; CREATE TABLE emend.version AS SELECT 1000 AS version", [], address);
  const store = openDatabase(address);
  await expect(sqlRuns(store).find({}, 9)).rejects.toThrow(/another version of emend/);
  await store.close();
});
