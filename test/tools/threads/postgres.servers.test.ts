import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { createAgent } from "../../../src/agent.js";
import { StoreUnavailableError } from "../../../src/errors.js";
import { fakePassage, fakeTools } from "../../../src/testing/index.js";
import { openDatabase } from "../../../src/tools/store/open.js";
import type { ThreadsOptions } from "../../../src/tools/threads/port.js";
import { sqlThreads } from "../../../src/tools/threads/sql.js";
import { ended, folder, OFFICES } from "../../cli/emend.js";
import { sqlThreadsContract } from "../../contract/threads.js";
import { changed, query, testDatabase } from "../../postgres.js";
import { fakeServer, saysJson } from "../chat/fake-server.js";

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase("threads");
});
const emptyDatabase = () => database.emptied();
const openThreads = (address: string, options?: ThreadsOptions) => sqlThreads(openDatabase(address), options);

const END_CONNECTIONS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1";

sqlThreadsContract("Postgres", emptyDatabase);

const QUESTION = "How many days of paid leave do staff have?";
const tools = () => fakeTools({ passages: [fakePassage("leave", "Staff have 28 days of paid leave.")] });

test("machines that start at the same time create the tables once", async () => {
  await query("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public", [], await emptyDatabase());
  // Repeated, since it is a matter of chance whether one sees what was created while it waited.
  for (let round = 0; round < 40; round++) {
    const address = await emptyDatabase();
    const machines = Array.from({ length: 8 }, () => openDatabase(address));
    const written = await Promise.all(machines.map((one) => one.write((to) => to.all("SELECT 1 AS one"))));
    expect(written).toEqual(Array(8).fill([{ one: 1 }]));
    for (const one of machines) await one.close();
  }
});

test("a connection that the server ends is replaced", async () => {
  const address = await emptyDatabase();
  const threads = openThreads(address);
  const agent = createAgent({ tools: tools(), checkpointer: threads });
  await agent.ask(QUESTION, { threadId: "a" });
  await query(END_CONNECTIONS, [database.name]);
  await expect.poll(() => threads.threads().catch(() => [])).toEqual(["a"]);
  await threads.close();
});

test("`emend chat` continues a conversation of another machine, about documents that a third one ingested", async () => {
  const settings = { EMEND_STORE: await emptyDatabase() };
  await using here = await folder(OFFICES);
  await using there = await folder({});
  expect(await here.run(["ingest", "docs"], settings)).toMatchObject({ code: 0 });
  await here.run(["chat"], settings, "When does the Lisbon office open?\n");
  const threads = openThreads(settings.EMEND_STORE);
  await createAgent({ tools: tools(), checkpointer: threads }).ask(QUESTION, { threadId: "chat:somebody else:1" });
  await threads.close();
  const resumed = await there.run(["chat", "--resume", "--trace"], settings, "And the Utrecht office?\n");
  expect(resumed).toMatchObject({ code: 0, stderr: "" });
  expect(resumed.stdout).toContain("The Utrecht office opens at nine [");
  expect(resumed.stdout).toContain("(the follow-up, made to stand on its own)");
  const refused = await there.run(["chat"], { EMEND_STORE: changed({ password: "wrong-one" }) }, "");
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toMatch(/^emend: No store at postgres:\/\/[^@]*: it refuses this user or password\. .*\n$/);
  const backup = await there.run(["backup", "copy.db"], settings);
  expect(backup.code).toBe(2);
  expect(backup.stderr).toContain("pg_dump --schema emend");
  const doctor = await there.run(["doctor"], settings);
  expect(doctor.stdout).toMatch(/ok +store +postgres:\/\/[^@]* can be read, and is whole/);
});

test("a database that disappears ends the current question with a one-line error", async () => {
  await using machine = await folder(OFFICES);
  const settings = { EMEND_STORE: await emptyDatabase() };
  expect(await machine.run(["ingest", "docs"], settings)).toMatchObject({ code: 0 });
  await using model = await fakeServer(async (request, response) => {
    await query(`ALTER DATABASE ${database.name} ALLOW_CONNECTIONS false`);
    await query(END_CONNECTIONS, [database.name]);
    // The queries that were running when the connections ended have failed by the time the model answers.
    await sleep(500);
    return saysJson({})(request, response);
  });
  const asked = machine.start(["chat"], { ...settings, EMEND_MODEL: "able", OPENAI_BASE_URL: model.baseURL });
  asked.stdin.end("When does the Lisbon office open?\n");
  const { code, stderr } = await ended(asked);
  await query(`ALTER DATABASE ${database.name} ALLOW_CONNECTIONS true`);
  expect(model.requests.length).toBeGreaterThan(0);
  expect(stderr).toMatch(/^emend: No store at postgres:.*\n$/);
  expect(code).toBe(1);
});

describe("an address without a store", () => {
  test.each([
    ["a wrong password", () => changed({ password: "wrong-one" }), "refuses this user or password"],
    ["an unknown user", () => changed({ username: "nobody" }), "refuses this user or password"],
    ["no password", () => changed({ password: "" }), "asks for a password"],
    ["no such database", () => changed({ pathname: "/missing" }), "no such database. Create it"],
    ["a port where nothing listens", () => changed({ port: "1" }), "Is the server running?"],
    ["a machine that does not exist", () => changed({ hostname: "emend.invalid" }), "there is no host with this name"],
    ["a server without TLS", () => changed({ search: "?sslmode=require" }), "it does not support TLS"],
  ])("is reported in one line with a remedy: %s", async (_, address, said) => {
    const error = await openThreads(address())
      .threads()
      .catch((error: unknown) => error);
    expect(error).toBeInstanceOf(StoreUnavailableError);
    const { message } = error as Error;
    expect(message).toContain(said);
    expect(message).not.toMatch(/wrong-one|\n/);
  });

  test("is reported if the user may not create tables", async () => {
    const address = new URL(await emptyDatabase());
    const password = new URL(address).password;
    await query(`DROP ROLE IF EXISTS reader`);
    await query(`CREATE ROLE reader LOGIN PASSWORD '${password}'`);
    address.username = "reader";
    await expect(openDatabase(address.href).write(async () => {})).rejects.toThrow("GRANT CREATE ON DATABASE");
    await query(`DROP ROLE reader`);
  });

  test("is reported if another service listens there", async () => {
    const other = createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")).listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as { port: number };
    await expect(openThreads(changed({ port: `${port}` })).threads()).rejects.toThrow(StoreUnavailableError);
    other.close();
  });
});
