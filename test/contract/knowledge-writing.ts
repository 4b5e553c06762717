import assert from "node:assert/strict";
import type { Promises } from "../../src/testing/contract.js";
import type { EmptyGraph } from "../../src/testing/knowledge-team.js";
import { entity, includes, sourceOf, triple } from "../../src/testing/knowledge-team.js";
import { fakePassage } from "../../src/testing/passage.js";
import type { Triple } from "../../src/tools/knowledge/port.js";
import { passageSource } from "../../src/tools/knowledge/triples.js";

/** An entity is known as long as a second source mentions it. */
const staysAs = (other: Triple, fact: string) =>
  async function stays({ graph, said, store }: EmptyGraph) {
    await store("a", triple("Ann", "knows", "Ben"));
    await store("b", other);
    await graph.remove(["a"]);
    assert.deepEqual(await said(["Ben"]), [fact]);
    assert.deepEqual(await said(["Ann"]), []);
  };

export const WRITING: Promises<EmptyGraph> = {
  "a triple that is given twice is stored once, with all its quotes": async ({ graph, store }) => {
    const twice = triple("Ann", "likes", "tea", "Ann likes tea.");
    await store("a", twice, twice, { ...twice, quote: "Ann is fond of tea." });
    const [fact] = await graph.facts(["Ann"], "");
    assert.deepEqual([fact?.others, fact?.total], [["tea"], 1]);
    assert.deepEqual(fact?.source?.quotes.toSorted(), ["Ann is fond of tea.", "Ann likes tea."]);
    assert.deepEqual(
      (await graph.sources()).map(({ id, triples }) => [id, triples]),
      [["a", 2]],
    );
  },

  "an entity stays as long as one source begins a triple with it": staysAs(
    triple("Ben", "likes", "tea"),
    "Ben -likes-> tea",
  ),

  "an entity stays as long as one source ends a triple with it": staysAs(
    triple("Cy", "likes", "Ben"),
    "Ben <-likes- Cy",
  ),

  "an entity stays as long as one source has it as an alias": staysAs(
    triple(entity("Cy", "Person", ["Ben"]), "likes", "tea"),
    "Cy -likes-> tea",
  ),

  "an alias stays as long as one source states it": async ({ graph, said, store }) => {
    const told = triple(entity("Ann", "Person", ["安"]), "likes", "tea");
    for (const id of ["a", "b"]) await store(id, told);
    await graph.remove(["a"]);
    assert.deepEqual(await said(["安"]), ["Ann -likes-> tea"]);
    await store("b", triple("Ann", "likes", "tea"));
    assert.deepEqual(await said(["Ann"]), ["Ann -likes-> tea"]);
  },

  "the facts of a passage whose metadata changed stay, with its metadata, its aliases and its reader": async ({
    graph,
  }) => {
    const passage = (readers: string) => fakePassage("guide#0", "Ann leads Roost.", { metadata: { readers } });
    const [before, after] = [passage("everyone"), passage("group:hr")];
    const told = triple(entity("Ann", "Person", ["安"]), "leads", "Roost", "Ann leads Roost.");
    await graph.upsert([
      { source: passageSource(before, "model x.1"), triples: [told] },
      { source: passageSource(after, "old"), triples: [triple("Ann", "led", "Heron")] },
      { source: sourceOf("other"), triples: [triple("Ben", "leads", "Heron")] },
    ]);
    if (!graph.restate) return;
    const seenBy = async (value: string) => {
      const filter = [{ key: "readers", values: [value] }];
      return (await graph.facts(["安"], "", { filter })).map(({ predicate, others, source }) => [
        ...[predicate, ...others, ...(source?.quotes ?? [])],
        source?.metadata?.readers,
      ]);
    };
    assert.equal((await seenBy("everyone")).length, 1);
    await graph.restate([
      { before, after },
      { before: fakePassage("none#0", "Without facts."), after: fakePassage("none#0", "Without facts.") },
    ]);
    assert.deepEqual(await seenBy("everyone"), []);
    assert.deepEqual(await seenBy("group:hr"), [["leads", "Roost", "Ann leads Roost.", "group:hr"]]);
    const { id, hash } = passageSource(after, "model x.1");
    const stored = (await graph.sources()).map((source) => [source.id, source.hash, source.triples]);
    assert.deepEqual(
      stored.toSorted(),
      [
        [id, hash, 1],
        ["other", "hash of other", 1],
      ].toSorted(),
    );
    await graph.remove([id]);
    assert.deepEqual(await seenBy("group:hr"), []);
  },

  "many sources can be written at once": async ({ graph, said }) => {
    const given = Array.from({ length: 300 }, (_, i) => ({
      source: sourceOf(`s${i}`),
      triples: Array.from({ length: 5 }, (_, j) => triple(`thing ${i} 号`, `relation ${j}`, `part ${i} ${j}`)),
    }));
    await graph.upsert(given);
    const sources = await graph.sources();
    assert.equal(sources.length, 300);
    assert.ok(sources.every(({ triples }) => triples === 5));
    const facts = await graph.facts(["thing 123 号"], "");
    assert.equal(facts.filter(({ entity }) => entity === "thing 123 号").length, 5);
    assert.equal(await graph.remove(given.slice(1).map(({ source }) => source.id)), 299);
    assert.deepEqual(await said(["thing 123 号"]), []);
    assert.equal((await said(["thing 0 号"])).length, 5);
  },

  "a write that is aborted midway is stored completely or not at all": async ({ graph }) => {
    const given = (n: number) =>
      Array.from({ length: 40 }, (_, i) => ({
        source: { ...sourceOf(`s${i}`), hash: `${n}` },
        triples: Array.from({ length: 10 }, (_, j) => triple(`e ${n} ${i}`, `r ${j}`, `v ${i} ${j}`)),
      }));
    await graph.upsert(given(0));
    for (let n = 1; n <= 6; n++) {
      const stop = new AbortController();
      const write = graph.upsert(given(n), { signal: stop.signal }).catch(() => {});
      setTimeout(() => stop.abort(new Error("the user left")), n * 5);
      await write;
      assert.equal(new Set((await graph.sources()).map(({ hash }) => hash)).size, 1);
    }
  },
};

