import type { Neo4jConnection, RunOptions } from "../../store/neo4j/connection.js";
import type { Fact } from "../port.js";
import { rankFacts } from "../rank-facts.js";
import { linkedNodes } from "./link.js";
import type { NameKeys } from "./name-index.js";
import type { FoundNode } from "./neighbourhood.js";
import { nodes, relations } from "./neighbourhood.js";
import { type GraphFact, propertyFacts, relationFacts } from "./tell.js";

/** A fact with its score; `sourceId` is the id of the source it is from, empty in a graph that emend did not fill. */
export type RankedFact = Fact & Pick<GraphFact, "sourceId" | "quotes">;

/** What the graph says of the nodes that are named and of those next to them, best first; at most `limit`. */
export async function graphFacts(
  connection: Neo4jConnection,
  {
    entities,
    question,
    names,
    limit,
  }: { entities: readonly string[]; question: string; names: NameKeys; limit: number },
  options: RunOptions,
): Promise<RankedFact[]> {
  const linked = await linkedNodes(connection, entities, question, names, options);
  if (linked.length === 0) return [];
  const look = { question, linked, keys: [...new Set(["name", "names", ...names.keys])] };
  const near = await factsOf(connection, linked, 1, look, options);
  // What is between two that are named is found from both.
  const nearest = rankFacts(question, [...new Map(near.facts.map((fact) => [fact.id, fact])).values()]);
  const far = await factsOf(connection, nextNodes(nearest, new Set(linked)), 2, look, options);
  const told = new Set(nearest.map(({ id }) => id));
  // Of a related node, what leads back says nothing new.
  const isNew = ({ id, ends }: GraphFact) =>
    !told.has(id) && (ends.length === 0 || ends.some((end) => !linked.includes(end)));
  const farther = rankFacts(question, far.facts.filter(isNew));
  return [...nearest, ...farther]
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .slice(0, limit)
    .map(({ ends: _, ...fact }) => fact);
}

/** So many nodes are looked at beyond those that are named, and of one relation so many. */
const MOST_NEXT = 30;
const NEXT_OF_ONE = 10;

function nextNodes(ranked: readonly Pick<GraphFact, "ends">[], linked: ReadonlySet<string>): string[] {
  const next = ranked.flatMap(({ ends }) => ends.filter((end) => !linked.has(end)).slice(0, NEXT_OF_ONE));
  return [...new Set(next)].slice(0, MOST_NEXT);
}

interface Look {
  question: string;
  linked: readonly string[];
  keys: readonly string[];
}

async function factsOf(
  connection: Neo4jConnection,
  ids: readonly string[],
  hops: 1 | 2,
  { question, linked, keys }: Look,
  options: RunOptions,
): Promise<{ facts: GraphFact[]; found: readonly FoundNode[] }> {
  if (ids.length === 0) return { facts: [], found: [] };
  const { found, ...query } = await nodes(connection, ids, options);
  const byId = new Map(found.map((node) => [node.id, node]));
  const groups = await relations(connection, found, { keys, linked, options });
  const related = groups.flatMap((group) => {
    const node = byId.get(group.node);
    return node ? relationFacts(node, group, hops, { question, linked }) : [];
  });
  return { facts: [...found.flatMap((node) => propertyFacts(node, hops, query)), ...related], found };
}
