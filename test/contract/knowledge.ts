import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { KnowledgeGraph, Triple } from "../../src/tools/knowledge/port.js";
import { filtering } from "./knowledge-filter.js";
import { lookingUp } from "./knowledge-look-up.js";
import { naming } from "./knowledge-names.js";
import { says, sourceOf, TEAM } from "./knowledge-team.js";
import { writing } from "./knowledge-writing.js";

/** Opens the same graph each time; what one instance writes, the others read. */
export type OpenGraph = () => KnowledgeGraph;

/** The graph of the current test. */
export interface GraphUnderTest {
  /** A separate empty graph for each test of a group. */
  each(): void;
  /** One graph for all tests of a group, which only read it, since filling one takes longer than most tests. */
  once(fill: () => unknown): void;
  readonly graph: KnowledgeGraph;
  open(): KnowledgeGraph;
  store(sourceId: string, ...triples: Triple[]): Promise<void>;
  /** Its facts as one line each. */
  said(entities: readonly string[], question?: string): Promise<string[]>;
}

/** Every adapter of KnowledgeGraph keeps these promises. `newGraph` prepares a separate empty graph for each test. */
export function knowledgeContract(name: string, newGraph: () => Promise<OpenGraph>) {
  describe(`${name} keeps the promises of KnowledgeGraph`, () => {
    let open: OpenGraph;
    let graph: KnowledgeGraph;
    const opened: KnowledgeGraph[] = [];

    const begin = async () => {
      const made = await newGraph();
      open = () => {
        const one = made();
        opened.push(one);
        return one;
      };
      graph = open();
    };
    const end = async () => {
      for (const one of opened.splice(0)) await one.close();
    };

    const kit: GraphUnderTest = {
      each: () => {
        beforeEach(begin);
        afterEach(end);
      },
      once: (fill) => {
        beforeAll(async () => {
          await begin();
          await fill();
        });
        afterAll(end);
      },
      get graph() {
        return graph;
      },
      open: () => open(),
      store: (id, ...triples) => graph.upsert([{ source: sourceOf(id), triples }]),
      said: async (entities, question = "") => (await graph.facts(entities, question)).map(says),
    };

    describe("while nothing is stored", () => {
      kit.each();

      test("finds, lists and removes nothing without an error", async () => {
        expect(await graph.facts(["Ann Lee"], "Who is Ann Lee? 李安是谁？")).toEqual([]);
        expect(await graph.sources()).toEqual([]);
        expect(await graph.remove(["nothing"])).toBe(0);
        expect(await graph.schema()).toEqual({ nodes: [], relations: [] });
      });

      test("accepts empty lists", async () => {
        await graph.upsert([]);
        expect(await graph.remove([])).toBe(0);
        expect(await graph.facts([], "")).toEqual([]);
        expect(await graph.sources()).toEqual([]);
      });
    });

    lookingUp(kit);
    naming(kit);
    filtering(kit);
    writing(kit);

    describe("its schema", () => {
      kit.each();

      test("names types, and relations with both ends, and nothing that emend adds for itself", async () => {
        await graph.upsert(TEAM);
        const schema = await open().schema();
        expect(schema.nodes.map(({ label }) => label)).toEqual(
          expect.arrayContaining(["Person", "Team", "系统", "人"]),
        );
        for (const [type, from, to] of [
          ["reports to", "Person", "Person"],
          ["heads", "Person", "Team"],
          ["负责人", "系统", "人"],
        ])
          expect(schema.relations).toContainEqual(expect.objectContaining({ type, from, to }));
        expect(JSON.stringify(schema)).not.toMatch(/emend/i);
      });
    });
  });
}
