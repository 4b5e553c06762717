import { beforeAll } from "vitest";
import { knowledgeContract } from "../../../src/testing/knowledge-contract.js";
import { sqlKnowledge } from "../../../src/tools/knowledge/sql.js";
import { openDatabase } from "../../../src/tools/store/open.js";
import { keeps } from "../../contract/keeps.js";
import { testDatabase } from "../../postgres.js";

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase("knowledge");
});

keeps(
  "Postgres",
  knowledgeContract(async () => {
    const address = await database.emptied();
    return () => sqlKnowledge(openDatabase(address));
  }),
);
