import assert from "node:assert/strict";
import type { Promises } from "../../src/testing/contract.js";
import type { EmptyStore } from "../../src/testing/documents-sample.js";
import { byMeaning, conceptEmbeddings, embedded, HANDBOOK, pagesOf } from "../../src/testing/documents-sample.js";
import { fakePassage } from "../../src/testing/passage.js";
import type { Embeddings } from "../../src/tools/encoder/port.js";

export const EMBEDDING: Promises<EmptyStore> = {
  "with vectors, passages come first that both words and meaning find": async ({ open }) => {
    const documents = await embedded(open);
    const results = await documents.search({ text: "holiday manager" }, 10);
    const scores = results.map(({ score }) => score);
    const ids = results.map(({ id }) => id);
    assert.equal(ids[0], "holiday#0");
    assert.ok(ids.includes("expenses#0"));
    assert.deepEqual(
      scores,
      scores.toSorted((a, b) => b - a),
    );
    assert.equal(new Set(ids).size, ids.length);
  },

  "with vectors, a search without words finds nothing, and one leaves out excluded passages": async ({ open }) => {
    const documents = await embedded(open);
    for (const mode of ["vector", "hybrid"] as const) {
      assert.deepEqual(await documents.search({ text: "?! …", mode }, 10), []);
      const [first, second] = await documents.search({ text: "holiday", mode }, 10);
      const rest = await documents.search({ text: "holiday", mode, exclude: [first?.id ?? ""] }, 10);
      assert.ok(!rest.some(({ id }) => id === first?.id));
      assert.equal(rest[0]?.id, second?.id);
    }
  },

  "a model that gives too few vectors is an error, and the next model embeds what is left": async ({ open }) => {
    const short = { ...conceptEmbeddings, embed: async () => [] };
    const documents = open({ embeddings: short });
    await documents.upsert(HANDBOOK);
    await assert.rejects(async () => documents.embed?.(), { name: "StoreUnavailableError" });
    await open({ embeddings: conceptEmbeddings }).embed?.();
    assert.equal(await byMeaning(open({ embeddings: conceptEmbeddings })), true);
  },

  "embedded returns which passages have a vector of the current model": async ({ open }) => {
    const documents = open({ embeddings: conceptEmbeddings });
    if (!documents.embedded) return;
    await documents.upsert(HANDBOOK);
    assert.deepEqual(await documents.embedded(["holiday#0"]), []);
    await documents.embed?.();
    await documents.upsert([fakePassage("late#0", "Written later.", { documentId: "late" })]);
    const asked = ["refunds#0", "late#0", "nowhere#0", "holiday#0"];
    assert.deepEqual(await documents.embedded(asked), ["refunds#0", "holiday#0"]);
    assert.deepEqual(await documents.embedded([]), []);
    assert.deepEqual(await open().embedded?.(asked), []);
  },

  "describe counts what is stored by language and by model": async ({ open }) => {
    const documents = open({ embeddings: conceptEmbeddings });
    const counts = async () => {
      const { languages, embedded, embeddedByOthers } = (await documents.describe?.()) ?? {};
      return { languages, embedded, embeddedByOthers };
    };
    if (!documents.describe) return;
    const nothing = { languages: { en: 0, zh: 0, other: 0 }, embedded: 0, embeddedByOthers: 0 };
    const { tables: _, ...described } = await documents.describe();
    assert.deepEqual(described, { ...nothing, writtenAt: "" });
    await documents.upsert(HANDBOOK);
    const zh = HANDBOOK.filter(({ language }) => language === "zh").length;
    const languages = { en: HANDBOOK.length - zh, zh, other: 0 };
    assert.deepEqual(await counts(), { ...nothing, languages });
    await documents.embed?.();
    await documents.upsert([fakePassage("late#0", "Später geschrieben.", { documentId: "late", language: "other" })]);
    const later = { languages: { ...languages, other: 1 }, embedded: HANDBOOK.length, embeddedByOthers: 0 };
    assert.deepEqual(await counts(), later);
  },

  "embedding reports progress as done and total": async ({ open }) => {
    const documents = open({ embeddings: conceptEmbeddings });
    await documents.upsert(many());
    const told: [number, number][] = [];
    await documents.embed?.({ onProgress: (done, total) => told.push([done, total]) });
    assert.deepEqual(told[0], [0, ALL]);
    assert.deepEqual(told.at(-1), [ALL, ALL]);
  },

  "embedding embeds no text again that the document already had, even if it moved": async ({ open }) => {
    const { asked, embeddings } = watched();
    const documents = open({ embeddings });
    await documents.upsert(untitled(["holiday rules", "badge rules"]));
    await documents.embed?.();
    asked.length = 0;
    await documents.upsert(untitled(["a new beginning", "holiday rules", "badge rules"]));
    await documents.embed?.();
    await documents.embed?.();
    assert.deepEqual(asked, ["a new beginning"]);
    assert.equal((await documents.search({ text: "vacation" }, 1))[0]?.id, "guide#1");
  },

  "embedding that fails halfway keeps its vectors and continues from there": async ({ open }) => {
    const failing = watched(1);
    const documents = open({ embeddings: failing.embeddings });
    await documents.upsert(many());
    await documents.embed?.().catch((error: Error) => assert.equal(error.message, "endpoint down"));
    const byWords = await documents.search({ text: "chapter 140", mode: "fullText" }, 1);
    assert.equal(byWords[0]?.id, "many#140");
    const next = watched();
    const later = open({ embeddings: next.embeddings });
    await later.embed?.();
    assert.equal(new Set([...failing.asked, ...next.asked]).size, ALL);
    assert.deepEqual(
      failing.asked.filter((text) => next.asked.includes(text)),
      [],
    );
    assert.equal(await byMeaning(later), true);
  },

  "vectors are kept when a program without a model writes": async ({ open }) => {
    const { asked, embeddings } = watched();
    await open({ embeddings }).upsert(HANDBOOK);
    await open({ embeddings }).embed?.();
    await open().upsert([...HANDBOOK.slice(0, 3), ...pagesOf("late", ["a late page"])]);
    asked.length = 0;
    await open({ embeddings }).embed?.();
    assert.equal(asked.length, 1);
    assert.equal(await byMeaning(open({ embeddings })), true);
  },
};

