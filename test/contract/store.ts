import assert from "node:assert/strict";
import { type ContractTest, contractOf, type Promises } from "../../src/testing/contract.js";
import { pagesOf as untitled } from "../../src/testing/documents-sample.js";
import { sourceOf, triple } from "../../src/testing/knowledge-team.js";
import type { Documents } from "../../src/tools/documents/port.js";
import type { KnowledgeGraph } from "../../src/tools/knowledge/port.js";
import { passageSource } from "../../src/tools/knowledge/triples.js";
import { linesSourceId } from "../../src/tools/store/facts.js";
import type { Passage } from "../../src/types/evidence.js";

/** The documents and the facts of one store. */
export interface DocumentsAndFacts {
  documents: Documents;
  knowledge: KnowledgeGraph;
}

/**
 * What a store promises that holds both documents and facts: what is gone from its documents is gone from its facts.
 * `newStore` opens a separate empty store for each test.
 */
export const storeContract = (newStore: () => Promise<DocumentsAndFacts>): ContractTest[] =>
  contractOf(PROMISES, async (promise) => {
    const store = await newStore();
    try {
      await promise(store);
    } finally {
      await store.documents.close();
      await store.knowledge.close();
    }
  });

const PROMISES: Promises<DocumentsAndFacts> = {
  "a removed document takes the facts of its passages and those stored under its id, and no others": async (store) => {
    const { documents, knowledge } = store;
    await written(store, pagesOf("guide", ["Roost: Ann.", "鹭巢：李安。"]), ["Roost", "鹭巢"]);
    await written(store, pagesOf("guide-old", ["Heron: Ben."]), ["Heron"]);
    await knowledge.upsert([{ source: { ...sourceOf("crm:1"), documentId: "guide" }, triples: [led("Stork")] }]);
    assert.equal(await documents.remove(["guide", "unknown"]), 2);
    assert.deepEqual(await ledIn(knowledge), ["Heron"]);
    assert.deepEqual((await knowledge.schema()).relations.length, 1);
    assert.equal(await documents.remove(["guide-old"]), 1);
    assert.deepEqual(await ledIn(knowledge), []);
    assert.deepEqual(await knowledge.sources(), []);
  },

  "a restated document gives its facts the same metadata, and keeps them": async (store) => {
    const { documents, knowledge } = store;
    const pages = untitled("guide", ["Roost: Ann.", "鹭巢：李安。"]).map((one) => ({
      ...one,
      metadata: { readers: "everyone" },
    }));
    await written(store, pages, ["Roost", "鹭巢"]);
    await documents.restate?.([{ documentId: "guide", hash: "2", metadata: { readers: "group:hr" } }]);
    const seenBy = async (value: string) =>
      (await knowledge.facts(["Roost", "鹭巢"], "", { filter: [{ key: "readers", values: [value] }] })).length;
    assert.deepEqual([await seenBy("everyone"), await seenBy("group:hr")], [0, 2]);
    assert.deepEqual(await ledIn(knowledge), ["Roost", "鹭巢"]);
  },

  "a removed document takes its facts even if its passages are gone already": async ({ documents, knowledge }) => {
    const [passage] = pagesOf("lost", ["Roost: Ann."]);
    if (passage) await knowledge.upsert([{ source: passageSource(passage, "reader"), triples: [led("Roost")] }]);
    assert.equal(await documents.remove(["lost"]), 0);
    assert.deepEqual(await ledIn(knowledge), []);
  },

  "the facts of a file that was loaded into the graph stay when a document of that name is removed": async (store) => {
    const { documents, knowledge } = store;
    await written(store, pagesOf("team.csv", ["Roost: Ann."]), ["Roost"]);
    const loaded = { ...sourceOf(linesSourceId("team.csv", "1")), documentId: "team.csv" };
    await knowledge.upsert([{ source: loaded, triples: [led("Heron")] }]);
    await documents.remove(["team.csv"]);
    assert.deepEqual(await ledIn(knowledge), ["Heron"]);
  },

  "a replaced document keeps the facts of the passages that it still has, and loses the others": async (store) => {
    const { documents, knowledge } = store;
    const before = pagesOf("guide", ["First: Eve.", "Roost: Ann.", "Heron: Ben."]);
    await written(store, before, ["Stork", "Roost", "Heron"]);
    await written(store, pagesOf("other", ["鹭巢：李安。"]), ["鹭巢"]);
    await documents.upsert(pagesOf("guide", ["First: Eve.", "Heron: Eve.", "Roost: Ann."]));
    assert.deepEqual(await ledIn(knowledge), ["Roost", "Stork", "鹭巢"]);
  },

  "a write that fails changes neither documents nor facts": async (store) => {
    const { documents, knowledge } = store;
    await written(store, pagesOf("guide", ["Roost: Ann."]), ["Roost"]);
    const failed = documents.together?.(async () => {
      await documents.remove(["guide"]);
      throw new Error("the plug was pulled");
    });
    if (failed) await assert.rejects(failed, /the plug was pulled/);
    assert.deepEqual(await ledIn(knowledge), ["Roost"]);
    assert.equal((await documents.list()).length, 1);
  },
};

const NAMES = ["Heron", "Roost", "Stork", "鹭巢"];

const led = (name: string) => triple(name, "led by", "Ann");

/** The passages of a document, which all have its title and address. */
const pagesOf = (id: string, texts: readonly string[]) =>
  untitled(id, texts).map((passage) => ({ ...passage, title: id, uri: id }));

/** Stores a document with one fact for each of its passages. */
async function written({ documents, knowledge }: DocumentsAndFacts, passages: readonly Passage[], names: string[]) {
  await documents.upsert(passages);
  await knowledge.upsert(
    passages.map((passage, i) => ({ source: passageSource(passage, "reader"), triples: [led(names[i] ?? "")] })),
  );
}

/** Returns the names of which the graph knows a fact. */
async function ledIn(knowledge: KnowledgeGraph): Promise<string[]> {
  const found: string[] = [];
  for (const name of NAMES) if ((await knowledge.facts([name], "")).length > 0) found.push(name);
  return found;
}
