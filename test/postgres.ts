import pg from "pg";

const server = process.env.EMEND_TEST_POSTGRES_URL ?? "";

/** The address of the server of the tests with these parts changed. */
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

/** Makes a database for a file of tests, and a function that empties it. */
export async function testDatabase(kind: string) {
  const name = `emend_test_${kind}`;
  // At the end it could not be dropped: connections without a password are in its way for a minute.
  await query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await query(`CREATE DATABASE ${name}`);
  const address = changed({ pathname: `/${name}` });
  return {
    name,
    address,
    /** Empties it, since it takes long to make and drop one. */
    async emptied(): Promise<string> {
      await query("DROP SCHEMA IF EXISTS emend CASCADE", [], address);
      return address;
    },
  };
}
