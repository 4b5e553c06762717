import { beforeAll } from "vitest";
import { sqlUploadsContract } from "../../contract/uploads.js";
import { testDatabase } from "../../postgres.js";

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase("uploads");
});

sqlUploadsContract("Postgres", () => database.emptied());
