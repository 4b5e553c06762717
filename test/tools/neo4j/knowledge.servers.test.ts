import { afterAll, beforeAll } from "vitest";
import { neo4jKnowledge } from "../../../src/tools/neo4j/knowledge.js";
import { keeps } from "../../contract/keeps.js";
import { ownKnowledgeContract } from "../../contract/knowledge.js";
import { clear, connect, wipe } from "./server.js";

const connection = connect();
beforeAll(() => wipe(connection));
afterAll(() => connection.close());

keeps(
  "Neo4j",
  ownKnowledgeContract(async () => {
    await clear(connection);
    return () => neo4jKnowledge({ connection: connect() });
  }),
);
