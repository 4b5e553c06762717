import pg from "pg";

const server = process.env.EMEND_TEST_POSTGRES_URL ?? "";

/** The address of the test server with these parts changed. */
export const changed = (parts: Partial<URL>) => Object.assign(new URL(server), parts).href;

/** Runs a statement on the server, or on another database. */
export async function query(sql: string, values: unknown[] = [], address = server) {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    return await client.query(sql, values);
  } finally {
    await client.end();
  }
}

/** Creates a database for a test file, and returns a function that empties it. */
export async function testDatabase(kind: string) {
  const name = `emend_test_${kind}`;
  // It cannot be dropped at the end, since connections without a password block that for a minute.
  await query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await query(`CREATE DATABASE ${name}`);
  const address = changed({ pathname: `/${name}` });
  return {
    name,
    address,
    /** Empties it, since creating and dropping a database is slow. */
    async emptied(): Promise<string> {
      await query("DROP SCHEMA IF EXISTS emend CASCADE", [], address);
      return address;
    },
  };
}
