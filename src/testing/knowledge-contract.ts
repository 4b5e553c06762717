import assert from "node:assert/strict";
import { UsageError } from "../errors.js";
import type { Fact, KnowledgeGraph } from "../tools/knowledge/port.js";
import type { Metadata } from "../types/metadata.js";
import { type ContractTest, contractOf, type Promises, stops } from "./contract.js";
import {
  A,
  B,
  byId,
  C,
  type EmptyGraph,
  entity,
  includes,
  isOneEntity,
  type OpenKnowledge,
  says,
  sourceOf,
  TEAM,
  triple,
} from "./knowledge-team.js";

/**
 * What every adapter of KnowledgeGraph promises. `newGraph` prepares a separate empty graph for each test. Queries are
 * not tested, since each graph has its own language for them.
 */
export const knowledgeContract = (newGraph: () => Promise<OpenKnowledge>): ContractTest[] =>
  knowledgeTests(newGraph, PROMISES);

/** Tests of promises, each over a graph of its own. */
export const knowledgeTests = (
  newGraph: () => Promise<OpenKnowledge>,
  promises: Promises<EmptyGraph>,
): ContractTest[] =>
  contractOf(promises, async (promise) => {
    const made = await newGraph();
    const opened: KnowledgeGraph[] = [];
    const open = () => {
      const one = made();
      opened.push(one);
      return one;
    };
    const graph = open();
    try {
      await promise({
        open,
        graph,
        store: (id, ...triples) => graph.upsert([{ source: sourceOf(id), triples }]),
        said: async (entities, question = "") => (await graph.facts(entities, question)).map(says),
      });
    } finally {
      for (const one of opened) await one.close();
    }
  });

const REPORTS = "Ann Lee -reports to-> Ben Okafor";
const OWNER = "数据平台 -负责人-> 王小明";
const MAINTAINED = "Kubernetes 集群 -maintained by-> Platform Team";
const HEADS = "Ben Okafor -heads-> Platform Team";

/** Names as people write them, with a fact about what they name. */
const WRITTEN: Readonly<Record<string, string>> = {
  "Ann Lee": REPORTS,
  "ANN LEE": REPORTS,
  "Ａｎｎ　Ｌｅｅ": REPORTS,
  ' "Ann-Lee",  ': REPORTS,
  "Ann Lee’s": REPORTS,
  李安: REPORTS,
  "the data hub": OWNER,
  "Data Hbu": OWNER,
  数据平台: OWNER,
  "《数据平台》": OWNER,
  "Kubernets cluster": MAINTAINED,
  kubernetes集群: MAINTAINED,
  "Ben Okafro": HEADS,
  "Zoe Muller": "Zoë Müller -works in-> Berlin",
  "The Handbook": "Handbook -written by-> Ann Lee",
};

