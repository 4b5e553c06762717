import { afterAll, beforeAll } from "vitest";
import { neo4jKnowledge } from "../../../src/tools/neo4j/lazily.js";
import { knowledgeContract } from "../../contract/knowledge.js";
import { clear, connect, wipe } from "./server.js";

const connection = connect();
beforeAll(() => wipe(connection));
afterAll(() => connection.close());

knowledgeContract("Neo4j", async () => {
  await clear(connection);
  return () => neo4jKnowledge({ connection: connect() });
});
