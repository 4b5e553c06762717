import assert from "node:assert/strict";
import type { Promises } from "../../src/testing/contract.js";
import type { EmptyGraph } from "../../src/testing/knowledge-team.js";
import {
  A,
  B,
  C,
  entity,
  includes,
  isOneEntity,
  says,
  sourceOf,
  TOLD,
  tells,
  triple,
} from "../../src/testing/knowledge-team.js";

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

/** One promise for all hostile texts, each in the place of the one before. */
const forEach = (
  what: string,
  texts: readonly string[],
  promise: (graph: EmptyGraph, hostile: string) => Promise<void>,
): Promises<EmptyGraph> => ({
  [`${what} may be any text`]: async (graph: EmptyGraph) => {
    for (const hostile of texts) await promise(graph, hostile);
  },
});

const kept = (hostile: string) => hostile.replace(/\p{Cc}+/gu, " ").trim();

export const NAMING: Promises<EmptyGraph> = {
  ...forEach("a name", HOSTILE, async ({ graph, said, store }, hostile) => {
    await store("hostile", triple(hostile, "knows", "Plain Person"), triple("Plain Person", "wrote", hostile));
    const facts = await said([hostile]);
    includes(facts, `${kept(hostile)} -knows-> Plain Person`);
    includes(facts, `${kept(hostile)} <-wrote- Plain Person`);
    includes(await said(["Plain Person"]), `Plain Person -wrote-> ${kept(hostile)}`);
    await graph.facts([hostile], hostile);
    assert.deepEqual(await said(["Somebody Else"]), []);
  }),

  ...forEach(
    "a relation and a type",
    HOSTILE.filter((text) => text.length < 1_000),
    async ({ open, said, store }, hostile) => {
      await store("hostile", { ...triple("Ann", hostile, "Ben"), subject: entity("Ann", hostile) });
      includes(await said(["Ann"], `${hostile}?`), `Ann -${kept(hostile)}-> Ben`);
      const { relations } = await open().schema();
      includes(
        relations.map(({ type }) => type),
        kept(hostile),
      );
    },
  ),

  ...forEach("a source and a quote", HOSTILE, async ({ graph }, hostile) => {
    const source = { ...sourceOf(hostile), title: hostile, uri: hostile, section: hostile, hash: hostile };
    await graph.upsert([{ source, triples: [triple("Ann", "knows", "Ben", hostile)] }]);
    const [stored, ...others] = await graph.sources();
    assert.deepEqual({ ...stored }, { id: hostile, documentId: source.documentId, hash: hostile, triples: 1 });
    assert.deepEqual(others, []);
    const [fact] = await graph.facts(["Ann"], "");
    const quotes = [hostile.toWellFormed()];
    assert.deepEqual({ ...fact?.source, metadata: undefined }, { ...source, quotes, metadata: undefined });
    assert.equal(await graph.remove([hostile]), 1);
    assert.deepEqual(await graph.facts(["Ann"], ""), []);
  }),

  "an entity with several names is one entity, given in one call": isOneEntity([A, B, C]),

  "an entity with several names is one entity, given what joins them last": isOneEntity([B], [C], [A]),

  "entities are merged when a later call says that two names mean the same": async (empty) => {
    await empty.store("one", triple("Ann Lee", "based in", "Oslo"));
    await empty.store("two", triple("李安", "makes", "widgets"));
    assert.deepEqual(await tells(empty, "Ann Lee"), ["based in Oslo"]);
    await empty.store("both", triple(entity("Ann Lee", "", ["李安"]), "founded in", "1950"));
    for (const named of ["Ann Lee", "李安"]) assert.deepEqual(await tells(empty, named), TOLD, named);
  },

  "an entity keeps the statements of other sources when one is removed": async (empty) => {
    await empty.graph.upsert([A, B, C].map((one, i) => ({ source: sourceOf(`${i}`), triples: [one] })));
    await empty.graph.remove(["0"]);
    for (const named of ["IW", "国际零件公司"])
      assert.deepEqual(await tells(empty, named), ["founded in 1950", "makes widgets"], named);
    await empty.graph.remove(["2"]);
    assert.deepEqual(await tells(empty, "IW"), ["makes widgets"]);
  },

  "an entity counts once at the other end, whichever names are used": async ({ graph, store }) => {
    await store("one", triple("Kit", "works for", "IW"), triple("Kit", "works for", "International Widgets"), A);
    const facts = await graph.facts(["Kit"], "works for");
    const fact = facts.find(({ predicate }) => predicate === "works for");
    assert.deepEqual([fact?.total, fact?.others.length], [1, 1], says(fact));
  },
};
