import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { packed } from "../../../src/tables/packed.js";
import { fakePassage } from "../../../src/testing/index.js";
import { entity, sourceOf, triple } from "../../../src/testing/knowledge-team.js";
import { fakeTable } from "../../../src/testing/tables-sample.js";
import { sqlDocuments } from "../../../src/tools/documents/sql.js";
import { sqlKnowledge } from "../../../src/tools/knowledge/sql.js";
import { openDatabase } from "../../../src/tools/store/open.js";
import { sqlTables } from "../../../src/tools/tables/sql.js";
import { ownDocumentsContract } from "../../contract/documents.js";
import { keeps } from "../../contract/keeps.js";
import { query, testDatabase } from "../../postgres.js";

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase("documents");
});

keeps(
  "Postgres",
  ownDocumentsContract(async () => {
    const address = await database.emptied();
    return (options) => sqlDocuments(openDatabase(address), options);
  }),
);

test("row-level security as docs/scale.md has it hides documents and facts from a user of the database", async () => {
  const address = await database.emptied();
  const owner = openDatabase(address);
  const passages = [
    fakePassage("discounts", "Sales may give a discount of 12 percent.", { metadata: { department: "sales" } }),
    fakePassage("salaries", "The salary of a director is 90,000 euros.", { metadata: { department: "hr" } }),
    fakePassage("lunch", "Lunch is at noon."),
  ];
  const prices = [
    fakeTable("discounts#table0", [{ name: "Discount" }], [["12 percent"]], { metadata: { department: "sales" } }),
    fakeTable("salaries#table0", [{ name: "Salary" }], [["90,000 euros"]], { metadata: { department: "hr" } }),
  ];
  await sqlDocuments(owner).upsert(passages, { tables: prices.map(packed) });
  const source = { ...sourceOf("salaries"), metadata: { department: "hr" } };
  await sqlKnowledge(owner).upsert([{ source, triples: [triple(entity("Ann Lee"), "earns", "90,000 euros")] }]);
  await query("DROP ROLE IF EXISTS sales");
  const [, security = ""] = /```sql\n([\s\S]+?)```/.exec(readFileSync("docs/scale.md", "utf8")) ?? [];
  await query(security, [], address);
  const asSales = Object.assign(new URL(address), { username: "sales", password: "a-local-password" }).href;
  const user = openDatabase(asSales);
  const documents = sqlDocuments(user);
  expect((await documents.list()).map(({ documentId }) => documentId)).toEqual(["discounts"]);
  expect((await documents.search({ text: "salary discount lunch" }, 10)).map(({ id }) => id)).toEqual(["discounts"]);
  expect(await documents.get(["salaries", "lunch"])).toEqual([]);
  expect(await sqlTables(user).get(["discounts#table0", "salaries#table0"])).toEqual(prices.slice(0, 1));
  expect(await sqlTables(user).search("salary", 5, { near: ["salaries"] })).toEqual([]);
  expect(await sqlKnowledge(user).facts(["Ann Lee"], "")).toEqual([]);
  expect(await sqlKnowledge(owner).facts(["Ann Lee"], "")).toHaveLength(1);
  expect((await sqlDocuments(owner).list()).length).toBe(3);
  await user.close();
  await owner.close();
  await query("DROP OWNED BY sales", [], address);
  await query("DROP ROLE sales");
});
