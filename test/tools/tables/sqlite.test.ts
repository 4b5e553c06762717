import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tablesContract } from "../../../src/testing/index.js";
import { sqlDocuments } from "../../../src/tools/documents/sql.js";
import { openDatabase } from "../../../src/tools/store/open.js";
import { sqlTables } from "../../../src/tools/tables/sql.js";
import { keeps } from "../../contract/keeps.js";

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
