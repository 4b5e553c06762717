import { beforeEach, expect, test } from "vitest";
import { UsageError } from "../../src/errors.js";
import { removeSources } from "../../src/ingest/sources.js";
import { fakePassage, inMemoryDocuments, inMemoryKnowledge } from "../../src/testing/index.js";
import type { Documents } from "../../src/tools/documents/port.js";
import type { KnowledgeGraph } from "../../src/tools/knowledge/port.js";
import { passageSource } from "../../src/tools/knowledge/triples.js";

const IDS = [
  "docs/a.md",
  "docs/年假.md",
  "docs-old/b.md",
  "/mnt/disk/c.md",
  "handbook",
  "https://a.org/docs/",
  "https://a.org/docs/x",
  "https://a.org/docs-old",
];

let documents: Documents;
let knowledge: KnowledgeGraph;
beforeEach(async () => {
  const passages = IDS.map((documentId) => fakePassage(`${documentId}#0`, `about ${documentId}`, { documentId }));
  documents = inMemoryDocuments(passages);
  knowledge = inMemoryKnowledge(passages.map((passage) => ({ source: passageSource(passage, "reader"), triples: [] })));
});
const remove = (names: string[], here = "/team") => removeSources(names, { documents, knowledge, cwd: "/team", here });
const gone = async () => {
  const left = new Set((await documents.list()).map(({ documentId }) => documentId));
  return IDS.filter((id) => !left.has(id));
};

test.each<[string, string[], string[], string?]>([
  ["a file", ["docs/a.md"], ["docs/a.md"]],
  ["a folder, but not one whose name begins alike", ["docs/"], ["docs/a.md", "docs/年假.md"]],
  ["a folder by its whole path", ["/team/docs"], ["docs/a.md", "docs/年假.md"]],
  ["a folder as it is named from another one", ["../docs"], ["docs/a.md", "docs/年假.md"], "/team/other"],
  ["a folder elsewhere", ["/mnt"], ["/mnt/disk/c.md"]],
  ["a document as it is listed, from wherever", ["docs/年假.md"], ["docs/年假.md"], "/elsewhere"],
  ["a document with the name of no file", ["handbook"], ["handbook"], "/elsewhere"],
  ["a page and those below it", ["https://a.org/docs"], ["https://a.org/docs/", "https://a.org/docs/x"]],
  ["several, one twice", ["docs/a.md", "docs-old", "docs/a.md"], ["docs/a.md", "docs-old/b.md"]],
])("removing %s removes its documents and their facts, and nothing else", async (_, names, ids, here) => {
  expect(await remove(names, here)).toEqual({ documents: ids.length, passages: ids.length });
  expect(await gone()).toEqual(ids);
  const known = (await knowledge.sources()).map(({ documentId }) => documentId);
  expect(known).toEqual(IDS.filter((id) => !ids.includes(id)));
});

test.each(["nowhere", "doc", "https://a.org/doc", ""])(
  "removing a document together with %j, which matches none, removes nothing",
  async (name) => {
    await expect(remove(["docs/a.md", name], "/team/empty")).rejects.toThrow(UsageError);
    expect(await gone()).toEqual([]);
  },
);
