import { mkdtempSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StoreUnavailableError } from "../../../src/errors.js";
import { deliver } from "../../../src/ingest/deliver.js";
import { buildKnowledge } from "../../../src/ingest/facts/build.js";
import { loadTriples } from "../../../src/ingest/facts/load-triples.js";
import { localExtractor } from "../../../src/ingest/facts/local-extractor.js";
import { ingestFiles } from "../../../src/ingest/ingest.js";
import { ingestPages } from "../../../src/ingest/ingest-pages.js";
import { inMemoryDocuments } from "../../../src/testing/documents.js";
import { inMemoryKnowledge } from "../../../src/testing/knowledge.js";
import type { Documents } from "../../../src/tools/documents/port.js";
import type { KnowledgeGraph, TripleExtractor } from "../../../src/tools/knowledge/port.js";
import { sqlKnowledge } from "../../../src/tools/knowledge/sql.js";
import { openDatabase } from "../../../src/tools/store/open.js";

let cwd: string;
let documents: Documents;
let knowledge: KnowledgeGraph;
beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), "emend-facts-"));
  [documents, knowledge] = [inMemoryDocuments(), inMemoryKnowledge()];
  await write("leads.md", table("Roost", "Noor el Amrani"));
  await write("部门.md", "| 部门 | 负责人 |\n|-|-|\n| 采购部 | 梁嘉懿 |");
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const table = (area: string, lead: string) => `| Area | Lead |\n|-|-|\n| ${area} | ${lead} |`;
const write = (name: string, text: string) => writeFile(join(cwd, name), text);
const run = (rest: Partial<Parameters<typeof ingestFiles>[1]> = {}) =>
  ingestFiles(["."], { documents, knowledge, cwd, ...rest });
const said = async (name: string) =>
  (await knowledge.facts([name], "")).map(({ predicate, others }) => `${predicate} ${others.join("、")}`);

test("an ingest adds the facts of tables to the graph, and a second one adds nothing", async () => {
  await using store = {
    it: sqlKnowledge(openDatabase(join(cwd, ".emend"))),
    [Symbol.asyncDispose]: () => store.it.close(),
  };
  knowledge = store.it;
  await run();
  expect([await said("Roost"), await said("采购部")]).toEqual([["Lead Noor el Amrani"], ["负责人 梁嘉懿"]]);
  const untouched = { ...knowledge, sources: () => Promise.reject(new Error("asked")) };
  expect(await run({ knowledge: untouched })).toMatchObject({ unchanged: 2 });
});

test("web pages and LangChain documents add facts to the graph like files", async () => {
  const page = {
    url: "https://a.org/",
    title: "",
    published: "",
    modified: "",
    markdown: table("Heron", "Ana Lee"),
  };
  const pageReader = { read: async () => page, close: async () => {} };
  await ingestPages(["https://a.org"], { documents, knowledge, pageReader });
  await deliver([{ pageContent: table("上海", "方可"), metadata: { source: "a.csv" } }], {
    documents,
    knowledge,
  });
  expect([await said("Heron"), await said("上海")]).toEqual([["Lead Ana Lee"], ["Lead 方可"]]);
});

test("a changed or removed passage loses its facts, and other facts stay", async () => {
  await run();
  const file = join(cwd, ".team.csv");
  await writeFile(file, "subject,predicate,object\nAna,leads,Water\n");
  await loadTriples(file, { knowledge, cwd });
  await rm(join(cwd, "leads.md"));
  await write("部门.md", "| 部门 | 负责人 |\n|-|-|\n| 采购部 | 方可 |");
  await run();
  expect([await said("Roost"), await said("采购部"), await said("Ana")]).toEqual([
    [],
    ["负责人 方可"],
    ["leads Water"],
  ]);
});

test("an ingest without facts adds none, and still removes those of changed passages", async () => {
  await run();
  await write("部门.md", "| 部门 | 负责人 |\n|-|-|\n| 采购部 | 方可 |");
  await run({ facts: false });
  expect([await said("Roost"), await said("采购部")]).toEqual([["Lead Noor el Amrani"], []]);
});

test("the facts that a model found stay as long as their passage", async () => {
  const roost = `## Roost\n\n${table("Roost", "Noor el Amrani")}\n\n## Uncertainty\n\n${"A reading comes with its uncertainty. ".repeat(60)}`;
  await write("leads.md", roost);
  await run();
  const model: TripleExtractor = {
    identity: "model x",
    atOnce: 1,
    extract: async ({ text }) => {
      const entity = (name: string) => ({ name, type: "", aliases: [] });
      const quote = "| Roost | Noor el Amrani |";
      return text.includes(quote)
        ? [{ subject: entity("Roost"), predicate: "led by", object: entity("Noor el Amrani"), quote }]
        : [];
    },
  };
  await buildKnowledge({ documents, knowledge, extractor: model });
  await write("leads.md", `${roost}\n\n## Heron\n\n${table("Heron", "Ana Lee")}`);
  await run();
  expect([await said("Roost"), await said("Heron")]).toEqual([["led by Noor el Amrani"], ["Lead Ana Lee"]]);
});

test("after an ingest that failed between facts and documents, the next one leaves no outdated facts", async () => {
  const failing = { ...documents, upsert: () => Promise.reject(new StoreUnavailableError("The disk is full.")) };
  await expect(run({ documents: failing })).rejects.toThrow("full");
  await write("leads.md", table("Roost", "Ana Lee"));
  await run();
  expect([await said("Roost"), await said("采购部")]).toEqual([["Lead Ana Lee"], ["负责人 梁嘉懿"]]);
});

test("a build does not read passages again in which an ingest found facts", async () => {
  await run();
  expect(await buildKnowledge({ documents, knowledge, extractor: localExtractor() })).toMatchObject({
    read: 0,
    unchanged: 2,
  });
});

test("an ingest with an unreachable graph changes no documents, so that no fact outlives its document", async () => {
  await run();
  await rm(join(cwd, "leads.md"));
  const sources = () => Promise.reject(new StoreUnavailableError("The graph is away."));
  await expect(run({ knowledge: { ...knowledge, sources } })).rejects.toThrow(StoreUnavailableError);
  expect((await documents.list()).map(({ documentId }) => documentId)).toContain("leads.md");
  await run();
  expect(await said("Roost")).toEqual([]);
});
