import { mkdtempSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StoreUnavailableError } from "../../../../src/errors.js";
import { inMemoryDocuments } from "../../../../src/testing/documents.js";
import { inMemoryKnowledge } from "../../../../src/testing/knowledge.js";
import { ingest } from "../../../../src/tools/documents/ingest/ingest.js";
import { buildGraph } from "../../../../src/tools/knowledge/build/build.js";
import { loadTriples } from "../../../../src/tools/knowledge/build/load.js";
import type { KnowledgeGraph } from "../../../../src/tools/knowledge/port.js";
import { localExtractor } from "../../../../src/tools/reasoner/local/extractor.js";

let cwd: string;
let documents: ReturnType<typeof inMemoryDocuments>;
let knowledge: KnowledgeGraph;
beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), "emend-forget-"));
  [documents, knowledge] = [inMemoryDocuments(), inMemoryKnowledge()];
  await write("leads.md", "## Roost\n\nLead: Noor el Amrani.");
  await write("部门.md", "## 采购部\n\n负责人：梁嘉懿。");
  await write("facts.csv", "subject,predicate,object\nAna,leads,Water\n");
  await run();
  await buildGraph({ documents, knowledge, extractor: localExtractor() });
  await loadTriples(join(cwd, "facts.csv"), { knowledge, cwd });
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const write = (name: string, text: string) => writeFile(join(cwd, name), text);
const run = (graph: KnowledgeGraph | undefined = knowledge) => ingest(["."], { documents, knowledge: graph, cwd });
const speaksOf = async (...names: string[]) =>
  (await Promise.all(names.map((name) => knowledge.facts([name], "")))).map((facts) => facts.length > 0);

test("a document that is removed takes its triples with it, and no others", async () => {
  expect(await speaksOf("Roost", "采购部", "Ana")).toEqual([true, true, true]);
  await rm(join(cwd, "leads.md"));
  await run();
  expect(await speaksOf("Roost", "采购部", "Ana")).toEqual([false, true, true]);
});

test("a passage that changes takes its triples with it", async () => {
  await write("部门.md", "采购部归财务部管。");
  await write("leads.md", "A reading comes with its uncertainty.");
  await run();
  expect(await speaksOf("Roost", "采购部", "Ana")).toEqual([false, false, true]);
});

test("a document that is ingested again unchanged, or is new, leaves the graph alone", async () => {
  await write("new.md", "Nothing of note.");
  const untouched: KnowledgeGraph = { ...knowledge, sources: () => Promise.reject(new Error("asked")) };
  expect(await run(untouched)).toMatchObject({ added: 1, unchanged: 3 });
});

test("a graph that cannot be reached keeps the documents as they are, so that nothing speaks of what is gone", async () => {
  await rm(join(cwd, "leads.md"));
  const down: KnowledgeGraph = {
    ...knowledge,
    sources: () => Promise.reject(new StoreUnavailableError("No Neo4j answers.")),
  };
  await expect(run(down)).rejects.toThrow(StoreUnavailableError);
  expect((await documents.list()).map(({ documentId }) => documentId)).toContain("leads.md");
  await run();
  expect(await speaksOf("Roost")).toEqual([false]);
});
