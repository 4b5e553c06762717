import { afterAll, beforeAll } from "vitest";
import { knowledgeContract } from "../../../src/testing/knowledge-contract.js";
import { neo4jKnowledge } from "../../../src/tools/neo4j/knowledge.js";
import { keeps } from "../../contract/keeps.js";
import { clear, connect, wipe } from "./server.js";

const connection = connect();
beforeAll(() => wipe(connection));
afterAll(() => connection.close());

keeps(
  "Neo4j",
  knowledgeContract(async () => {
    await clear(connection);
    return () => neo4jKnowledge({ connection: connect() });
  }),
);