export const SHARING: Promises<EmptyGraph> = {
  "a look-up during a write sees the old or the new state, never a mix": async ({ open }) => {
    const [writer, reader] = [open(), open()];
    const edition = (n: number) =>
      ["one", "two"].map((id) => ({
        source: sourceOf(id),
        triples: Array.from({ length: 6 }, (_, i) => triple("The Book", "has 章节", `chapter ${i} of edition ${n}`)),
      }));
    await writer.upsert(edition(0));
    let isWriting = true;
    const write = async () => {
      try {
        for (let n = 1; n <= 8; n++) await writer.upsert(edition(n));
      } finally {
        isWriting = false;
      }
    };
    const read = async () => {
      const seen: number[] = [];
      while (isWriting) {
        const facts = (await reader.facts(["book"], "has")).filter(({ direction }) => direction === "out");
        const editions = new Set(facts.flatMap(({ others }) => others.map((other) => other.split(" ").at(-1))));
        assert.equal(editions.size, 1, `editions ${[...editions]}`);
        assert.deepEqual(
          facts.map(({ total }) => total),
          [6, 6],
        );
        seen.push(Number([...editions][0]));
      }
      return seen;
    };
    const [, ...readings] = await Promise.all([write(), read(), read()]);
    for (const seen of readings)
      assert.deepEqual(
        seen,
        seen.toSorted((a, b) => a - b),
      );
  },

  "concurrent writes are all stored": async ({ graph, open, said }) => {
    const writers = [graph, open()];
    const writes = Array.from({ length: 8 }, (_, n) =>
      writers[n % 2]?.upsert([
        { source: sourceOf(`own ${n}`), triples: [triple("Ann", `likes ${n}`, `thing ${n}`)] },
        { source: { ...sourceOf("shared"), hash: `${n}` }, triples: [triple("Ann", "was written by", `${n}`)] },
      ]),
    );
    await Promise.all(writes);
    const listed = await graph.sources();
    assert.equal(listed.length, 9);
    const shared = listed.find(({ id }) => id === "shared");
    const facts = await said(["Ann"]);
    includes(facts, `Ann -was written by-> ${shared?.hash}`);
    assert.equal(facts.filter((fact) => fact.startsWith("Ann -likes")).length, 8);
  },
};
