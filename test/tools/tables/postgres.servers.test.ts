import { beforeAll } from "vitest";
import { tablesContract } from "../../../src/testing/index.js";
import { sqlDocuments } from "../../../src/tools/documents/sql.js";
import { openDatabase } from "../../../src/tools/store/open.js";
import { sqlTables } from "../../../src/tools/tables/sql.js";
import { keeps } from "../../contract/keeps.js";
import { testDatabase } from "../../postgres.js";

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase("tables");
});

keeps(
  "Postgres",
  tablesContract(async () => {
    const opened = openDatabase(await database.emptied());
    return { documents: sqlDocuments(opened), tables: sqlTables(opened) };
  }),
);
