import assert from "node:assert/strict";
import type { KnowledgeGraph } from "../tools/knowledge/port.js";
import { type ContractTest, contractOf, type Promises } from "./contract.js";
import { FILTERING } from "./knowledge-filtering.js";
import { LOOKING_UP } from "./knowledge-looking-up.js";
import { NAMING } from "./knowledge-naming.js";
import type { EmptyGraph, OpenKnowledge } from "./knowledge-team.js";
import { says, sourceOf, TEAM } from "./knowledge-team.js";
import { SHARING, WRITING } from "./knowledge-writing.js";

/**
 * What every adapter of KnowledgeGraph promises. `newGraph` prepares a separate empty graph for each test. Queries are
 * not tested, since each graph has its own language for them.
 */
export const knowledgeContract = (newGraph: () => Promise<OpenKnowledge>): ContractTest[] =>
  contractOf({ ...EMPTY, ...LOOKING_UP, ...NAMING, ...FILTERING, ...WRITING, ...SHARING }, async (promise) => {
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

const EMPTY: Promises<EmptyGraph> = {
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
};
