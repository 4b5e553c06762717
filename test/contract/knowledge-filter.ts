import { describe, expect, test } from "vitest";
import type { Metadata } from "../../src/types/metadata.js";
import type { GraphUnderTest } from "./knowledge.js";
import { entity, says, sourceOf, triple } from "./knowledge-team.js";

/** What a look-up returns if only some sources may be used. */
export function filtering(kit: GraphUnderTest) {
  describe("with a filter", () => {
    const from = (id: string, metadata?: Metadata) => ({ ...sourceOf(id), ...(metadata && { metadata }) });

    test("returns only facts of matching sources, with only the names, types and aliases that those sources use", async () => {
      const secret = [
        triple(entity("Ann Lee", "Spy", ["Falcon", "Ann Lee of the Secret Service"]), "earns", "much gold"),
        triple(entity("Ben Okafor", "Spy", ["Heron"]), "pays", "Ann Lee"),
      ];
      await kit.graph.upsert([
        {
          source: from("hr", { department: "hr", tags: "a\nb" }),
          triples: [triple(entity("Ann Lee", "", ["李安"]), "reports to", "Ben Okafor")],
        },
        { source: from("board", { department: "board" }), triples: secret },
        { source: from("loaded"), triples: [triple("Ann Lee", "lives in", "Rome")] },
      ]);
      const told = async (key: string, value: string, not = false, names = ["Ann Lee"]) => {
        const filter = [{ key, values: [value], ...(not && { not }) }];
        const facts = await kit.graph.facts(names, `${names[0]}?`, { filter });
        if (value === "hr" && !not) expect(JSON.stringify(facts)).not.toMatch(/spy|secret|falcon|heron|gold/i);
        return facts.map(says).sort();
      };
      const hr = ["Ann Lee -reports to-> Ben Okafor"];
      expect(await told("department", "hr")).toEqual(hr);
      expect(await told("tags", "b")).toEqual(hr);
      expect(await told("department", "board", true)).toEqual(hr);
      expect(await told("department", "hr", false, ["李安"])).toEqual([
        expect.stringMatching(/-reports to-> Ben Okafor$/),
      ]);
      expect(await told("department", "hr", false, ["Falcon"])).toEqual([]);
      expect((await told("department", "board", false, ["Falcon"])).join()).toContain("earns-> much gold");
      for (const value of ["", "HR", "hr' OR '1'='1", "hr'] ) OR true --", "hr\0"])
        expect(await told("department", value)).toEqual([]);
      const [fact] = await kit.graph.facts(["Ann Lee"], "", { filter: [{ key: "department", values: ["hr"] }] });
      expect(fact?.source?.metadata).toEqual({ department: "hr", tags: "a\nb" });
      expect((await kit.graph.facts(["Ann Lee"], "")).length).toBeGreaterThan(2);
    });
  });
}
