import { beforeAll, expect, test } from "vitest";
import { sqlDocuments } from "../../src/tools/documents/sql.js";
import { sqlKnowledge } from "../../src/tools/knowledge/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { testDatabase } from "../postgres.js";
import { ended, folder } from "./emend.js";

const PAGES = 60;
/** A word of letters alone: a number would be a term of its own. */
const wordOf = (page: number) => `zebra${String(page).replace(/\d/g, (digit) => "bdfghjkmpq"[Number(digit)] ?? "")}`;

/** Each page has a word of its own, a fact about somebody whom all name, and more text than is read without a separate process. */
const MANUAL = Object.fromEntries(
  Array.from({ length: PAGES }, (_, page) => [
    `docs/${page} 手册.md`,
    `# Page ${page}\n\n| Area | Lead |\n|-|-|\n| ${wordOf(page)} | Noor el Amrani |\n\n${"上海办公室九点开门。 ".repeat(300)}\n`,
  ]),
);

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase("ingest");
});

test("two shards that begin at the same time fill an empty database, each document once", async () => {
  await using here = await folder(MANUAL);
  const address = await database.emptied();
  const shards = ["1/2", "2/2"].map((shard) =>
    ended(here.start(["ingest", "docs", "--shard", shard, "--json"], { EMEND_STORE: address })),
  );
  const summaries = (await Promise.all(shards)).map(({ code, stdout, stderr }) => {
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return JSON.parse(stdout) as { added: number };
  });
  expect(summaries.every(({ added }) => added > 0)).toBe(true);
  expect(summaries.reduce((sum, { added }) => sum + added, 0)).toBe(PAGES);

  const opened = openDatabase(address);
  const documents = sqlDocuments(opened);
  const listed = (await documents.list()).map(({ documentId }) => documentId);
  expect(listed.toSorted()).toEqual(Object.keys(MANUAL).toSorted());
  for (let page = 0; page < PAGES; page++) {
    const found = await documents.search({ text: wordOf(page) }, 200);
    expect(found.map(({ documentId }) => documentId)).toEqual([`docs/${page} 手册.md`]);
  }
  const sources = (await sqlKnowledge(opened).sources()).map(({ documentId }) => documentId);
  expect(sources.toSorted()).toEqual(Object.keys(MANUAL).toSorted());
  await opened.close();
});

test("an ingest into a database needs no folder of its own", async () => {
  // A file in place of the folder: nobody can write below it, not even root.
  await using here = await folder({ ...MANUAL, ".emend": "" });
  const store = { EMEND_STORE: await database.emptied() };
  expect(await here.run(["ingest", "docs", "--json"], store)).toMatchObject({ code: 0, stderr: "" });
  expect((await here.run(["list"], store)).stdout).toContain(`${PAGES} documents`);
});
