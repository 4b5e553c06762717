import { beforeAll, expect, test } from "vitest";
import { sqlRuns } from "../../../src/tools/runs/sql.js";
import { openDatabase } from "../../../src/tools/store/open.js";
import { POSTGRES_MIGRATIONS } from "../../../src/tools/store/postgres-schema.js";
import { record, runsContract } from "../../contract/runs.js";
import { query, testDatabase } from "../../postgres.js";

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase("runs");
});

runsContract("Postgres", () => database.emptied());

test("a store of an older version can be read, and gets what runs need", async () => {
  const address = await database.emptied();
  const old = `CREATE SCHEMA emend; CREATE TABLE emend.migrations (version INTEGER PRIMARY KEY); ${POSTGRES_MIGRATIONS[0]}
    INSERT INTO emend.migrations VALUES (1); INSERT INTO emend.edits (at) VALUES ('then')`;
  await query(old, [], address);
  const store = openDatabase(address);
  expect(await store.exists()).toBe(true);
  expect(await store.read([{ sql: "SELECT at FROM emend.edits" }])).toEqual([[{ at: "then" }]]);
  const runs = sqlRuns(store);
  runs.add(record(), "");
  await runs.close();
  expect(await runs.find({}, 9)).toHaveLength(1);
  await store.close();
});
