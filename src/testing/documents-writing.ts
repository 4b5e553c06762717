import assert from "node:assert/strict";
import type { Documents } from "../tools/documents/port.js";
import { type Promises, stops } from "./contract.js";
import type { EmptyStore } from "./documents-sample.js";
import { pagesOf } from "./documents-sample.js";
import { fakePassage } from "./passage.js";

const idsOf = async (documents: Documents, text: string) =>
  (await documents.search({ text }, 10)).map(({ id }) => id).sort();
const textsOf = async (documents: Documents, ids: readonly string[]) =>
  (await documents.get(ids)).map(({ text }) => text);
const listOf = async (documents: Documents) =>
  (await documents.list()).toSorted((x, y) => (x.documentId < y.documentId ? -1 : 1));

/** How any store writes, lists, removes and reads passages. */
export const WRITING: Promises<EmptyStore> = {
  "a write replaces a whole document, including added and removed passages, and no other document": async ({
    documents,
  }) => {
    await documents.upsert([...pagesOf("guide", ["old one", "old two", "old three"]), ...pagesOf("other", ["old"])]);
    await documents.upsert(pagesOf("guide", ["new one", "old two"]));
    const ids = ["guide#0", "guide#1", "guide#2", "other#0"];
    assert.deepEqual(await textsOf(documents, ids), ["new one", "old two", "old"]);
    assert.deepEqual(await idsOf(documents, "three"), []);
    assert.deepEqual(await idsOf(documents, "old"), ["guide#1", "other#0"]);
  },

  "a write is visible to searches at once, and replaced passages are no longer found": async ({ documents }) => {
    for (const word of ["alpha", "beta", "伽马"]) {
      await documents.upsert(pagesOf("page", [`the word is ${word}`]));
      assert.deepEqual(await idsOf(documents, word), ["page#0"]);
    }
    assert.deepEqual(await idsOf(documents, "alpha beta"), []);
  },

  "a write keeps every character of a text": async ({ documents }) => {
    const text =
      "first line\r\n\tsecond $& $1 \\n 'quoted' \"twice\" \u0000 | 表格 ｆｕｌｌ 🙂👩‍👩‍👧 e\u0301 \u200b end ";
    const odd = { ...fakePassage("odd", text), title: text, section: text, uri: text, hash: text };
    await documents.upsert([odd]);
    assert.deepEqual(await documents.get(["odd"]), [odd]);
  },

  "an aborted write throws the reason and writes nothing": async ({ documents }) => {
    await documents.upsert(pagesOf("a", ["before"]));
    await stops((signal) => documents.upsert(pagesOf("a", ["after"]), { signal }));
    assert.deepEqual(await textsOf(documents, ["a#0"]), ["before"]);
  },

  "the list has each document with its hash and its number of passages": async ({ documents }) => {
    await documents.upsert([...pagesOf("b", ["1", "2"], "hash b"), ...pagesOf("a", ["3"], "hash a")]);
    await documents.upsert(pagesOf("b", ["1"], "hash b2"));
    assert.deepEqual(await listOf(documents), [
      { documentId: "a", hash: "hash a", passages: 1 },
      { documentId: "b", hash: "hash b2", passages: 1 },
    ]);
  },

  "remove removes whole documents, returns how many passages went, and ignores unknown documents": async ({
    documents,
  }) => {
    await documents.upsert([...pagesOf("a", ["apple", "apple pie"]), ...pagesOf("b", ["apple juice"])]);
    assert.equal(await documents.remove(["a", "unknown", "a"]), 2);
    assert.equal(await documents.remove(["a"]), 0);
    assert.deepEqual(await idsOf(documents, "apple"), ["b#0"]);
    assert.deepEqual(
      (await documents.list()).map(({ documentId }) => documentId),
      ["b"],
    );
  },

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
      assert.deepEqual(await idsOf(documents, "needle"), ["plain#0"], said);
    }
  },

  "get returns passages in the requested order and leaves out unknown ones": async ({ documents }) => {
    await documents.upsert(two());
    const got = await documents.get(["b#1", "a#3", "nothing", "a#0"]);
    assert.deepEqual(
      got.map(({ id }) => id),
      ["b#1", "a#3", "a#0"],
    );
  },

  "neighbours are in order, without the passage itself and never from another document": async ({ documents }) => {
    await documents.upsert(two());
    const neighbours = async (id: string, distance?: number) =>
      (await documents.neighbours(id, distance)).map((passage) => passage.id);
    assert.deepEqual(await neighbours("a#2"), ["a#1", "a#3"]);
    assert.deepEqual(await neighbours("a#2", 2), ["a#0", "a#1", "a#3", "a#4"]);
    assert.deepEqual(await neighbours("a#0"), ["a#1"]);
    assert.deepEqual(await neighbours("b#1", 10), ["b#0"]);
    assert.deepEqual(await neighbours("nothing"), []);
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

const two = () => [...pagesOf("a", ["0", "1", "2", "3", "4"]), ...pagesOf("b", ["0", "1"])];

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
