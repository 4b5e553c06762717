import { type Neo4jConnection, neo4jConnection } from "../../../src/tools/neo4j/connection.js";

/** The server whose database the suites may wipe. */
export const SERVER = {
  uri: process.env.EMEND_TEST_NEO4J_URI ?? "",
  username: "neo4j",
  password: process.env.EMEND_TEST_NEO4J_PASSWORD ?? "",
};

export const connect = (): Neo4jConnection => neo4jConnection(SERVER);

/** Removes all data, indexes and constraints. */
export async function wipe(connection: Neo4jConnection): Promise<void> {
  await clear(connection);
  await dropAll(connection, "SHOW CONSTRAINTS YIELD name RETURN name", "CONSTRAINT");
  await dropAll(connection, "SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP' RETURN name", "INDEX");
}

/** Removes all data and keeps the indexes, which take seconds to create. */
export async function clear(connection: Neo4jConnection): Promise<void> {
  for (;;) {
    const [left] = await connection.change((run) =>
      run("MATCH (n) WITH n LIMIT 20000 DETACH DELETE n RETURN count(*) AS gone"),
    );
    if (Number(left?.get("gone")) === 0) break;
  }
}

async function dropAll(connection: Neo4jConnection, shown: string, kind: string): Promise<void> {
  for (const row of await connection.read(shown))
    await connection.write([{ cypher: `DROP ${kind} \`${row.get("name")}\` IF EXISTS` }]);
}
