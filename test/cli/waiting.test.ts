import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../src/tools/store/open.js";
import { sqlThreads } from "../../src/tools/threads/sql.js";
import { folder, OFFICES } from "./emend.js";

const QUESTION = "When does the Lisbon office open?";

let here: Awaited<ReturnType<typeof folder>>;
beforeAll(async () => {
  here = await folder({
    ...OFFICES,
    "docs/leads.md": "# Leads\n\n| Area | Lead |\n|-|-|\n| Roost | Noor el Amrani |\n",
    "docs/new.md": "# New\n\nThe canteen opens at noon.\n",
    "team.csv": "subject,predicate,object\nNoor el Amrani,reports to,Joost van Rees\n",
    "o.json": '{"relations": [{"name": "led by", "aliases": ["Lead"]}]}',
  });
  await here.run(["ingest", "docs/offices.md", "docs/leads.md"]);
  await here.run(["chat"], {}, `${QUESTION}\n`);
}, 60_000);
afterAll(() => here[Symbol.asyncDispose]());

test.each([
  ["ingest", ["ingest", "docs"], /^2 added, 0 changed, 2 unchanged/],
  ["graph load", ["graph", "load", "team.csv"], /1 written/],
  ["graph build", ["graph", "build", "--ontology", "o.json"], /1 triple written/],
  ["chat", ["chat"], /The Lisbon office opens at eight/],
  ["forget", ["forget"], /1 conversation deleted/],
])("%s says once that another process is writing, waits and continues", async (name, words, done) => {
  const all = name === "forget" ? [...words, await newestThread()] : words;
  const theirs = new DatabaseSync(join(here.path, ".emend/emend.db"));
  theirs.exec("BEGIN IMMEDIATE");
  const { code, stdout, stderr } = await here.run(all, {}, `${QUESTION}\n`, () => theirs.isOpen && theirs.close());
  expect(stderr).toMatch(/^emend: Another process is writing to \.emend\. Waiting for it[^\n]+\n$/);
  expect(stdout).toMatch(done);
  expect(code).toBe(0);
});

async function newestThread(): Promise<string> {
  const threads = sqlThreads(openDatabase(join(here.path, ".emend")));
  const [newest = ""] = await threads.threads();
  await threads.close();
  return newest;
}
