import assert from "node:assert/strict";
import { UsageError } from "../errors.js";
import type { Fact } from "../tools/knowledge/port.js";
import { type Promises, stops } from "./contract.js";
import type { EmptyGraph } from "./knowledge-team.js";
import { includes, says, sourceOf, TEAM, triple } from "./knowledge-team.js";

const REPORTS = "Ann Lee -reports to-> Ben Okafor";
const OWNER = "数据平台 -负责人-> 王小明";
const MAINTAINED = "Kubernetes 集群 -maintained by-> Platform Team";
const STARTED = "Ann Lee -started on-> 2021-03-01";
const BUDGET = "数据平台 -年度预算-> 1,200,000 元";
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

/** Which facts a look-up finds, and in which order. */
export const LOOKING_UP: Promises<EmptyGraph> = {
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

  "plain values are returned unchanged": async ({ graph, said }) => {
    await graph.upsert(TEAM);
    includes(await said(["Ann Lee"]), STARTED);
    includes(await said(["数据平台"]), BUDGET);
  },

  "facts have the types of their entities if they are known": async ({ graph }) => {
    await graph.upsert(TEAM);
    const facts = await graph.facts(["Ann Lee", "数据平台"], "");
    const types = (said: string) => {
      const fact = facts.find((one) => says(one) === said);
      return [fact?.entityType, fact?.otherType];
    };
    assert.deepEqual(types(REPORTS), ["Person", "Person"]);
    assert.deepEqual(types(OWNER), ["系统", "人"]);
    assert.deepEqual(types(STARTED), ["Person", undefined]);
  },

  "several entities at the other end are one fact, without duplicates": async ({ graph }) => {
    await graph.upsert(TEAM);
    const [fact] = (await graph.facts(["Berlin"], "")).filter(({ source }) => source?.id === "people.md#0");
    assert.deepEqual(fact?.others.toSorted(), ["Ann Lee", "Zoë Müller"]);
    assert.equal(fact?.total, 2);
  },

  "a look-up returns facts about directly related entities, and nothing farther away": async ({ graph, said }) => {
    await graph.upsert(TEAM);
    const facts = await said(["Ann Lee"]);
    includes(facts, HEADS);
    assert.deepEqual(
      facts.filter((fact) => fact.startsWith("Platform Team") || fact.includes("Kubernetes")),
      [],
    );
    includes(await said(["数据平台"]), "王小明 -所在地-> 上海");
  },

  "the fact that the question asks for is among the first two": async ({ graph, said }) => {
    await graph.upsert(TEAM);
    for (const [question, entities, fact] of [
      ["To whom does Ann Lee report?", ["Ann Lee"], REPORTS],
      ["When did Ann Lee start?", ["Ann Lee"], STARTED],
      ["Which team does the boss of Ann Lee head?", ["Ann Lee"], HEADS],
      ["数据平台的年度预算是多少？", [], BUDGET],
      ["数据平台的负责人的所在地是哪里？", [], "王小明 -所在地-> 上海"],
    ] as const)
      includes((await said(entities, question)).slice(0, 2), fact);
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

  "a look-up gives the same result each time, also if an entity is named twice": async ({ graph, said }) => {
    await graph.upsert(TEAM);
    const ask = () => graph.facts(["Ann Lee", "Berlin", "王小明"], "Ann Lee in Berlin 王小明 上海");
    assert.deepEqual(await ask(), await ask());
    assert.deepEqual(await said(["Ann Lee", "ann lee", "李安"]), await said(["Ann Lee"]));
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

  "the longest of overlapping names counts": async ({ graph, store }) => {
    await graph.upsert(TEAM);
    await store("offices", triple("Berlin Office", "opens at", "08:00"), triple("Berlin", "mayor", "Kai W"));
    const facts = await graph.facts([], "When does the Berlin Office open?");
    includes(facts.map(says), "Berlin Office -opens at-> 08:00");
    assert.ok(!facts.some(({ entity }) => entity === "Berlin"));
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

  "statements of different sources are separate facts": async ({ graph, store }) => {
    await graph.upsert(TEAM);
    await store("newer", triple("Ann Lee", "reports to", "Cy Brown", "Ann now reports to Cy."));
    const facts = await graph.facts(["Ann Lee"], "reports to");
    const own = facts.filter(({ entity, predicate }) => entity === "Ann Lee" && predicate === "reports to");
    assert.deepEqual(own.map(({ others, source }) => `${source?.id}: ${others}`).toSorted(), [
      "newer: Cy Brown",
      "people.md#0: Ben Okafor",
    ]);
  },

  "a fact counts all entities at the other end, and names 50 of them": async ({ graph, store }) => {
    const crowd = Array.from({ length: 120 }, (_, i) =>
      triple(`member ${i} 成员`, "belongs to", "The Club", `quote ${i}`),
    );
    await store("crowd", ...crowd);
    const [fact] = await graph.facts(["club"], "Who belongs to the club?");
    assert.deepEqual([fact?.predicate, fact?.direction, fact?.total], ["belongs to", "in", 120]);
    assert.equal(new Set(fact?.others).size, 50);
    assert.ok((fact?.provenance.rows.length ?? 0) <= 100);
    assert.match(says((await graph.facts(["member 77 成员"], "belongs to"))[0]), /-belongs to->/);
  },

  "an aborted look-up, and an aborted schema, throw the reason": async ({ graph, open, store }) => {
    await store("a", triple("Ann", "likes", "tea"));
    await stops((signal) => graph.facts(["Ann"], "", { signal }));
    await stops((signal) => open().schema({ signal }));
  },
};

const idOf = (facts: readonly Fact[], said: string) => facts.find((fact) => says(fact) === said)?.id ?? `no ${said}`;
