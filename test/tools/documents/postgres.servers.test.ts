import { beforeAll } from "vitest";
import { sqlDocuments } from "../../../src/tools/documents/sql.js";
import { openDatabase } from "../../../src/tools/store/open.js";
import { documentsContract } from "../../contract/documents.js";
import { testDatabase } from "../../postgres.js";

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase("documents");
});

documentsContract("Postgres", async () => {
  const address = await database.emptied();
  return (options) => sqlDocuments(openDatabase(address), options);
});
