import assert from "node:assert/strict";
import { packed } from "../tables/packed.js";
import type { Documents } from "../tools/documents/port.js";
import type { Tables } from "../tools/tables/port.js";
import { tablesCanBeQueried } from "../tools/tables/query.js";
import { type ContractTest, contractOf, type Promises, stops } from "./contract.js";
import { pagesOf } from "./documents-sample.js";
import { fakeTable, JOBS, keep, SALARIES, SHOPS } from "./tables-sample.js";

/** Documents, and the tables in them. */
export interface DocumentsWithTables {
  documents: Documents;
  tables: Tables;
}

/** What every adapter of Tables promises. `open` opens an empty store for each test. */
export const tablesContract = (open: () => Promise<DocumentsWithTables>): ContractTest[] =>
  contractOf(PROMISES, async (promise) => {
    const opened = await open();
    try {
      await promise(opened);
    } finally {
      await opened.documents.close();
    }
  });

const only = (department: string) => [{ key: "department", values: [department] }];
const idsOf = (tables: readonly { id: string }[]) => tables.map(({ id }) => id);

const PROMISES: Promises<DocumentsWithTables> = {
  "an empty store finds no tables": async ({ tables }) => {
    assert.deepEqual(await tables.search("How many jobs are open?", 5), []);
    assert.deepEqual(await tables.get(["jobs#table0"]), []);
    assert.deepEqual(await tables.heads(["jobs#table0"]), []);
  },

  "a table comes back as it was given, in the order asked for": async ({ documents, tables }) => {
    const odd = fakeTable("odd#table0", [{ name: "A|B" }, { name: "" }], [["x\u0000\ud800y\nz", null]], {
      notes: ["Σ 12 ", "\u0001"],
      metadata: { tags: "a\nb" },
      passages: [7],
    });
    await keep(documents, [JOBS, SHOPS, odd]);
    assert.deepEqual(await tables.get([SHOPS.id, "unknown", odd.id, JOBS.id]), [SHOPS, odd, JOBS]);
    const { cells, values, passages, ...head } = JOBS;
    assert.deepEqual(await tables.heads([JOBS.id]), [head]);
  },

  "a table is found by its name, its headings and its cells, in English and Chinese": async ({ documents, tables }) => {
    await keep(documents, [JOBS, SALARIES, SHOPS]);
    const best = async (question: string) => (await tables.search(question, 1))[0]?.id;
    for (const [question, id] of [
      ["How many jobs are open?", JOBS.id],
      ["What does the lift cost?", JOBS.id],
      ["What is the mean salary?", SALARIES.id],
      ["How much does Ann Lee earn?", SALARIES.id],
      ["门店的总面积是多少？", SHOPS.id],
      ["上海有几家店？", SHOPS.id],
    ] as const)
      assert.equal(await best(question), id, question);
    assert.deepEqual(await tables.search("weather", 5), []);
    assert.equal((await tables.search("Berlin", 1)).length, 1);
  },

  "tables of documents that a search found come first, even without a word of the question": async ({
    documents,
    tables,
  }) => {
    await keep(documents, [JOBS, SALARIES, SHOPS]);
    const near = async (question: string, ...found: string[]) =>
      idsOf(await tables.search(question, 5, { near: found }));
    assert.equal((await near("What is in Berlin?", "salaries"))[0], SALARIES.id);
    assert.equal((await near("What is in Berlin?", "jobs"))[0], JOBS.id);
    assert.deepEqual(await near("weather", "shops", "jobs"), [SHOPS.id, JOBS.id]);
  },

  "only tables that meet the filter are found, returned and queried": async ({ documents, tables }) => {
    await keep(documents, [JOBS, SALARIES]);
    const filter = only("field");
    const ids = [SALARIES.id, JOBS.id];
    assert.deepEqual(idsOf(await tables.search("Berlin salary", 5, { near: ["salaries"], filter })), [JOBS.id]);
    assert.deepEqual(idsOf(await tables.get(ids, { filter })), [JOBS.id]);
    assert.deepEqual(idsOf(await tables.heads(ids, { filter })), [JOBS.id]);
    await assert.rejects(tables.query("SELECT 1 FROM Salaries", ids, { filter }), { name: "TableQueryError" });
  },

  "writing a document replaces its tables, and those of others stay": async ({ documents, tables }) => {
    await keep(documents, [JOBS, SALARIES]);
    const changed = fakeTable("jobs#table1", [{ name: "Task" }], [["Paint"], ["Clean"]], { name: "Tasks" });
    await keep(documents, [changed]);
    assert.deepEqual(idsOf(await tables.get([JOBS.id, changed.id, SALARIES.id])), [changed.id, SALARIES.id]);
    assert.deepEqual(await tables.search("roof", 5), []);
    assert.deepEqual(idsOf(await tables.search("paint", 5)), [changed.id]);
    await documents.upsert(pagesOf("jobs", ["Jobs are listed elsewhere."]));
    assert.deepEqual(idsOf(await tables.get([changed.id, SALARIES.id])), [SALARIES.id]);
  },

  "a removed document takes its tables along": async ({ documents, tables }) => {
    await keep(documents, [JOBS, SALARIES]);
    await documents.remove(["jobs"]);
    assert.deepEqual(idsOf(await tables.search("Berlin", 5, { near: ["jobs"] })), [SALARIES.id]);
    assert.deepEqual(await tables.get([JOBS.id]), []);
  },

  "tables of documents that are not written with them are ignored": async ({ documents, tables }) => {
    await keep(documents, [SALARIES]);
    await documents.upsert(pagesOf("jobs", ["Jobs."]), { tables: [JOBS, SALARIES].map(packed) });
    assert.deepEqual(await tables.get([SALARIES.id, JOBS.id]), [SALARIES, JOBS]);
  },

  "a transaction that fails leaves the tables as they were": async ({ documents, tables }) => {
    await keep(documents, [JOBS]);
    const work = async () => {
      await keep(documents, [{ ...JOBS, name: "Other" }, SALARIES]);
      throw new Error("stopped");
    };
    await assert.rejects(documents.together?.(work) ?? work(), /stopped/);
    if (documents.together) assert.deepEqual(await tables.get([JOBS.id, SALARIES.id]), [JOBS]);
  },

  "a query reads only the tables that it names, under the names of all": async ({ documents, tables }) => {
    if (tablesCanBeQueried() !== "") return;
    const more = fakeTable("more#table0", [{ name: "Job" }], [["Gate"], ["Wall"]], { name: "Jobs" });
    await keep(documents, [JOBS, more, SALARIES]);
    const ids = [SALARIES.id, JOBS.id, more.id];
    const count = async (name: string) => (await tables.query(`SELECT count(*) FROM ${name}`, ids)).rows;
    assert.deepEqual([await count("jobs"), await count("Jobs_2")], [[[4]], [[2]]]);
    await assert.rejects(tables.query("SELECT count(*) FROM Jobs", [JOBS.id, "gone"]), { name: "TableQueryError" });
    await assert.rejects(tables.query("SELECT count(*) FROM Shops", ids), { name: "TableQueryError" });
    await assert.rejects(tables.query("DELETE FROM Jobs", ids), { name: "TableQueryError" });
    assert.deepEqual(await tables.get([JOBS.id]), [JOBS]);
  },

  "a query gives the rows that its result rests on, and how many have no value": async ({ documents, tables }) => {
    if (tablesCanBeQueried() !== "") return;
    await keep(documents, [JOBS]);
    const sql = `SELECT count(*) AS jobs, sum(Cost) AS cost FROM Jobs WHERE State = 'open'`;
    const { id, documentId, name, title, uri, section, reviewedAt, rows } = JOBS;
    assert.deepEqual(await tables.query(sql, [JOBS.id]), {
      sql,
      columns: ["jobs", "cost"],
      rows: [[3, 1219.75]],
      isCut: false,
      tables: [
        {
          ...{ id, documentId, name, title, uri, section, reviewedAt, rows },
          columns: ["Job", "City", "State", "Cost"],
          used: [
            { number: 1, cells: JOBS.cells[0], passage: 0 },
            { number: 3, cells: JOBS.cells[2], passage: 1 },
            { number: 4, cells: JOBS.cells[3], passage: 1 },
          ],
          matched: 3,
          unread: [{ column: "Cost", cells: 1 }],
        },
      ],
    });
  },

  "an aborted signal stops": async ({ documents, tables }) => {
    await keep(documents, [JOBS]);
    await stops((signal) => tables.search("jobs", 5, { signal }));
    await stops((signal) => tables.get([JOBS.id], { signal }));
    await stops((signal) => tables.query("SELECT count(*) FROM Jobs", [JOBS.id], { signal }));
  },
};
