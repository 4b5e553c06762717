import assert from "node:assert/strict";
import type { Promises } from "../../src/testing/contract.js";
import type { EmptyGraph } from "../../src/testing/knowledge-team.js";
import { includes, says, TEAM, triple } from "../../src/testing/knowledge-team.js";

const REPORTS = "Ann Lee -reports to-> Ben Okafor";
const OWNER = "数据平台 -负责人-> 王小明";
const STARTED = "Ann Lee -started on-> 2021-03-01";
const BUDGET = "数据平台 -年度预算-> 1,200,000 元";
const HEADS = "Ben Okafor -heads-> Platform Team";

export const LOOKING_UP: Promises<EmptyGraph> = {
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

  "the longest of overlapping names counts": async ({ graph, store }) => {
    await graph.upsert(TEAM);
    await store("offices", triple("Berlin Office", "opens at", "08:00"), triple("Berlin", "mayor", "Kai W"));
    const facts = await graph.facts([], "When does the Berlin Office open?");
    includes(facts.map(says), "Berlin Office -opens at-> 08:00");
    assert.ok(!facts.some(({ entity }) => entity === "Berlin"));
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
};
