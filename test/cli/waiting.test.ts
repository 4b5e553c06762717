import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../src/tools/store/open.js";
import { sqlThreads } from "../../src/tools/threads/sql.js";
import { ended, folder, OFFICES } from "./emend.js";

const QUESTION = "When does the Lisbon office open?";
const WAITING = /^emend: Another process is writing to \.emend\. Waiting for it[^\n]+\n/;

let here: Awaited<ReturnType<typeof folder>>;
beforeAll(async () => {
  here = await folder({
    ...OFFICES,
    "docs/leads.md": "# Leads\n\n| Area | Lead |\n|-|-|\n| Roost | Noor el Amrani |\n",
    "team.csv": "subject,predicate,object\nNoor el Amrani,reports to,Joost van Rees\n",
    "o.json": '{"relations": [{"name": "led by", "aliases": ["Lead"]}]}',
  });
  await here.run(["ingest", "docs"]);
  await here.run(["chat"], {}, `${QUESTION}\n`);
}, 60_000);
afterAll(() => here[Symbol.asyncDispose]());

/** Writes to the store as another process does, until it is closed. */
function theirs() {
  const connection = new DatabaseSync(join(here.path, ".emend/emend.db"));
  connection.exec("BEGIN IMMEDIATE");
  return connection;
}

test.each([
  ["graph load", ["graph", "load", "team.csv"], /1 written/],
  ["graph build", ["graph", "build", "--ontology", "o.json"], /1 triple written/],
  ["chat", ["chat"], /The Lisbon office opens at eight/],
  ["forget", ["forget"], /1 conversation deleted/],
])("%s says that another process is writing, waits and continues", async (name, words, done) => {
  const writer = theirs();
  const child = here.start(name === "forget" ? [...words, await newestThread()] : words);
  child.stdin.end(`${QUESTION}\n`);
  child.stderr.once("data", () => writer.close());
  const { code, stdout, stderr } = await ended(child);
  expect(stderr).toMatch(WAITING);
  expect(stdout).toMatch(done);
  expect(code).toBe(0);
});

async function newestThread(): Promise<string> {
  const threads = sqlThreads(openDatabase(join(here.path, ".emend")));
  const [newest = ""] = await threads.threads();
  await threads.close();
  return newest;
}

test("serve says that another process is writing, and answers after it", async () => {
  const server = here.start(["serve", "--port", "0"]);
  const end = ended(server);
  const [line] = await once(createInterface({ input: server.stdout }), "line");
  const [address = ""] = /http:\S+/.exec(line) ?? [];
  const writer = theirs();
  server.stderr.once("data", () => writer.close());
  const reply = await fetch(`${address}/api/ask`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ question: QUESTION, threadId: crypto.randomUUID() }),
  });
  expect(await reply.json()).toMatchObject({ status: "answered" });
  server.kill("SIGTERM");
  const { code, stderr } = await end;
  expect(stderr).toMatch(WAITING);
  expect(code).toBe(0);
});
