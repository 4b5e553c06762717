import { beforeAll } from "vitest";
import { togetherContract } from "../../contract/together.js";
import { testDatabase } from "../../postgres.js";

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase("together");
});

togetherContract("Postgres", () => database.emptied());
