import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { fakeRun } from "../../../src/testing/runs-contract.js";
import { sqlRuns } from "../../../src/tools/runs/sql.js";
import { openDatabase } from "../../../src/tools/store/open.js";
import { sqlRunsContract } from "../../contract/runs.js";

const newPlace = async () => join(await mkdtemp(join(tmpdir(), "emend-runs-")), "store");

sqlRunsContract("SQLite", newPlace);

test("a run is not recorded if another process blocks the store for long, and this is reported once", async () => {
  const place = await newPlace();
  const database = openDatabase(place);
  await database.write(async () => {});
  const file = new DatabaseSync(join(place, "emend.db"));
  file.exec("BEGIN IMMEDIATE");
  const runs = sqlRuns(database);
  const began = performance.now();
  runs.add(fakeRun(), "");
  expect(performance.now() - began).toBeLessThan(1_000);
  await runs.close();
  file.exec("ROLLBACK");
  file.close();
  expect(runs.lost()?.message).toMatch(/^A run was not recorded\. Another process .* EMEND_RUNS=off records none\.$/);
  expect(runs.lost()).toBeUndefined();
  runs.add(fakeRun(), "");
  await runs.close();
  expect(await runs.find({}, 9)).toHaveLength(1);
  await database.close();
});
