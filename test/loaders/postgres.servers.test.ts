import { expect, test } from "vitest";
import { sql } from "../../src/loaders/sql.js";
import { changed, query, testDatabase } from "../postgres.js";
import { connectorContract, listed, textOf } from "./contract.js";

const database = await testDatabase("loaders");
const run = (statement: string) => query(statement, [], database.address);
const READER = "emend_test_reader";
const password = "postgres-very-secret";
const QUERY = "SELECT id, text FROM articles -- all";

/** A table of articles, and a user who may read it. */
async function articles(rows = 2): Promise<string> {
  await run(`DROP TABLE IF EXISTS articles`);
  await run(`DO $$ BEGIN CREATE ROLE ${READER} LOGIN; EXCEPTION WHEN duplicate_object THEN END $$`);
  await run(`ALTER ROLE ${READER} LOGIN PASSWORD '${password}'`);
  await run(`CREATE TABLE articles AS SELECT n AS id, 'Text ' || n AS text, ARRAY['group:hr', 'user:a,b'] AS readers,
    DATE '2024-05-01' AS changed_at, ARRAY['x', 'y'] AS labels, 5::bigint AS pages FROM generate_series(1, ${rows}) AS n`);
  await run(`GRANT ALL ON articles TO ${READER}`);
  return changed({ pathname: `/${database.name}`, username: READER, password });
}

connectorContract("sql with Postgres", async () => {
  const address = await articles();
  return {
    connect: () => sql({ database: address, query: QUERY }),
    id: "1",
    change: () => run("UPDATE articles SET text = 'Another text' WHERE id = 1"),
    remove: () => run("DELETE FROM articles WHERE id = 1"),
    refuse: () => run(`ALTER ROLE ${READER} NOLOGIN`),
    secrets: [password],
    [Symbol.asyncDispose]: async () => {},
  };
});

test("rows have dates, lists and readers, and many come in parts", async () => {
  const address = await articles(450);
  const all = await listed(sql({ database: address, query: "SELECT * FROM articles" }));
  expect(all).toHaveLength(450);
  expect(all[449]).toMatchObject({
    id: "450",
    changedAt: "2024-05-01T00:00:00.000Z",
    readers: ["group:hr", "user:a,b"],
    metadata: { labels: ["x", "y"], pages: "5" },
  });
  expect(await textOf(sql({ database: address, query: QUERY }), "300")).toBe("Text 300");
  const { signal } = new AbortController();
  expect(await sql({ database: address, query: QUERY }).read({ id: "7" }, { signal })).toEqual({ text: "Text 7" });
});

test("nothing can be written, in no statement", async () => {
  const address = await articles();
  for (const [statement, message] of [
    ["DELETE FROM articles RETURNING id, text", "syntax error"],
    ["WITH gone AS (DELETE FROM articles RETURNING *) SELECT id, text FROM gone", "must not contain data-modifying"],
    ["SELECT id, text FROM articles; COMMIT; DELETE FROM articles", "multiple commands"],
  ] as const)
    await expect(listed(sql({ database: address, query: statement }))).rejects.toThrow(message);
  expect((await run("SELECT count(*)::int AS all FROM articles")).rows).toEqual([{ all: 2 }]);
});

test("a list that breaks off is an error, and an abort ends the query", async () => {
  const address = await articles(450);
  const failing = "SELECT id, text, 1 / (id - 300) AS x FROM articles ORDER BY id";
  await expect(listed(sql({ database: address, query: failing }))).rejects.toThrow("division by zero. Check the query");
  const stop = new AbortController();
  const slow = listed(sql({ database: address, query: "SELECT id, text, pg_sleep(60) FROM articles" }), stop.signal);
  setTimeout(() => stop.abort(new Error("the user left")), 200);
  await expect(slow).rejects.toThrow("the user left");
});