const PROMISES: Promises<EmptyGraph> = {
  "an empty graph finds, lists and removes nothing without an error": async ({ graph }) => {
    assert.deepEqual(await graph.facts(["Ann Lee"], "Who is Ann Lee? 李安是谁？"), []);
    assert.deepEqual(await graph.sources(), []);
    assert.equal(await graph.remove(["nothing"]), 0);
    assert.deepEqual(await graph.schema(), { nodes: [], relations: [] });
  },

  "empty lists are accepted": async ({ graph }) => {
    await graph.upsert([]);
    assert.equal(await graph.remove([]), 0);
    assert.deepEqual(await graph.facts([], ""), []);
    assert.deepEqual(await graph.sources(), []);
  },

  "the schema names types, and relations with both ends, and nothing that emend adds for itself": async ({
    graph,
    open,
  }) => {
    await graph.upsert(TEAM);
    const { nodes, relations } = await open().schema();
    const labels = nodes.map(({ label }) => label);
    for (const label of ["Person", "Team", "系统", "人"]) assert.ok(labels.includes(label), `${label} is missing`);
    const known = relations.map(({ type, from, to }) => [type, from, to].join(" | "));
    for (const relation of ["reports to | Person | Person", "heads | Person | Team", "负责人 | 系统 | 人"])
      assert.ok(known.includes(relation), `${relation} is missing`);
    assert.doesNotMatch(JSON.stringify({ nodes, relations }), /emend/i);
  },

  "a look-up finds an entity in any case and width, with small misspellings, and by alias": async ({ graph, said }) => {
    await graph.upsert(TEAM);
    for (const [named, fact] of Object.entries(WRITTEN)) includes(await said([named]), fact);
  },

  "a look-up finds the entities that the question names": async ({ graph, said }) => {
    await graph.upsert(TEAM);
    for (const [question, fact] of [
      ["who does ann lee report to", REPORTS],
      ["谁是李安的上级？", REPORTS],
      ["数据平台的负责人是谁", OWNER],
      ["请问数据平台由谁负责？", OWNER],
      ["Who owns the Data Hub?", OWNER],
      ["谁维护Kubernetes 集群？", MAINTAINED],
      ["What is Zoë Müller's city?", "Zoë Müller -works in-> Berlin"],
    ] as const)
      includes(await said([], question), fact);
  },

  "a name that looks like a query is a name": async ({ said, store }) => {
    const name = "O'Brien\"`) DETACH DELETE (n); DROP TABLE triples; --";
    await store("hostile", triple(name, "knows", "Ann"));
    includes(await said([name]), `${name} -knows-> Ann`);
    assert.deepEqual(await said(["Somebody Else"]), []);
  },

  "a look-up finds nothing for unknown and empty names": async ({ graph }) => {
    await graph.upsert(TEAM);
    for (const [entities, question] of [
      [["Nobody Known"], "Who is Nobody Known?"],
      [["不存在的人"], "不存在的人是谁？"],
      [["Annabel", "Lee"], "Is there a Lee?"],
      [["Room 102"], "Where is Room 102?"],
      [["王小民"], ""],
      [["", " \n", "?!", "。", "\u0000"], "?! 。"],
      [[], "the a of is 的 是 在"],
      [[], ""],
    ] as const)
      assert.deepEqual(await graph.facts(entities, question), [], JSON.stringify([entities, question]));
  },

  "a relation is found from both of its ends, with its direction": async ({ graph, said }) => {
    await graph.upsert(TEAM);
    includes(await said(["Ann Lee"]), REPORTS);
    includes(await said(["Ben Okafor"]), "Ben Okafor <-reports to- Ann Lee");
    includes(await said(["王小明"]), "王小明 <-负责人- 数据平台");
  },

  "the best fact comes first, with scores from 0 to 1": async ({ graph }) => {
    await graph.upsert(TEAM);
    const facts = await graph.facts(["Ann Lee", "数据平台"], "To whom does Ann Lee report?");
    const scores = facts.map(({ score }) => score);
    assert.ok(scores.length > 5);
    assert.deepEqual(
      scores,
      scores.toSorted((a, b) => b - a),
    );
    assert.ok(
      scores.every((score) => score >= 0 && score <= 1),
      `${scores}`,
    );
  },

  "another limit than 1 to 100 is refused": async ({ graph }) => {
    await graph.upsert(TEAM);
    for (const limit of [0, -1, 101, 1.5, Number.NaN])
      await assert.rejects(graph.facts(["Ann Lee"], "", { limit }), UsageError, `${limit}`);
  },

  "a fact has its source with its quotes, and the parameters and rows that it was found with": async ({ graph }) => {
    await graph.upsert(TEAM);
    const fact = (await graph.facts(["Ann Lee"], "")).find((one) => says(one) === REPORTS);
    const quotes = ["Ann Lee (李安) reports to Ben Okafor."];
    const source = { ...sourceOf("people.md#0"), quotes, metadata: undefined };
    assert.deepEqual({ ...fact?.source, metadata: undefined }, source);
    assert.notDeepEqual(Object.keys(fact?.provenance.parameters ?? {}), []);
    for (const { others, provenance } of await graph.facts(["Ann Lee", "Berlin", "数据平台"], "")) {
      const rows = JSON.stringify(provenance.rows);
      for (const other of others) assert.ok(rows.includes(other), `${other} is missing in ${rows}`);
    }
  },

  "a look-up returns at most as many facts as asked, the best ones, by default 20": async ({ graph, store }) => {
    await graph.upsert(TEAM);
    await store("many", ...Array.from({ length: 40 }, (_, i) => triple("Ann Lee", `likes ${i}`, `thing ${i}`)));
    const all = await graph.facts(["Ann Lee"], "Where?", { limit: 100 });
    assert.ok(all.length > 40);
    assert.deepEqual(await graph.facts(["Ann Lee"], "Where?", { limit: 3 }), all.slice(0, 3));
    assert.deepEqual(await graph.facts(["Ann Lee"], "Where?"), all.slice(0, 20));
  },

  "a fact has the same id however it is found, and different facts have different ids": async ({ graph, store }) => {
    await graph.upsert(TEAM);
    const facts = await graph.facts(["Ann Lee"], "");
    assert.equal(new Set(facts.map(({ id }) => id)).size, facts.length);
    const id = idOf(facts, REPORTS);
    await store("more", triple("Ann Lee", "likes", "tea"));
    await graph.upsert(TEAM.filter(({ source }) => source.id === "people.md#0"));
    for (const [entities, question] of [
      [["李安"], ""],
      [["Anne Lee"], ""],
      [[], "is ann lee here?"],
    ] as const)
      assert.equal(idOf(await graph.facts(entities, question), REPORTS), id);
  },

  "an aborted look-up, and an aborted schema, throw the reason": async ({ graph, open, store }) => {
    await store("a", triple("Ann", "likes", "tea"));
    await stops((signal) => graph.facts(["Ann"], "", { signal }));
    await stops((signal) => open().schema({ signal }));
  },

  "an empty triple is refused, and nothing of the call is stored": async ({ graph }) => {
    for (const wrong of [triple(" ", "knows", "Ben"), triple("Ann", "", "Ben"), triple("Ann", "knows", "\u0000")]) {
      const call = [
        { source: sourceOf("right"), triples: [triple("Cy", "knows", "Di")] },
        { source: sourceOf("wrong"), triples: [wrong] },
      ];
      await assert.rejects(graph.upsert(call), UsageError);
    }
    assert.deepEqual(await graph.sources(), []);
    assert.deepEqual(await graph.facts(["Cy"], ""), []);
  },

  "an entity with several names is one entity, given in calls of their own": isOneEntity([A], [B], [C]),

  "with a filter, a look-up returns only facts of matching sources, with only the names, types and aliases that those sources use":
    async ({ graph }) => {
      const secret = [
        triple(entity("Ann Lee", "Spy", ["Falcon", "Ann Lee of the Secret Service"]), "earns", "much gold"),
        triple(entity("Ben Okafor", "Spy", ["Heron"]), "pays", "Ann Lee"),
      ];
      await graph.upsert([
        {
          source: from("hr", { department: "hr", tags: "a\nb" }),
          triples: [triple(entity("Ann Lee", "", ["李安"]), "reports to", "Ben Okafor")],
        },
        { source: from("board", { department: "board" }), triples: secret },
        { source: from("loaded"), triples: [triple("Ann Lee", "lives in", "Rome")] },
      ]);
      const told = async (key: string, value: string, not = false, names = ["Ann Lee"]) => {
        const filter = [{ key, values: [value], ...(not && { not }) }];
        const facts = await graph.facts(names, `${names[0]}?`, { filter });
        if (value === "hr" && !not) assert.doesNotMatch(JSON.stringify(facts), /spy|secret|falcon|heron|gold/i);
        return facts.map(says).sort();
      };
      const hr = ["Ann Lee -reports to-> Ben Okafor"];
      assert.deepEqual(await told("department", "hr"), hr);
      assert.deepEqual(await told("tags", "b"), hr);
      assert.deepEqual(await told("department", "board", true), hr);
      const [byAlias = "", ...more] = await told("department", "hr", false, ["李安"]);
      assert.match(byAlias, /-reports to-> Ben Okafor$/);
      assert.deepEqual(more, []);
      assert.deepEqual(await told("department", "hr", false, ["Falcon"]), []);
      assert.match((await told("department", "board", false, ["Falcon"])).join(), /earns-> much gold/);
      for (const value of ["", "HR", "hr' OR '1'='1", "hr'] ) OR true --", "hr\0"])
        assert.deepEqual(await told("department", value), [], JSON.stringify(value));
      const [fact] = await graph.facts(["Ann Lee"], "", { filter: [{ key: "department", values: ["hr"] }] });
      assert.deepEqual(fact?.source?.metadata, { department: "hr", tags: "a\nb" });
      const everything = (await graph.facts(["Ann Lee"], "")).map(says);
      assert.ok(everything.length > 2);
      includes(everything, "Ann Lee -lives in-> Rome");
    },

  "a write replaces a whole source, and no other": async ({ graph, said, store }) => {
    await store("a", triple("Ann", "likes", "tea"), triple("Ann", "knows", "Ben"));
    await store("b", triple("Ann", "likes", "coffee"));
    await store("a", triple("Ann", "likes", "milk"));
    assert.deepEqual((await said(["Ann"])).toSorted(), ["Ann -likes-> coffee", "Ann -likes-> milk"]);
    assert.deepEqual(await said(["tea"]), []);
    assert.deepEqual(await said(["Ben"]), []);
    assert.deepEqual(
      byId(await graph.sources()).map(({ id, triples }) => [id, triples]),
      [
        ["a", 1],
        ["b", 1],
      ],
    );
  },

  "a source without triples is kept, and loses its earlier triples": async ({ graph, open, said, store }) => {
    await store("a", triple("Ann", "likes", "tea"));
    await graph.upsert([{ source: { ...sourceOf("a"), hash: "empty now" }, triples: [] }]);
    const sources = (await graph.sources()).map((source) => ({ ...source }));
    assert.deepEqual(sources, [{ id: "a", documentId: "a", hash: "empty now", triples: 0 }]);
    assert.deepEqual(await said(["Ann"]), []);
    assert.deepEqual(await open().schema(), { nodes: [], relations: [] });
  },

  "remove removes sources with their triples, returns their number, and ignores unknown ones": async ({
    graph,
    open,
    said,
  }) => {
    await graph.upsert(TEAM);
    const before = (await graph.sources()).length;
    assert.equal(await graph.remove(["people.md#0", "people.md#0", "unknown"]), 1);
    assert.deepEqual(await said(["Zoë Müller"]), []);
    includes(await said(["数据平台"]), "数据平台 -负责人-> 王小明");
    const rest = (await graph.sources()).map(({ id }) => id);
    assert.equal(rest.length, before - 1);
    assert.equal(await graph.remove(rest), before - 1);
    assert.deepEqual(await graph.sources(), []);
    assert.deepEqual(await open().schema(), { nodes: [], relations: [] });
  },

  "an aborted write throws the reason and writes nothing": async ({ graph, said, store }) => {
    await store("a", triple("Ann", "likes", "tea"));
    const given = ["a", "b"].map((id) => ({ source: sourceOf(id), triples: [triple("Ann", "likes", "milk")] }));
    await stops((signal) => graph.upsert(given, { signal }));
    assert.deepEqual(await said(["Ann"]), ["Ann -likes-> tea"]);
    assert.equal((await graph.sources()).length, 1);
  },

  "an instance sees what another one writes, without being reopened": async ({ open, said, store }) => {
    const other = open();
    await store("a", triple("Ann", "likes", "tea"));
    assert.deepEqual((await other.facts(["Ann"], "")).map(says), ["Ann -likes-> tea"]);
    await store("a", triple("Ann", "likes", "milk"));
    assert.deepEqual((await other.facts(["Ann"], "")).map(says), ["Ann -likes-> milk"]);
    await other.remove(["a"]);
    assert.deepEqual(await said(["Ann"]), []);
  },

  "what was written stays after closing and reopening": async ({ graph, open }) => {
    await graph.upsert(TEAM);
    const before = await graph.facts(["Ann Lee", "数据平台"], "");
    await graph.close();
    const again = open();
    assert.deepEqual(await again.facts(["Ann Lee", "数据平台"], ""), before);
    assert.deepEqual(
      byId(await again.sources()).map(({ id }) => id),
      TEAM.map(({ source }) => source.id).toSorted(),
    );
  },
};

const from = (id: string, metadata?: Metadata) => ({ ...sourceOf(id), ...(metadata && { metadata }) });

const idOf = (facts: readonly Fact[], said: string) => facts.find((fact) => says(fact) === said)?.id ?? `no ${said}`;
