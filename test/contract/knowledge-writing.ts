import { describe, expect, test } from "vitest";
import type { GraphUnderTest } from "./knowledge.js";
import { byId, entity, says, sourceOf, TEAM, triple } from "./knowledge-team.js";

/** What is stored after writes, during concurrent reads and writes, and after an abort. */
export function writing(kit: GraphUnderTest) {
  describe("writing", () => {
    kit.each();

    test("replaces a whole source, and no other", async () => {
      await kit.store("a", triple("Ann", "likes", "tea"), triple("Ann", "knows", "Ben"));
      await kit.store("b", triple("Ann", "likes", "coffee"));
      await kit.store("a", triple("Ann", "likes", "milk"));
      expect((await kit.said(["Ann"])).toSorted()).toEqual(["Ann -likes-> coffee", "Ann -likes-> milk"]);
      expect(await kit.graph.facts(["tea"], "")).toEqual([]);
      expect(await kit.graph.facts(["Ben"], "")).toEqual([]);
      expect(byId(await kit.graph.sources()).map(({ id, triples }) => [id, triples])).toEqual([
        ["a", 1],
        ["b", 1],
      ]);
    });

    test("uses the later version of a source that is given twice in a call", async () => {
      await kit.graph.upsert([
        { source: sourceOf("a"), triples: [triple("Ann", "likes", "tea")] },
        { source: { ...sourceOf("a"), hash: "later" }, triples: [triple("Ann", "likes", "milk")] },
      ]);
      expect(await kit.said(["Ann"])).toEqual(["Ann -likes-> milk"]);
      expect((await kit.graph.sources()).map(({ hash }) => hash)).toEqual(["later"]);
    });

    test("stores a triple that is given twice once, with all its quotes", async () => {
      const twice = triple("Ann", "likes", "tea", "Ann likes tea.");
      await kit.store("a", twice, twice, { ...twice, quote: "Ann is fond of tea." });
      const [fact] = await kit.graph.facts(["Ann"], "");
      expect(fact).toMatchObject({ others: ["tea"], total: 1 });
      expect(fact?.source?.quotes.toSorted()).toEqual(["Ann is fond of tea.", "Ann likes tea."]);
      expect(await kit.graph.sources()).toMatchObject([{ id: "a", triples: 2 }]);
    });

    test("keeps a source without triples, and removes its earlier triples", async () => {
      await kit.store("a", triple("Ann", "likes", "tea"));
      await kit.graph.upsert([{ source: { ...sourceOf("a"), hash: "empty now" }, triples: [] }]);
      expect(await kit.graph.sources()).toEqual([{ id: "a", documentId: "a", hash: "empty now", triples: 0 }]);
      expect(await kit.graph.facts(["Ann"], "")).toEqual([]);
      expect(await kit.open().schema()).toEqual({ nodes: [], relations: [] });
    });

    test("removes sources with their triples, returns their number, and ignores unknown ones", async () => {
      await kit.graph.upsert(TEAM);
      const before = (await kit.graph.sources()).length;
      expect(await kit.graph.remove(["people.md#0", "people.md#0", "unknown"])).toBe(1);
      expect(await kit.graph.facts(["Zoë Müller"], "")).toEqual([]);
      expect(await kit.said(["数据平台"])).toContain(OWNER);
      expect(await kit.graph.sources()).toHaveLength(before - 1);
      expect(await kit.graph.remove((await kit.graph.sources()).map(({ id }) => id))).toBe(before - 1);
      expect(await kit.graph.sources()).toEqual([]);
      expect(await kit.open().schema()).toEqual({ nodes: [], relations: [] });
    });

    test.each([
      ["at the beginning", triple("Ben", "likes", "tea"), "Ben -likes-> tea"],
      ["at the end", triple("Cy", "likes", "Ben"), "Ben <-likes- Cy"],
      ["as an alias", triple(entity("Cy", "Person", ["Ben"]), "likes", "tea"), "Cy -likes-> tea"],
    ])("keeps an entity as long as one source mentions it, here %s", async (_, other, fact) => {
      await kit.store("a", triple("Ann", "knows", "Ben"));
      await kit.store("b", other);
      await kit.graph.remove(["a"]);
      expect(await kit.said(["Ben"])).toEqual([fact]);
      expect(await kit.graph.facts(["Ann"], "")).toEqual([]);
    });

    test("keeps an alias as long as one source states it", async () => {
      const told = triple(entity("Ann", "Person", ["安"]), "likes", "tea");
      for (const id of ["a", "b"]) await kit.store(id, told);
      await kit.graph.remove(["a"]);
      expect(await kit.said(["安"])).toEqual(["Ann -likes-> tea"]);
      await kit.store("b", triple("Ann", "likes", "tea"));
      expect(await kit.said(["Ann"])).toEqual(["Ann -likes-> tea"]);
    });

    test("accepts many sources at once", { timeout: 60_000 }, async () => {
      const given = Array.from({ length: 300 }, (_, i) => ({
        source: sourceOf(`s${i}`),
        triples: Array.from({ length: 5 }, (_, j) => triple(`thing ${i} 号`, `relation ${j}`, `part ${i} ${j}`)),
      }));
      await kit.graph.upsert(given);
      expect(await kit.graph.sources()).toHaveLength(300);
      expect((await kit.graph.sources()).every(({ triples }) => triples === 5)).toBe(true);
      expect(
        (await kit.graph.facts(["thing 123 号"], "")).filter(({ entity }) => entity === "thing 123 号"),
      ).toHaveLength(5);
      expect(await kit.graph.remove(given.slice(1).map(({ source }) => source.id))).toBe(299);
      expect(await kit.graph.facts(["thing 123 号"], "")).toEqual([]);
      expect(await kit.said(["thing 0 号"])).toHaveLength(5);
    });
  });

  describe("with several instances", () => {
    kit.each();

    test("shows what another instance wrote, without being reopened", async () => {
      const other = kit.open();
      await kit.store("a", triple("Ann", "likes", "tea"));
      expect((await other.facts(["Ann"], "")).map(says)).toEqual(["Ann -likes-> tea"]);
      await kit.store("a", triple("Ann", "likes", "milk"));
      expect((await other.facts(["Ann"], "")).map(says)).toEqual(["Ann -likes-> milk"]);
      await other.remove(["a"]);
      expect(await kit.graph.facts(["Ann"], "")).toEqual([]);
    });

    test("keeps what was written after closing and reopening", async () => {
      await kit.graph.upsert(TEAM);
      const before = await kit.graph.facts(["Ann Lee", "数据平台"], "");
      await kit.graph.close();
      const graph = kit.open();
      expect(await graph.facts(["Ann Lee", "数据平台"], "")).toEqual(before);
      expect(byId(await graph.sources()).map(({ id }) => id)).toEqual(TEAM.map(({ source }) => source.id).toSorted());
    });

    test("a look-up during a write sees the old or the new state, never a mix", { timeout: 60_000 }, async () => {
      const [writer, reader] = [kit.open(), kit.open()];
      const edition = (n: number) =>
        ["one", "two"].map((id) => ({
          source: sourceOf(id),
          triples: Array.from({ length: 6 }, (_, i) => triple("The Book", "has 章节", `chapter ${i} of edition ${n}`)),
        }));
      await writer.upsert(edition(0));
      let isWriting = true;
      const write = async () => {
        for (let n = 1; n <= 8; n++) await writer.upsert(edition(n));
        isWriting = false;
      };
      const read = async () => {
        const seen: number[] = [];
        while (isWriting) {
          const facts = (await reader.facts(["book"], "has")).filter(({ direction }) => direction === "out");
          const editions = new Set(facts.flatMap(({ others }) => others.map((other) => other.split(" ").at(-1))));
          expect([...editions]).toHaveLength(1);
          expect(facts.map(({ total }) => total)).toEqual([6, 6]);
          seen.push(Number([...editions][0]));
        }
        return seen;
      };
      const [, ...readings] = await Promise.all([write(), read(), read()]);
      for (const seen of readings) expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    });

    test("stores all concurrent writes", { timeout: 60_000 }, async () => {
      const writers = [kit.graph, kit.open()];
      await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          writers[n % 2]?.upsert([
            { source: sourceOf(`own ${n}`), triples: [triple("Ann", `likes ${n}`, `thing ${n}`)] },
            { source: { ...sourceOf("shared"), hash: `${n}` }, triples: [triple("Ann", "was written by", `${n}`)] },
          ]),
        ),
      );
      const listed = await kit.graph.sources();
      expect(listed).toHaveLength(9);
      const shared = listed.find(({ id }) => id === "shared");
      expect(await kit.said(["Ann"])).toContain(`Ann -was written by-> ${shared?.hash}`);
      expect((await kit.said(["Ann"])).filter((fact) => fact.startsWith("Ann -likes"))).toHaveLength(8);
    });
  });

  describe("with an aborted signal", () => {
    kit.each();

    const stopped = () => AbortSignal.abort(new Error("the user left"));

    test("a write throws the reason and writes nothing", async () => {
      await kit.store("a", triple("Ann", "likes", "tea"));
      const given = ["a", "b"].map((id) => ({ source: sourceOf(id), triples: [triple("Ann", "likes", "milk")] }));
      await expect(kit.graph.upsert(given, { signal: stopped() })).rejects.toThrow("the user left");
      expect(await kit.said(["Ann"])).toEqual(["Ann -likes-> tea"]);
      expect(await kit.graph.sources()).toHaveLength(1);
    });

    test("a write that is aborted midway is stored completely or not at all", { timeout: 60_000 }, async () => {
      const given = (n: number) =>
        Array.from({ length: 40 }, (_, i) => ({
          source: { ...sourceOf(`s${i}`), hash: `${n}` },
          triples: Array.from({ length: 10 }, (_, j) => triple(`e ${n} ${i}`, `r ${j}`, `v ${i} ${j}`)),
        }));
      await kit.graph.upsert(given(0));
      for (let n = 1; n <= 6; n++) {
        const stop = new AbortController();
        const write = kit.graph.upsert(given(n), { signal: stop.signal }).then(
          () => "done",
          () => "not done",
        );
        setTimeout(() => stop.abort(new Error("the user left")), n * 5);
        await write;
        expect(new Set((await kit.graph.sources()).map(({ hash }) => hash)).size).toBe(1);
      }
    });

    test("a look-up and the schema throw the reason", async () => {
      await kit.store("a", triple("Ann", "likes", "tea"));
      await expect(kit.graph.facts(["Ann"], "", { signal: stopped() })).rejects.toThrow("the user left");
      await expect(kit.open().schema({ signal: stopped() })).rejects.toThrow("the user left");
    });
  });
}

const OWNER = "数据平台 -负责人-> 王小明";
