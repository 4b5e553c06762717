import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { sqlRuns } from "../../../src/tools/runs/sql.js";
import { openDatabase } from "../../../src/tools/store/open.js";
import { SQLITE_MIGRATIONS } from "../../../src/tools/store/sqlite-schema.js";
import { record, runsContract } from "../../contract/runs.js";

const newPlace = async () => join(await mkdtemp(join(tmpdir(), "emend-runs-")), "store");

runsContract("SQLite", newPlace);

/** A store as the first version made it. */
async function oldStore() {
  const place = await newPlace();
  await mkdir(place);
  const file = new DatabaseSync(join(place, "emend.db"));
  file.exec(`PRAGMA journal_mode = WAL; ${SQLITE_MIGRATIONS[0]}; PRAGMA user_version = 1`);
  return { place, file };
}

test("a store of an older version gets what runs need, whether it is written or read first", async () => {
  for (const isRead of [true, false]) {
    const { place, file } = await oldStore();
    file.close();
    const database = openDatabase(place);
    const runs = sqlRuns(database);
    if (isRead) expect(await runs.find({}, 9)).toEqual([]);
    runs.add(record(), "");
    await runs.close();
    expect(await runs.find({}, 9)).toHaveLength(1);
    await database.close();
  }
});

test("a store that another process writes to for long loses a record, and says so once", async () => {
  const { place, file } = await oldStore();
  const database = openDatabase(place);
  await database.write(async () => {});
  file.exec("BEGIN IMMEDIATE");
  const runs = sqlRuns(database);
  const began = performance.now();
  runs.add(record(), "");
  expect(performance.now() - began).toBeLessThan(1_000);
  await runs.close();
  file.exec("ROLLBACK");
  file.close();
  expect(runs.lost()?.message).toMatch(/^A run was not recorded\. Another process .* EMEND_RUNS=off records none\.$/);
  expect(runs.lost()).toBeUndefined();
  runs.add(record(), "");
  await runs.close();
  expect(await runs.find({}, 9)).toHaveLength(1);
  await database.close();
});
