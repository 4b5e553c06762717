import assert from "node:assert/strict";
import type { Metadata } from "../types/metadata.js";
import type { Promises } from "./contract.js";
import type { EmptyGraph } from "./knowledge-team.js";
import { entity, includes, says, sourceOf, triple } from "./knowledge-team.js";

const from = (id: string, metadata?: Metadata) => ({ ...sourceOf(id), ...(metadata && { metadata }) });

/** What a look-up returns if only some sources may be used. */
export const FILTERING: Promises<EmptyGraph> = {
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
};
