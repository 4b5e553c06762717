import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { TableQueryError } from "../../../src/errors.js";
import { tablesContract } from "../../../src/testing/index.js";
import { JOBS, keep, SALARIES } from "../../../src/testing/tables-sample.js";
import { sqlDocuments } from "../../../src/tools/documents/sql.js";
import { openDatabase } from "../../../src/tools/store/open.js";
import { sqlTables } from "../../../src/tools/tables/sql.js";
import { keeps } from "../../contract/keeps.js";

const file = (place: string) => join(place, "emend.db");
const newPlace = async () => join(await mkdtemp(join(tmpdir(), "emend-tables-")), "store");

for (const [name, place] of [
  ["SQLite", newPlace],
  ["SQLite in memory", async () => ":memory:"],
] as const)
  keeps(
    name,
    tablesContract(async () => {
      const database = openDatabase(await place());
      return { documents: sqlDocuments(database), tables: sqlTables(database) };
    }),
  );

test("a table that a flipped bit changed is left out, and its document is named", async () => {
  const place = await newPlace();
  const path = file(place);
  const kept = [JOBS, SALARIES];
  const written = sqlDocuments(openDatabase(place));
  await keep(written, kept);
  await written.close();
  const whole = await readFile(path);
  const [{ content: packed = new Uint8Array() } = {}] = stored(path, "SELECT content FROM tables WHERE n = 1");
  // The JSON of the head, and the packed rows.
  const places = [
    whole.indexOf('{"name":"Jobs"') + 40,
    ...[12, 40, packed.length - 6].map((at) => whole.indexOf(packed) + at),
  ];
  for (const at of places) {
    const flipped = Buffer.from(whole);
    flipped[at] = (whole[at] ?? 0) ^ 4;
    await writeFile(path, flipped);
    const database = openDatabase(place);
    const [documents, tables] = [sqlDocuments(database), sqlTables(database)];
    expect(await tables.get(kept.map(({ id }) => id))).toEqual([SALARIES]);
    await expect(tables.query("SELECT count(*) FROM jobs", [JOBS.id])).rejects.toThrow(TableQueryError);
    expect(await documents.damaged?.()).toEqual(["jobs"]);
    await documents.close();
  }
});

test("the index of words and the metadata lose what a removed or changed document had", async () => {
  const place = await newPlace();
  const database = openDatabase(place);
  const documents = sqlDocuments(database);
  await keep(documents, [JOBS, SALARIES]);
  await keep(documents, [{ ...JOBS, metadata: { department: "other" } }]);
  await documents.remove(["salaries"]);
  await documents.tidy?.();
  expect(await database.check()).toEqual([]);
  await documents.close();
  expect(stored(file(place), "SELECT pair FROM pairs")).toEqual([{ pair: "department=other" }]);
  expect(stored(file(place), "SELECT rowid FROM tables_terms WHERE tables_terms MATCH 'berlin'")).toHaveLength(1);
});

function stored(path: string, sql: string) {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database.prepare(sql).all() as Record<string, Uint8Array>[];
  } finally {
    database.close();
  }
}
