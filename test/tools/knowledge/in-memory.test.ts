import { expect, test } from "vitest";
import { inMemoryKnowledge } from "../../../src/testing/index.js";
import { says, sourceOf, TEAM, triple } from "../../../src/testing/knowledge-team.js";
import { keeps } from "../../contract/keeps.js";
import { ownKnowledgeContract } from "../../contract/knowledge.js";

keeps(
  "Knowledge in memory",
  ownKnowledgeContract(async () => {
    const graph = inMemoryKnowledge();
    return () => graph;
  }),
);

const said = async (entities: readonly string[], question = "") =>
  (await inMemoryKnowledge(TEAM).facts(entities, question)).map(says);

test("a relation between two named entities is returned once", async () => {
  const facts = await said(["Ann Lee", "Ben Okafor"]);
  expect(facts).toContain("Ann Lee -reports to-> Ben Okafor");
  expect(facts).not.toContain("Ben Okafor <-reports to- Ann Lee");
});

test("a relation that only leads back to the named entity is not returned", async () => {
  const facts = await said(["Ann Lee"]);
  expect(facts).toContain("Berlin <-works in- Ann Lee, Zoë Müller");
  expect(facts).not.toContain("Ben Okafor <-reports to- Ann Lee");
});

test("a misspelling that is equally near to several names matches all of them, and a correct name matches only itself", async () => {
  const people = ["Anna Karlsson", "Anne Karlsson"].map((name) => triple(name, "works in", "Oslo"));
  const graph = inMemoryKnowledge([{ source: sourceOf("a"), triples: people }]);
  const direct = async (name: string) =>
    (await graph.facts([name], "")).filter(
      ({ predicate, direction }) => predicate === "works in" && direction === "out",
    );
  expect((await direct("Anno Karlsson")).map(({ entity }) => entity).toSorted()).toEqual([
    "Anna Karlsson",
    "Anne Karlsson",
  ]);
  expect((await direct("Anna Karlsso")).map(({ entity }) => entity)).toEqual(["Anna Karlsson"]);
  expect((await direct("Anna Karlsson")).map(({ entity }) => entity)).toEqual(["Anna Karlsson"]);
});

test("two entities with the same plain value are not related by it", async () => {
  const began = ["Ann", "Ben"].map((name) => triple(name, "started on", "2021-03-01"));
  const graph = inMemoryKnowledge([{ source: sourceOf("a"), triples: began }]);
  expect((await graph.facts(["Ann"], "Who started on which day?")).map(says)).toEqual(["Ann -started on-> 2021-03-01"]);
});
