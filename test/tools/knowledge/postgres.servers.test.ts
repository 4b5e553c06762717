import { beforeAll } from "vitest";
import { sqlKnowledge } from "../../../src/tools/knowledge/sql.js";
import { openDatabase } from "../../../src/tools/store/open.js";
import { keeps } from "../../contract/keeps.js";
import { ownKnowledgeContract } from "../../contract/knowledge.js";
import { testDatabase } from "../../postgres.js";

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase("knowledge");
});

keeps(
  "Postgres",
  ownKnowledgeContract(async () => {
    const address = await database.emptied();
    return () => sqlKnowledge(openDatabase(address));
  }),
);
