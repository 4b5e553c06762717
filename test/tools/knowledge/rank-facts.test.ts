import { expect, test } from "vitest";
import { type FoundFact, predicateWords, rankFacts } from "../../../src/tools/knowledge/rank-facts.js";

const fact = (entity: string, predicate: string, others: readonly string[], hops: 1 | 2 = 1): FoundFact => ({
  id: `${entity} ${predicate}`,
  entity,
  predicate,
  direction: "out",
  others,
  total: others.length,
  provenance: { cypher: "", parameters: {}, rows: [] },
  hops,
});
const order = (question: string, facts: readonly FoundFact[]) => rankFacts(question, facts).map(({ id }) => id);

test.each([
  ["Who directed The Matrix?", "DIRECTED", "ACTED_IN"],
  ["Who was the director of The Matrix?", "DIRECTED", "ACTED_IN"],
  ["Who are the actors in The Matrix?", "ACTED_IN", "directedBy"],
  ["Whom does The Matrix report to?", "reportsTo", "locatedIn"],
  ["谁负责The Matrix", "负责人", "地点"],
  ["The Matrix 在哪里住", "住", "买"],
])("for %j the relation %s ranks above %s", (question, asked, other) => {
  const facts = [fact("The Matrix", other, ["x"]), fact("The Matrix", asked, ["y"])];
  expect(order(question, facts)[0]).toBe(`The Matrix ${asked}`);
});

test("a fact ranks higher if the question contains the name at its other end", () => {
  const facts = [fact("Keanu Reeves", "A", ["Speed"]), fact("Keanu Reeves", "B", ["Point Break"])];
  expect(order("Was keanu reeves in point break?", facts)[0]).toBe("Keanu Reeves B");
});

test("a fact about the named entity ranks above a farther one, unless only that has the relation", () => {
  const near = fact("The Matrix", "directed by", ["Lana"]);
  const far = fact("Lana", "born in", ["Chicago"], 2);
  expect(order("The Matrix?", [far, near])).toEqual([near.id, far.id]);
  expect(order("Where was the maker of The Matrix born?", [near, far])).toEqual([far.id, near.id]);
});

test("many farther facts with the relation do not displace the facts about the named entity", () => {
  const near = fact("The Matrix", "shown in", ["Paris"]);
  const far = Array.from({ length: 30 }, (_, i) => fact(`Person ${i}`, "born in", ["Chicago"], 2));
  expect(order("Where was the maker of The Matrix born?", [...far, near]).indexOf(near.id)).toBe(10);
});

test("a word of the question that is only part of the entity's name does not count for the relation", () => {
  const facts = [fact("Manager Tools", "manager", ["x"]), fact("Manager Tools", "founded", ["y"])];
  expect(order("When was Manager Tools founded?", facts)[0]).toBe("Manager Tools founded");
});

test("scores are between 0 and 1, and ties are broken the same way in any order", () => {
  const facts = [fact("A", "p", ["A p q"]), fact("A", "q", []), fact("A", "", []), fact("B", "的", ["张三"], 2)];
  for (const question of ["", "A p q 的 张三", "🙂"]) {
    const ranked = rankFacts(question, facts);
    expect(ranked.every(({ score }) => score >= 0 && score <= 1)).toBe(true);
    expect(rankFacts(question, facts.toReversed())).toEqual(ranked);
  }
});

test.each([
  ["ACTED_IN", "ACTED IN"],
  ["reportsTo", "reports To"],
  ["HTTPServer", "HTTP Server"],
  ["born in", "born in"],
  ["负责人", "负责人"],
])("the predicate %s is read as %j", (predicate, words) => {
  expect(predicateWords(predicate)).toBe(words);
});
