import { describe, expect, test } from "vitest";
import { UsageError } from "../../src/errors.js";
import type { GraphUnderTest } from "./knowledge.js";
import { entity, says, sourceOf, triple } from "./knowledge-team.js";

/** Hostile names, and several names of one entity. */
export function naming(kit: GraphUnderTest) {
  describe("with unusual names", () => {
    kit.each();

    test.each(HOSTILE)("stores and finds %j", async (hostile) => {
      const kept = hostile.replace(/\p{Cc}+/gu, " ").trim();
      await kit.store("hostile", triple(hostile, "knows", "Plain Person"), triple("Plain Person", "wrote", hostile));
      const facts = await kit.graph.facts([hostile], "");
      expect(facts.map(says)).toContain(`${kept} -knows-> Plain Person`);
      expect(facts.map(says)).toContain(`${kept} <-wrote- Plain Person`);
      expect(await kit.said(["Plain Person"])).toContain(`Plain Person -wrote-> ${kept}`);
      await kit.graph.facts([hostile], hostile);
      expect(await kit.graph.facts(["Somebody Else"], "")).toEqual([]);
    });

    test.each(HOSTILE.filter((text) => text.length < 1_000))(
      "stores relations and types that look like %j",
      async (hostile) => {
        const kept = hostile.replace(/\p{Cc}+/gu, " ").trim();
        await kit.store("hostile", { ...triple("Ann", hostile, "Ben"), subject: entity("Ann", hostile) });
        expect(await kit.said(["Ann"], `${hostile}?`)).toContain(`Ann -${kept}-> Ben`);
        expect((await kit.open().schema()).relations.map(({ type }) => type)).toContain(kept);
      },
    );

    test.each(HOSTILE)("stores a source and a quote that look like %j", async (hostile) => {
      const source = { ...sourceOf(hostile), title: hostile, uri: hostile, section: hostile, hash: hostile };
      const wellFormed = hostile.toWellFormed();
      await kit.graph.upsert([{ source, triples: [triple("Ann", "knows", "Ben", hostile)] }]);
      expect(await kit.graph.sources()).toEqual([
        { id: hostile, documentId: source.documentId, hash: hostile, triples: 1 },
      ]);
      expect((await kit.graph.facts(["Ann"], ""))[0]?.source).toEqual({ ...source, quotes: [wellFormed] });
      expect(await kit.graph.remove([hostile])).toBe(1);
      expect(await kit.graph.facts(["Ann"], "")).toEqual([]);
    });

    test("refuses an empty triple, and stores nothing of the call", async () => {
      for (const wrong of [triple(" ", "knows", "Ben"), triple("Ann", "", "Ben"), triple("Ann", "knows", "\u0000")]) {
        const given = [triple("Cy", "knows", "Di")];
        const call = [
          { source: sourceOf("right"), triples: given },
          { source: sourceOf("wrong"), triples: [wrong] },
        ];
        await expect(kit.graph.upsert(call)).rejects.toThrow(UsageError);
      }
      expect(await kit.graph.sources()).toEqual([]);
      expect(await kit.graph.facts(["Cy"], "")).toEqual([]);
    });
  });

  describe("an entity with several names", () => {
    kit.each();

    const A = triple(entity("International Widgets", "Company", ["IW"]), "based in", "Oslo");
    const B = triple(entity("IW", "Company"), "makes", "widgets");
    const C = triple(entity("国际零件公司", "Company", ["IW"]), "founded in", "1950");
    const told = ["based in Oslo", "makes widgets", "founded in 1950"];
    const tells = async (named: string) =>
      (await kit.graph.facts([named], ""))
        .map(({ predicate, others }) => `${predicate} ${others}`)
        .filter((text) => told.includes(text))
        .toSorted();

    test.each([
      ["in one call", [[A, B, C]]],
      ["in calls of their own", [[A], [B], [C]]],
      ["with what joins them last", [[B], [C], [A]]],
      ["in one source and another", [[C], [B, A]]],
    ])("is one entity, given %s", async (_, calls) => {
      for (const [i, triples] of calls.entries()) await kit.store(`source ${i}`, ...triples);
      for (const named of ["International Widgets", "IW", "国际零件公司", "International Widgts"])
        expect(await tells(named)).toEqual(told.toSorted());
    });

    test("is merged when a later call says that two names mean the same", async () => {
      await kit.store("one", triple("Ann Lee", "based in", "Oslo"));
      await kit.store("two", triple("李安", "makes", "widgets"));
      expect(await tells("Ann Lee")).toEqual(["based in Oslo"]);
      await kit.store("both", triple(entity("Ann Lee", "", ["李安"]), "founded in", "1950"));
      for (const named of ["Ann Lee", "李安"]) expect(await tells(named)).toEqual(told.toSorted());
    });

    test("keeps the statements of other sources when one is removed", async () => {
      await kit.graph.upsert([A, B, C].map((one, i) => ({ source: sourceOf(`${i}`), triples: [one] })));
      await kit.graph.remove(["0"]);
      for (const named of ["IW", "国际零件公司"])
        expect(await tells(named)).toEqual(["founded in 1950", "makes widgets"]);
      await kit.graph.remove(["2"]);
      expect(await tells("IW")).toEqual(["makes widgets"]);
    });

    test("counts once at the other end, whichever names are used", async () => {
      await kit.store("one", triple("Kit", "works for", "IW"), triple("Kit", "works for", "International Widgets"), A);
      const fact = (await kit.graph.facts(["Kit"], "works for")).find(({ predicate }) => predicate === "works for");
      expect(fact?.total).toBe(1);
      expect(fact?.others).toHaveLength(1);
    });
  });
}

const HOSTILE: readonly string[] = [
  "O'Brien'); DROP TABLE triples; --",
  'say "hello" OR "1"="1"',
  "`Person` {name: 'x'}) DETACH DELETE (n",
  "$name $" + "{x} {{y}} {0} %s $& $1",
  '+foo -bar && || ! ( ) { } [ ] ^ " ~ * ? : \\ / AND OR NOT [* TO *]',
  "foo~2 bar^5 ba* title:x",
  "back\\slash\\' \\u0027 \\",
  "line\nbreak\ttab\u0000\u0007 end",
  "// comment /* and */ -- more",
  "per%cent_under 50% _",
  "__proto__",
  "constructor",
  "名字“引号”（括号）、顿号；`反引号`",
  "🙂👩‍👩‍👧",
  "\u202eright to left\u200b ﷽",
  `${"very long ".repeat(300)}name`,
  "长".repeat(2_000),
];
