import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkDocuments } from "../../src/ingest/check-documents.js";
import { deliver as ingest } from "../../src/ingest/deliver.js";
import { ingestFiles } from "../../src/ingest/ingest.js";
import type { Documents } from "../../src/tools/documents/port.js";
import { sqlDocuments } from "../../src/tools/documents/sql.js";
import type { KnowledgeGraph } from "../../src/tools/knowledge/port.js";
import { sqlKnowledge } from "../../src/tools/knowledge/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";

let cwd: string;
let documents: Documents;
let knowledge: KnowledgeGraph;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "emend-deliveries-"));
  const database = openDatabase(join(cwd, ".emend"));
  [documents, knowledge] = [sqlDocuments(database), sqlKnowledge(database)];
});
afterEach(async () => {
  await documents.close();
  await rm(cwd, { recursive: true, force: true });
});

const doc = (source: string, pageContent: string, rest: Record<string, string> = {}) => ({
  pageContent,
  metadata: { source, ...rest },
});
const ids = async () => (await documents.list()).map(({ documentId }) => documentId);
const leads = async (name: string) => (await knowledge.facts([name], "")).flatMap(({ others }) => others);
const deliver = (given: Parameters<typeof ingest>[0], within?: string) =>
  ingest(given, { documents, knowledge, within });

const ROOST = "| Area | Lead |\n|-|-|\n| Roost | Noor el Amrani |";
const HERON = "| 部门 | 负责人 |\n|-|-|\n| 鹭巢 | 方可 |";

test.each([
  ["wiki", ["wiki/a", "wiki#b", "wiki/c/d"], ["wikipedia/a", "hr/wiki/a", "wik"]],
  ["wiki/", ["wiki/a", "wiki/c/d"], ["wikipedia/a", "wiki#b"]],
  ["https://a.org/docs", ["https://a.org/docs/x", "https://a.org/docs?id=1"], ["https://a.org/docs-old/x"]],
  ["crm:", ["crm:17", "crm:18"], ["crmx:1", "crm"]],
  ["C:\\docs", ["C:\\docs\\a.md"], ["C:\\docs2\\a.md"]],
])("a delivery within %s removes what it lacks there with its facts, and nothing else", async (within, own, others) => {
  await deliver([...own, ...others].map((id) => doc(id, ROOST)));
  const kept = doc(own[0] ?? "", HERON);
  expect(await deliver([kept], within)).toEqual({ written: 1, unchanged: 0, passages: 1, removed: own.length - 1 });
  expect(new Set(await ids())).toEqual(new Set([own[0], ...others]));
  const cited = new Set((await knowledge.sources()).map(({ documentId }) => documentId));
  expect(cited).toEqual(new Set([own[0], ...others]));
  expect(await deliver([kept], within)).toEqual({ written: 0, unchanged: 1, passages: 0, removed: 0 });
});

test("documents of the same name from two sources or two repositories stay two documents", async () => {
  await deliver([doc("README.md", ROOST)], "north");
  await deliver([doc("README.md", HERON)], "south/");
  const of = (repository: string) => ({ repository: `https://git.example/${repository}` });
  await deliver([doc("README.md", "East.", of("east")), doc("README.md", "West.", of("west"))]);
  expect(await ids()).toEqual([
    "https://git.example/east/README.md",
    "https://git.example/west/README.md",
    "north/README.md",
    "south/README.md",
  ]);
  expect([await leads("Roost"), await leads("鹭巢")]).toEqual([["Noor el Amrani"], ["方可"]]);
});

test.each<[string, ReturnType<typeof doc>[]]>([
  ["no document", []],
  ["documents without text", [doc("wiki/a", " \n"), doc("wiki/new", "")]],
])("a delivery of %s removes nothing and says so", async (_, given) => {
  await deliver([doc("wiki/a", ROOST), doc("wiki/b", HERON)]);
  const { removed, failures } = await deliver(given, "wiki");
  expect(removed).toBe(0);
  expect(failures?.at(-1)).toEqual({ path: "wiki", reason: expect.stringContaining("nothing was removed") });
  expect(await ids()).toEqual(["wiki/a", "wiki/b"]);
});

