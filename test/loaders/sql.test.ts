import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { sql } from "../../src/loaders/sql.js";
import { connectorContract, listed, textOf } from "./contract.js";

const signal = new AbortController().signal;
const QUERY = "SELECT number AS id, body AS text FROM articles;";

async function articles() {
  const folder = await mkdtemp(join(tmpdir(), "emend-sql-"));
  const path = join(folder, "wiki.db");
  const database = new DatabaseSync(path);
  database.exec(`CREATE TABLE articles (number INTEGER, title TEXT, body TEXT, link TEXT, changed TEXT, team TEXT, pages INTEGER, who TEXT);
    INSERT INTO articles VALUES
      (1, 'Leave', 'Ten days a year.', 'https://wiki.example.org/1', '2024-05-01', 'HR', 3, '["group:hr"]'),
      (2, '工资', '每月十日。', 'javascript:alert(1)', NULL, NULL, 1, NULL)`);
  return {
    path,
    database,
    run: (statement: string) => database.exec(statement),
    async [Symbol.asyncDispose]() {
      database.close();
      await rm(folder, { recursive: true });
    },
  };
}

connectorContract("sql with SQLite", async () => {
  const world = await articles();
  return {
    ...world,
    connect: () => sql({ database: world.path, query: QUERY }),
    id: "1",
    change: () => world.run("UPDATE articles SET body = 'Eleven days.' WHERE number = 1"),
    remove: () => world.run("DELETE FROM articles WHERE number = 1"),
    refuse: () => rmSync(world.path),
    secrets: ["Ten days"],
  };
});

test("columns become the title, address, date, readers and metadata by their names", async () => {
  await using world = await articles();
  const query =
    "SELECT number AS id, body AS text, title, link AS url, changed AS changed_at, who AS readers, team, pages, x'00' AS raw FROM articles";
  const all = await listed(sql({ database: world.path, query }));
  expect(all).toEqual([
    {
      id: "1",
      version: expect.any(String),
      title: "Leave",
      url: "https://wiki.example.org/1",
      changedAt: "2024-05-01T00:00:00.000Z",
      readers: ["group:hr"],
      metadata: { team: "HR", pages: "3" },
    },
    expect.objectContaining({ id: "2", title: "工资", url: undefined, changedAt: undefined, readers: [] }),
  ]);
  world.run("UPDATE articles SET who = '[\"everyone\"]', team = 'Pay'");
  const [after] = await listed(sql({ database: world.path, query }));
  expect(after).toEqual({ ...all[0], readers: ["everyone"], metadata: { team: "Pay", pages: "3" } });
});

test("a row is read after it was listed and without", async () => {
  await using world = await articles();
  const connector = sql({ database: world.path, query: `${QUERY.replace(";", "")} -- all` });
  expect(await textOf(connector, "2")).toBe("每月十日。");
  expect(await connector.read({ id: "1" }, { signal })).toEqual({ text: "Ten days a year." });
  for (const id of ["3", "1 OR 1=1"]) expect(await connector.read({ id }, { signal })).toBeUndefined();
  world.run("UPDATE articles SET body = NULL WHERE number = 1");
  expect(await connector.read({ id: "1" }, { signal })).toBeUndefined();
});

test("nothing can be written", async () => {
  await using world = await articles();
  for (const query of ["DELETE FROM articles RETURNING number AS id, body AS text", "DROP TABLE articles"])
    await expect(listed(sql({ database: world.path, query }))).rejects.toThrow("readonly");
  expect(await listed(sql({ database: world.path, query: QUERY }))).toHaveLength(2);
});

test.each([
  ["SELECT body AS text FROM articles", "A row has no id."],
  ["SELECT NULL AS id, body AS text FROM articles", "A row has no id."],
  ["SELECT number AS id FROM articles", "no column named text"],
  ["SELECT 1 AS id, body AS text FROM articles", "Two rows have the id 1."],
  ["SELECT number AS id, body AS text, 'ada' AS readers FROM articles", "The column readers must be a list"],
  ["SELECT number AS id, body AS text, '[\"ada\"]' AS readers FROM articles", "The column readers must be a list"],
  ["SELECT number AS id, missing AS text FROM articles", "no such column: missing. Check the query"],
])("%s is refused", async (query, message) => {
  await using world = await articles();
  await expect(listed(sql({ database: world.path, query }))).rejects.toThrow(message);
});

test("a database that cannot be opened is told from a query that it does not answer", async () => {
  await using world = await articles();
  for (const database of [`${world.path}-gone`, "postgres://ada:secret@127.0.0.1:9/wiki"])
    await expect(listed(sql({ database, query: QUERY }))).rejects.toThrow(/cannot be opened: .* Check `database`\.$/);
});

test("wrong options are named without their values", () => {
  expect(() => sql({ database: "", query: QUERY })).toThrow("database");
  expect(() => sql({ database: "postgres://ada:sql-secret@:x", query: QUERY })).toThrow(/^(?!.*sql-secret).*%23/);
});
