import { afterAll, beforeAll } from "vitest";
import { neo4jDocuments } from "../../../src/tools/documents/neo4j.js";
import { type Neo4jConnection, neo4jConnection } from "../../../src/tools/neo4j/connection.js";
import { documentsContract } from "../../contract/documents.js";

const connection: Neo4jConnection = neo4jConnection({
  uri: process.env.EMEND_TEST_NEO4J_URI ?? "",
  username: "neo4j",
  password: process.env.EMEND_TEST_NEO4J_PASSWORD ?? "",
});
beforeAll(async () => {
  await wipe();
});
afterAll(() => connection.close());

async function wipe() {
  await connection.write([{ cypher: "MATCH (n) DETACH DELETE n" }]);
}

documentsContract("Neo4j", async () => {
  await wipe();
  return (options) => neo4jDocuments({ connection, ...options });
});