test("a document that is delivered without its text is removed and named, while others have theirs", async () => {
  await deliver([doc("wiki/a", ROOST), doc("wiki/b", HERON)]);
  const { failures } = await deliver([doc("wiki/a", ""), doc("wiki/b", HERON)]);
  expect(failures).toEqual([{ path: "wiki/a", reason: "There is no text in it." }]);
  expect([await ids(), await leads("Roost")]).toEqual([["wiki/b"], []]);
});

test("a delivery that fails half way removes nothing", async () => {
  await deliver([doc("wiki/a", ROOST), doc("wiki/b", HERON)]);
  const broken = async function* () {
    yield doc("wiki/a", "Changed.");
    throw new Error("the wiki is down");
  };
  await expect(deliver(broken(), "wiki")).rejects.toThrow("the wiki is down");
  const half = [doc("wiki/a", "Changed."), { pageContent: undefined as unknown as string, metadata: { source: "x" } }];
  await expect(deliver(half, "wiki")).rejects.toThrow();
  const full = { ...documents, upsert: () => Promise.reject(new Error("the disk is full")) };
  await expect(ingest([doc("wiki/c", "New.")], { documents: full, knowledge, within: "wiki" })).rejects.toThrow("full");
  await expect(deliver([doc("wiki/a", ROOST)], " ")).rejects.toThrow("within is empty");
  expect(await ids()).toEqual(["wiki/a", "wiki/b"]);
  expect([await leads("Roost"), await leads("鹭巢")]).toEqual([["Noor el Amrani"], ["方可"]]);
});

test("of two documents that get one id in a delivery the first is stored, and the other is named", async () => {
  const { failures } = await deliver([doc("wiki/a", ROOST), doc("a", HERON)], "wiki");
  expect(failures).toEqual([{ path: "wiki/a", reason: expect.stringContaining("Give them different sources") }]);
  expect([await leads("Roost"), await leads("鹭巢")]).toEqual([["Noor el Amrani"], []]);
});

test("a program and the files below a folder do not replace, remove or miss each other's documents", async () => {
  await writeFile(join(cwd, "README.md"), ROOST);
  const files = () => ingestFiles(["."], { documents, knowledge, cwd });
  await files();
  const { failures } = await deliver([doc("README.md", HERON), doc("guide.md", "From a program.")]);
  expect(failures).toEqual([{ path: "README.md", reason: expect.stringContaining("within") }]);
  await writeFile(join(cwd, "guide.md"), "From a file.");
  expect((await files()).failures).toEqual([{ path: "guide.md", reason: expect.stringContaining("program") }]);
  await rm(join(cwd, "guide.md"));
  expect(await files()).toMatchObject({ removed: 0, failures: [] });
  expect(await documents.search({ text: "program file" }, 9)).toMatchObject([{ text: "From a program." }]);
  expect(await leads("Roost")).toEqual(["Noor el Amrani"]);
  expect(await checkDocuments({ documents, knowledge, cwd, staleBefore: "" })).toEqual([]);
});

test("a check finds the facts and rows whose document is gone, and the passages without a vector", async () => {
  await deliver([doc("wiki/a", ROOST), doc("wiki/b", HERON)]);
  const database = openDatabase(join(cwd, ".emend"));
  await database.write(async (to) => {
    await to.all("PRAGMA defer_foreign_keys = 1");
    await to.all("DELETE FROM emend.documents WHERE id = 'wiki/a'");
  });
  await database.close();
  const embedded = { ...documents, embedded: async () => [] };
  const found = await checkDocuments({ documents: embedded, knowledge, cwd, staleBefore: "", embeds: true });
  expect(found.map(({ kind, document }) => `${kind} ${document}`)).toEqual(["unembedded wiki/b", "leftover wiki/a"]);
});
