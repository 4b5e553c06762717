import { expect, test } from "vitest";
import { CypherError } from "../../../../src/errors.js";
import { prepareIndexes } from "../../../../src/tools/documents/neo4j/schema.js";
import type { Neo4jConnection } from "../../../../src/tools/store/neo4j/connection.js";

/** A server without indexes, which refuses to make each one, and what was asked of it. */
function refusing(message: string) {
  const asked: string[] = [];
  const connection = {
    read: async (cypher: string) => {
      asked.push(cypher);
      return [];
    },
    write: async () => {
      throw new CypherError(message, true);
    },
  } as unknown as Neo4jConnection;
  return { asked, prepare: () => prepareIndexes(connection, undefined, {}) };
}

test("an index that another writer makes at the same moment is waited for", async () => {
  const { asked, prepare } = refusing("An equivalent index already exists, 'Index( id=10, name='emend_passages' )'.");
  await prepare();
  expect(asked.filter((cypher) => cypher.includes("awaitIndex"))).toHaveLength(5);
});

test("an index that the server refuses is a fault", async () => {
  const { prepare } = refusing("No space left on device.");
  await expect(prepare()).rejects.toThrow("No space left on device.");
});