/** Embeddings that record the texts they are asked for and may fail after `batches` batches. */
function watched(batches = Number.POSITIVE_INFINITY) {
  const asked: string[] = [];
  let left = batches;
  const embeddings: Embeddings = {
    identity: "concepts",
    embed: async (texts, options) => {
      if (options.as === "passage" && left-- <= 0) throw new Error("endpoint down");
      if (options.as === "passage") asked.push(...texts);
      // An index of neighbours works badly with a hundred equal vectors.
      return (await conceptEmbeddings.embed(texts, options)).map((vector, i) => apart(vector, texts[i] ?? ""));
    },
  };
  return { asked, embeddings };
}

/** Turns the vector of each chapter into a different direction. */
function apart(vector: number[], text: string): number[] {
  const chapter = Number(/chapter (\d+)/.exec(text)?.[1] ?? Number.NaN);
  if (Number.isNaN(chapter)) return vector;
  const moved = vector.map((x, i) => x + Math.sin((chapter + 1) * (i + 1)));
  const length = Math.hypot(...moved);
  return moved.map((x) => x / length);
}

const untitled = (texts: readonly string[]) => pagesOf("guide", texts).map((one) => ({ ...one, title: "" }));

const CHAPTERS = Array.from({ length: 150 }, (_, i) => `chapter ${i}`);
const many = () => [...HANDBOOK, ...pagesOf("many", CHAPTERS)];
const ALL = HANDBOOK.length + CHAPTERS.length;
