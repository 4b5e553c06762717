import type { Fact } from "../knowledge/port.js";
import { rankFacts } from "../knowledge/rank-facts.js";
import type { ReadRows } from "./connection.js";
import { linkedNodes } from "./link.js";
import type { NameKeys } from "./name-index.js";
import { nodes, relations } from "./neighbourhood.js";
import { type NodeFact, propertyFacts, relationFacts } from "./tell-facts.js";

/** A fact with its score. `sourceId` is empty in a graph that emend did not fill. */
export type RankedFact = Fact & Pick<NodeFact, "sourceId" | "quotes">;

/** Finds at most `limit` facts about the linked nodes and their neighbours, best first. */
export async function graphFacts(
  read: ReadRows,
  entities: readonly string[],
  question: string,
  names: NameKeys,
  limit: number,
): Promise<RankedFact[]> {
  const linked = await linkedNodes(read, entities, question, names);
  if (linked.length === 0) return [];
  const look = { question, linked, keys: [...new Set(["name", "names", ...names.keys])] };
  const near = await factsOf(read, linked, 1, look);
  // A fact between two linked nodes is found from both ends.
  const nearest = rankFacts(question, [...new Map(near.map((fact) => [fact.id, fact])).values()]);
  const far = await factsOf(read, nextNodes(nearest, new Set(linked)), 2, look);
  const told = new Set(nearest.map(({ id }) => id));
  // A neighbour's relation that leads only to linked nodes says nothing new.
  const isNew = ({ id, ends }: NodeFact) =>
    !told.has(id) && (ends.length === 0 || ends.some((end) => !linked.includes(end)));
  const farther = rankFacts(question, far.filter(isNew));
  return [...nearest, ...farther]
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .slice(0, limit)
    .map(({ ends: _, ...fact }) => fact);
}

/** The most neighbours that are read, altogether and of one relation. */
const MOST_NEXT = 30;
const NEXT_OF_ONE = 10;

function nextNodes(ranked: readonly Pick<NodeFact, "ends">[], linked: ReadonlySet<string>): string[] {
  const next = ranked.flatMap(({ ends }) => ends.filter((end) => !linked.has(end)).slice(0, NEXT_OF_ONE));
  return [...new Set(next)].slice(0, MOST_NEXT);
}

async function factsOf(
  read: ReadRows,
  ids: readonly string[],
  hops: 1 | 2,
  look: { question: string; linked: readonly string[]; keys: readonly string[] },
): Promise<NodeFact[]> {
  if (ids.length === 0) return [];
  const { found, ...query } = await nodes(read, ids);
  const byId = new Map(found.map((node) => [node.id, node]));
  const related = (await relations(read, found, look)).flatMap((group) => {
    const node = byId.get(group.node);
    return node ? relationFacts(node, group, hops, look) : [];
  });
  return [...found.flatMap((node) => propertyFacts(node, hops, query)), ...related];
}
