import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAgent } from "../../../src/agent.js";
import { StoreUnavailableError } from "../../../src/errors.js";
import { fakePassage, fakeTools } from "../../../src/testing/index.js";
import { openThreads } from "../../../src/tools/threads/open.js";
import { ended, folder, OFFICES } from "../../cli/emend.js";
import { threadsContract } from "../../contract/threads.js";
import { fakeServer, saysJson } from "../reasoner/model/fake-server.js";

const server = process.env.EMEND_TEST_POSTGRES_URL ?? "";
const admin = new pg.Client({ connectionString: server });
const name = "emend_test";

beforeAll(async () => {
  await admin.connect();
  // At the end it could not be dropped: connections without a password are in its way for a minute.
  await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await admin.query(`CREATE DATABASE ${name}`);
});
afterAll(() => admin.end());

/** Empties the database of these tests, since it takes long to make and drop one. Returns its address. */
async function emptyDatabase(): Promise<string> {
  const address = changed({ pathname: `/${name}` });
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  await client.query("DROP SCHEMA IF EXISTS emend CASCADE");
  await client.end();
  return address;
}

const changed = (parts: Partial<URL>) => Object.assign(new URL(server), parts).href;

const END_CONNECTIONS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1";

threadsContract("Postgres", emptyDatabase);

const QUESTION = "How many days of paid leave do staff have?";
const tools = () => fakeTools({ passages: [fakePassage("leave", "Staff have 28 days of paid leave.")] });

test("machines that start at once make the tables once", async () => {
  const address = await emptyDatabase();
  const threads = await Promise.all(Array.from({ length: 8 }, () => openThreads(address)));
  expect(await Promise.all(threads.map((one) => one.threads()))).toEqual(Array(8).fill([]));
  for (const one of threads) await one.close();
});

test("nothing is left of old steps but what the kept ones refer to, which are whole", async () => {
  const address = await emptyDatabase();
  const threads = await openThreads(address, { steps: 10 });
  const agent = createAgent({ tools: tools(), checkpointer: threads });
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  const counts = ["checkpoints", "checkpoint_writes", "checkpoint_blobs"].map(
    (t) => `(SELECT count(*) FROM emend.${t})`,
  );
  const count = async () => (await client.query({ text: `SELECT ${counts.join()}`, rowMode: "array" })).rows;
  const list = () => Array.fromAsync(threads.list({ configurable: { thread_id: "a" } }));
  const ask = () => agent.ask(QUESTION, { threadId: "a" });
  for (let i = 0; i < 3; i++) await ask();
  const [before, counted] = [await list(), await count()];
  await ask();
  const ids = before.map(({ checkpoint }) => checkpoint.id);
  const kept = (await list()).filter(({ checkpoint }) => ids.includes(checkpoint.id));
  expect(kept.length).toBeGreaterThan(5);
  expect(kept).toEqual(before.slice(0, kept.length));
  expect(await count()).toEqual(counted);
  await client.end();
  await threads.close();
});

test("a connection that the server ends is replaced", async () => {
  const address = await emptyDatabase();
  const threads = await openThreads(address);
  const agent = createAgent({ tools: tools(), checkpointer: threads });
  await agent.ask(QUESTION, { threadId: "a" });
  await admin.query(END_CONNECTIONS, [name]);
  await expect.poll(() => threads.threads().catch(() => [])).toEqual(["a"]);
  await threads.close();
});

test("`emend chat` goes on with a conversation of another machine", async () => {
  const settings = { EMEND_THREADS: await emptyDatabase() };
  await using here = await folder(OFFICES);
  await using there = await folder(OFFICES);
  for (const machine of [here, there]) expect(await machine.run(["ingest", "docs"])).toMatchObject({ code: 0 });
  await here.run(["chat"], settings, "When does the Lisbon office open?\n");
  const threads = await openThreads(settings.EMEND_THREADS);
  await createAgent({ tools: tools(), checkpointer: threads }).ask(QUESTION, { threadId: "chat:somebody else:1" });
  await threads.close();
  const resumed = await there.run(["chat", "--resume", "--trace"], settings, "And the Utrecht office?\n");
  expect(resumed).toMatchObject({ code: 0, stderr: "" });
  expect(resumed.stdout).toContain("The Utrecht office opens at nine [");
  expect(resumed.stdout).toContain("(the follow-up, made to stand on its own)");
  const refused = await there.run(["chat"], { EMEND_THREADS: changed({ password: "wrong-one" }) }, "");
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toMatch(
    /^emend: No conversations at postgres:\/\/[^@]*: it refuses this user or password\. .*\n$/,
  );
});

test("a database that goes away ends the question that is answered, in one line", async () => {
  await using machine = await folder(OFFICES);
  expect(await machine.run(["ingest", "docs"])).toMatchObject({ code: 0 });
  const settings = { EMEND_THREADS: await emptyDatabase() };
  await using model = await fakeServer(async (request, response) => {
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await admin.query(END_CONNECTIONS, [name]);
    // What was under way when the connections ended has failed by the time that the model answers.
    await sleep(500);
    return saysJson({})(request, response);
  });
  const asked = machine.start(["chat"], { ...settings, EMEND_MODEL: "able", OPENAI_BASE_URL: model.baseURL });
  asked.stdin.end("When does the Lisbon office open?\n");
  const { code, stderr } = await ended(asked);
  await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
  expect(model.requests.length).toBeGreaterThan(0);
  expect(stderr).toMatch(/^emend: No conversations at postgres:.*\n$/);
  expect(code).toBe(1);
});

describe("an address where there are no conversations", () => {
  test.each([
    ["a wrong password", () => changed({ password: "wrong-one" }), "refuses this user or password"],
    ["an unknown user", () => changed({ username: "nobody" }), "refuses this user or password"],
    ["no password", () => changed({ password: "" }), "asks for a password"],
    ["no such database", () => changed({ pathname: "/missing" }), "no such database. Create it"],
    ["a port where nothing listens", () => changed({ port: "1" }), "Is the server running?"],
    ["a machine that does not exist", () => changed({ hostname: "emend.invalid" }), "no machine has this name"],
    ["a server without TLS", () => changed({ search: "?sslmode=require" }), "it speaks no TLS"],
  ])("is told in one line that says what to do: %s", async (_, address, said) => {
    const error = await openThreads(address()).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(StoreUnavailableError);
    const { message } = error as Error;
    expect(message).toContain(said);
    expect(message).not.toMatch(/wrong-one|\n/);
  });

  test("is told where the user may not make tables", async () => {
    const address = new URL(await emptyDatabase());
    const password = new URL(server).password;
    await admin.query(`DROP ROLE IF EXISTS reader`);
    await admin.query(`CREATE ROLE reader LOGIN PASSWORD '${password}'`);
    address.username = "reader";
    await expect(openThreads(address.href)).rejects.toThrow("GRANT CREATE ON DATABASE");
    await admin.query(`DROP ROLE reader`);
  });

  test("is told where something else listens", async () => {
    const other = createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")).listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as { port: number };
    await expect(openThreads(changed({ port: `${port}` }))).rejects.toThrow(StoreUnavailableError);
    other.close();
  });
});
