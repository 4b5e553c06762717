import neo4j from "neo4j-driver";
import pg from "pg";

/**
 * Runs before the suites that need real servers. Every server must be configured and reachable: otherwise the run fails
 * here, and no suite is skipped. The suites wipe the database of the Neo4j server.
 * In Postgres they create databases whose names begin with emend_test, and drop those of earlier runs.
 */
export default async function servers() {
  for (const name of MODELS) {
    const models = `${named(name).replace(/\/$/, "")}/models`;
    const response = await fetch(models, { signal: AbortSignal.timeout(10_000) }).catch((error: Error) => {
      throw new Error(`${name}: nothing answers at ${models} (${error.message}).`);
    });
    if (!response.ok) throw new Error(`${name}: ${models} answers with status ${response.status}.`);
  }
  const search = `${named("EMEND_TEST_SEARXNG_URL")}/search?q=test&format=json`;
  const { ok } = await fetch(search, { signal: AbortSignal.timeout(10_000) });
  if (!ok) throw new Error(`EMEND_TEST_SEARXNG_URL: ${search} is refused.`);
  const database = new pg.Client({
    connectionString: named("EMEND_TEST_POSTGRES_URL"),
    connectionTimeoutMillis: 10_000,
  });
  await database.connect().catch((error: Error) => {
    throw new Error(`EMEND_TEST_POSTGRES_URL: no Postgres answers there (${error.message}).`);
  });
  await database.end();
  const auth = neo4j.auth.basic("neo4j", named("EMEND_TEST_NEO4J_PASSWORD"));
  const driver = neo4j.driver(named("EMEND_TEST_NEO4J_URI"), auth, { connectionTimeout: 10_000 });
  await driver.verifyConnectivity().finally(() => driver.close());
}

const MODELS = ["EMEND_TEST_CHAT_URL", "EMEND_TEST_EMBEDDINGS_URL"];

function named(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set. See test/servers.ts, and .ci/run for how each server is started.`);
  return value;
}
