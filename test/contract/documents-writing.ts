import assert from "node:assert/strict";
import type { Promises } from "../../src/testing/contract.js";
import type { EmptyStore } from "../../src/testing/documents-sample.js";
import { idsOf, pagesOf } from "../../src/testing/documents-sample.js";
import { fakePassage } from "../../src/testing/passage.js";

export const WRITING: Promises<EmptyStore> = {
  "every operation handles a document of any name": async ({ documents }) => {
    await documents.upsert(pagesOf("plain", ["needle elsewhere"]));
    for (const name of ODD_NAMES) {
      await documents.upsert(pagesOf(name, ["needle one", "needle two"]));
      const said = JSON.stringify(name);
      const [got] = await documents.get([`${name}#1`]);
      assert.deepEqual([got?.documentId, got?.text], [name, "needle two"], said);
      const beside = await documents.neighbours(`${name}#0`);
      assert.deepEqual(
        beside.map(({ text }) => text),
        ["needle two"],
        said,
      );
      const rest = await documents.search({ text: "needle", exclude: [`${name}#0`] }, 10);
      assert.deepEqual(rest.map(({ id }) => id).sort(), [`${name}#1`, "plain#0"].sort(), said);
      const listed = (await documents.list()).find(({ documentId }) => documentId === name);
      assert.deepEqual(listed, { documentId: name, hash: "", passages: 2 }, said);
      assert.equal(await documents.remove([name]), 2, said);
      assert.deepEqual((await idsOf(documents, "needle")).sort(), ["plain#0"], said);
    }
  },

  "heads has documents with dates, documents that those supersede, and documents named like a version": async ({
    documents,
  }) => {
    const stated = (documentId: string, metadata: Record<string, string> = {}, position = 0) =>
      fakePassage(`${documentId}#${position}`, "Words.", { documentId, position, title: "Policy", metadata });
    await documents.upsert([
      stated("new/travel.md", { supersedes: "../old/it's 50%.md\n旧制度.md", department: "hr" }),
      stated("new/travel.md", { supersedes: "../old/it's 50%.md\n旧制度.md", department: "hr" }, 1),
      stated("old/it's 50%.md"),
      stated("报销/旧制度.md"),
      stated("leave.md", { valid_from: "2024-03-01" }),
      stated("handbook-v2.md"),
      stated("差旅政策2024年.md"),
      stated("canteen.md", { department: "hr" }),
    ]);
    const heads = await documents.heads?.();
    if (!heads) return;
    // Others may be there as well.
    const ids = heads.map(({ documentId }) => documentId).filter((id) => id !== "canteen.md");
    assert.deepEqual(ids.sort(), [
      "handbook-v2.md",
      "leave.md",
      "new/travel.md",
      "old/it's 50%.md",
      "差旅政策2024年.md",
      "报销/旧制度.md",
    ]);
    const leave = heads.find(({ documentId }) => documentId === "leave.md");
    assert.deepEqual([leave?.title, leave?.metadata], ["Policy", { valid_from: "2024-03-01" }]);
  },
};

const ODD_NAMES = [
  "it's/a 'quoted' path.md",
  "' OR '1'='1",
  'say "hello".md',
  "back\\slash\\'.md",
  "文档/产品 手册（新）.md",
  "line\nbreak\ttab.md",
  "per%cent_under.md",
  "https://example.com/a?b=c&d=e#f",
  "-- ; /* */ {} $where `x` \u0000",
  "🙂.md",
];
