import { beforeEach, describe, expect, test } from "vitest";
import { UsageError } from "../../src/errors.js";
import type { Fact } from "../../src/tools/knowledge/port.js";
import type { GraphUnderTest } from "./knowledge.js";
import { says, sourceOf, TEAM, triple } from "./knowledge-team.js";

/** Which facts a look-up finds, and in which order. */
export function lookingUp(kit: GraphUnderTest) {
  describe("looking up", () => {
    kit.once(() => kit.graph.upsert(TEAM));

    test.each([
      ["as it is written", "Ann Lee", REPORTS],
      ["in another case", "ANN LEE", REPORTS],
      ["in full width", "Ａｎｎ　Ｌｅｅ", REPORTS],
      ["with spaces and punctuation", ' "Ann-Lee",  ', REPORTS],
      ["as a possessive", "Ann Lee’s", REPORTS],
      ["by an alias in another language", "李安", REPORTS],
      ["by an alias", "the data hub", OWNER],
      ["misspelt", "Kubernets cluster", MAINTAINED],
      ["with two letters swapped", "Ben Okafro", "Ben Okafor -heads-> Platform Team"],
      ["with an alias misspelt", "Data Hbu", OWNER],
      ["in Chinese", "数据平台", OWNER],
      ["in Chinese with quotation marks", "《数据平台》", OWNER],
      ["with two scripts and another space", "kubernetes集群", MAINTAINED],
      ["without its accents", "Zoe Muller", "Zoë Müller -works in-> Berlin"],
      ["with its article", "The Handbook", "Handbook -written by-> Ann Lee"],
    ])("finds an entity named %s: %j", async (_, named, fact) => {
      expect(await kit.said([named])).toContain(fact);
    });

    test.each([
      ["who does ann lee report to", REPORTS],
      ["谁是李安的上级？", REPORTS],
      ["数据平台的负责人是谁", OWNER],
      ["请问数据平台由谁负责？", OWNER],
      ["Who owns the Data Hub?", OWNER],
      ["谁维护Kubernetes 集群？", MAINTAINED],
      ["What is Zoë Müller's city?", "Zoë Müller -works in-> Berlin"],
    ])("finds the entities that the question %j names", async (question, fact) => {
      expect(await kit.said([], question)).toContain(fact);
    });

    test.each([
      [["Nobody Known"], "Who is Nobody Known?"],
      [["不存在的人"], "不存在的人是谁？"],
      [["Annabel", "Lee"], "Is there a Lee?"],
      [["Room 102"], "Where is Room 102?"],
      [["王小民"], ""],
      [["", " \n", "?!", "。", "\u0000"], "?! 。"],
      [[], "the a of is 的 是 在"],
      [[], ""],
    ])("finds nothing for %j and %j", async (entities, question) => {
      expect(await kit.graph.facts(entities, question)).toEqual([]);
    });

    test("returns a relation from both of its ends, with its direction", async () => {
      expect(await kit.said(["Ann Lee"])).toContain(REPORTS);
      expect(await kit.said(["Ben Okafor"])).toContain("Ben Okafor <-reports to- Ann Lee");
      expect(await kit.said(["王小明"])).toContain("王小明 <-负责人- 数据平台");
    });

    test("returns plain values unchanged", async () => {
      expect(await kit.said(["Ann Lee"])).toContain("Ann Lee -started on-> 2021-03-01");
      expect(await kit.said(["数据平台"])).toContain("数据平台 -年度预算-> 1,200,000 元");
    });

    test("returns the types of entities if they are known", async () => {
      const facts = await kit.graph.facts(["Ann Lee", "数据平台"], "");
      const types = (said: string) => {
        const fact = facts.find((one) => says(one) === said);
        return [fact?.entityType, fact?.otherType];
      };
      expect(types(REPORTS)).toEqual(["Person", "Person"]);
      expect(types(OWNER)).toEqual(["系统", "人"]);
      expect(types("Ann Lee -started on-> 2021-03-01")).toEqual(["Person", undefined]);
    });

    test("combines several entities at the other end into one fact, without duplicates", async () => {
      const [fact] = (await kit.graph.facts(["Berlin"], "")).filter(({ source }) => source?.id === "people.md#0");
      expect(fact?.others.toSorted()).toEqual(["Ann Lee", "Zoë Müller"]);
      expect(fact?.total).toBe(2);
    });

    test("returns facts about directly related entities, and nothing farther away", async () => {
      const facts = await kit.said(["Ann Lee"]);
      expect(facts).toContain("Ben Okafor -heads-> Platform Team");
      expect(facts.filter((fact) => fact.startsWith("Platform Team"))).toEqual([]);
      expect(facts.filter((fact) => fact.includes("Kubernetes"))).toEqual([]);
      expect(await kit.said(["数据平台"])).toContain("王小明 -所在地-> 上海");
    });

    test.each([
      ["To whom does Ann Lee report?", ["Ann Lee"], REPORTS],
      ["When did Ann Lee start?", ["Ann Lee"], "Ann Lee -started on-> 2021-03-01"],
      ["Which team does the boss of Ann Lee head?", ["Ann Lee"], "Ben Okafor -heads-> Platform Team"],
      ["数据平台的年度预算是多少？", [], "数据平台 -年度预算-> 1,200,000 元"],
      ["数据平台的负责人的所在地是哪里？", [], "王小明 -所在地-> 上海"],
    ])("returns the requested fact among the first two for %j", async (question, entities, fact) => {
      expect((await kit.said(entities, question)).slice(0, 2)).toContain(fact);
    });

    test("returns the best fact first, with scores from 0 to 1", async () => {
      const scores = (await kit.graph.facts(["Ann Lee", "数据平台"], "To whom does Ann Lee report?")).map(
        (f) => f.score,
      );
      expect(scores.length).toBeGreaterThan(5);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      expect(scores.every((score) => score >= 0 && score <= 1)).toBe(true);
    });

    test.each([0, -1, 101, 1.5, Number.NaN])("refuses a limit of %j facts", async (limit) => {
      await expect(kit.graph.facts(["Ann Lee"], "", { limit })).rejects.toThrow(UsageError);
    });

    test("gives the same result each time, also if an entity is named twice", async () => {
      const once = await kit.graph.facts(["Ann Lee", "Berlin", "王小明"], "Ann Lee in Berlin 王小明 上海");
      expect(await kit.graph.facts(["Ann Lee", "Berlin", "王小明"], "Ann Lee in Berlin 王小明 上海")).toEqual(once);
      const named = await kit.graph.facts(["Ann Lee"], "");
      expect((await kit.graph.facts(["Ann Lee", "ann lee", "李安"], "")).map(says)).toEqual(named.map(says));
    });

    test("returns the source and quotes of a fact, and the query parameters and rows that it was found with", async () => {
      const fact = (await kit.graph.facts(["Ann Lee"], "")).find((one) => says(one) === REPORTS);
      expect(fact?.source).toEqual({ ...sourceOf("people.md#0"), quotes: ["Ann Lee (李安) reports to Ben Okafor."] });
      expect(fact?.source?.reviewedAt).toBe("2026-01-31");
      expect(Object.keys(fact?.provenance.parameters ?? {})).not.toEqual([]);
      for (const { others, provenance } of await kit.graph.facts(["Ann Lee", "Berlin", "数据平台"], "")) {
        const rows = JSON.stringify(provenance.rows);
        for (const other of others) expect(rows).toContain(other);
      }
    });
  });

  describe("looking up after further writes", () => {
    kit.each();
    beforeEach(() => kit.graph.upsert(TEAM));

    test("uses the longest of overlapping names", async () => {
      await kit.store("offices", triple("Berlin Office", "opens at", "08:00"), triple("Berlin", "mayor", "Kai W"));
      const facts = await kit.graph.facts([], "When does the Berlin Office open?");
      expect(facts.map(says)).toContain("Berlin Office -opens at-> 08:00");
      expect(facts.map(({ entity }) => entity)).not.toContain("Berlin");
    });

    test("returns at most as many as asked, the best ones, by default 20", async () => {
      await kit.store("many", ...Array.from({ length: 40 }, (_, i) => triple("Ann Lee", `likes ${i}`, `thing ${i}`)));
      const all = await kit.graph.facts(["Ann Lee"], "Where?", { limit: 100 });
      expect(all.length).toBeGreaterThan(40);
      expect(await kit.graph.facts(["Ann Lee"], "Where?", { limit: 3 })).toEqual(all.slice(0, 3));
      expect(await kit.graph.facts(["Ann Lee"], "Where?")).toEqual(all.slice(0, 20));
    });

    test("gives a fact the same id however it was found, and different facts different ids", async () => {
      const facts = await kit.graph.facts(["Ann Lee"], "");
      expect(new Set(facts.map(({ id }) => id)).size).toBe(facts.length);
      const id = idOf(facts, REPORTS);
      await kit.store("more", triple("Ann Lee", "likes", "tea"));
      await kit.graph.upsert(TEAM.filter(({ source }) => source.id === "people.md#0"));
      for (const found of [
        kit.graph.facts(["李安"], ""),
        kit.graph.facts(["Anne Lee"], ""),
        kit.graph.facts([], "is ann lee here?"),
      ])
        expect(idOf(await found, REPORTS)).toBe(id);
    });

    test("returns statements of different sources as separate facts", async () => {
      await kit.store("newer", triple("Ann Lee", "reports to", "Cy Brown", "Ann now reports to Cy."));
      const facts = (await kit.graph.facts(["Ann Lee"], "reports to")).filter(
        (fact) => fact.predicate === "reports to",
      );
      const own = facts.filter(({ entity }) => entity === "Ann Lee");
      expect(own.map(({ others, source }) => [source?.id, others]).toSorted()).toEqual([
        ["newer", ["Cy Brown"]],
        ["people.md#0", ["Ben Okafor"]],
      ]);
    });

    test("counts all entities at the other end, and names 50 of them", async () => {
      await kit.store(
        "crowd",
        ...Array.from({ length: 120 }, (_, i) => triple(`member ${i} 成员`, "belongs to", "The Club", `quote ${i}`)),
      );
      const [fact] = await kit.graph.facts(["club"], "Who belongs to the club?");
      expect(fact).toMatchObject({ predicate: "belongs to", direction: "in", total: 120 });
      expect(new Set(fact?.others).size).toBe(50);
      expect(fact?.provenance.rows.length).toBeLessThanOrEqual(100);
      expect(says((await kit.graph.facts(["member 77 成员"], "belongs to"))[0])).toContain("-belongs to->");
    });
  });
}

const REPORTS = "Ann Lee -reports to-> Ben Okafor";
const OWNER = "数据平台 -负责人-> 王小明";
const MAINTAINED = "Kubernetes 集群 -maintained by-> Platform Team";

const idOf = (facts: readonly Fact[], said: string) => facts.find((fact) => says(fact) === said)?.id ?? `no ${said}`;
