import { beforeAll } from "vitest";
import { sqlPassesContract } from "../../contract/passes.js";
import { testDatabase } from "../../postgres.js";

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase("passes");
});

sqlPassesContract("Postgres", () => database.emptied());
