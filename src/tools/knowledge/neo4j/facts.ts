import { createHash } from "node:crypto";
import { contentTerms } from "../../../text/tokens.js";
import type { GraphRow, GraphValue } from "../../../types/graph.js";
import type { Neo4jConnection, RunOptions } from "../../neo4j/connection.js";
import { namesIn } from "../names.js";
import type { Fact } from "../port.js";
import { type FoundFact, predicateWords, rankFacts } from "../rank-facts.js";
import { linkedNodes } from "./link.js";
import type { NameKeys } from "./name-index.js";
import { type FoundNode, type FoundRelations, nodes, OTHERS, relations } from "./neighbourhood.js";
import { displayName, nameKeyOf } from "./node-names.js";

/** A fact, with the nodes at its other end, and the source it is from by its id. */
export type RankedFact = Fact & Pick<GraphFact, "sourceId" | "quotes">;
type GraphFact = FoundFact & { ends: readonly string[]; sourceId: string; quotes: readonly string[] };

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
  const next = nextNodes(rankFacts(question, near), new Set(linked));
  const far = await factsOf(connection, next, 2, look, options);
  // Of a related node, what leads back says nothing new.
  const more = far.filter(({ ends }) => ends.length === 0 || ends.some((end) => !linked.includes(end)));
  return rankFacts(question, [...near, ...more])
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
): Promise<GraphFact[]> {
  if (ids.length === 0) return [];
  const { found, ...query } = await nodes(connection, ids, options);
  const byId = new Map(found.map((node) => [node.id, node]));
  const groups = await relations(connection, found, { keys, linked, options });
  return [
    ...found.flatMap((node) => propertyFacts(node, hops, query)),
    ...groups.flatMap((group) => {
      const node = byId.get(group.node);
      return node ? relationFacts(node, group, hops, { question, linked }) : [];
    }),
  ];
}

/** The properties of a node of the users' own. The entities that emend makes have none but their names. */
function propertyFacts(node: FoundNode, hops: 1 | 2, query: { cypher: string; parameters: GraphRow }): GraphFact[] {
  if (node.isOwn) return [];
  const entity = displayName(node);
  return Object.entries(node.properties).flatMap(([key, value]) => {
    const others = texts(value);
    if (others.length === 0 || (key === nameKeyOf(node) && others.includes(entity))) return [];
    return {
      id: idOf([node.id, "property", key]),
      entity,
      predicate: key,
      direction: "out",
      others,
      total: others.length,
      hops,
      provenance: { ...query, rows: [{ entity, [key]: value }] },
      ends: [],
      sourceId: "",
      quotes: [],
    };
  });
}

function relationFacts(
  node: FoundNode,
  group: FoundRelations,
  hops: 1 | 2,
  { question, linked }: { question: string; linked: readonly string[] },
): GraphFact[] {
  const entity = displayName(node);
  const { type: predicate, direction, source, total, cypher, parameters } = group;
  const ends = group.others.map((other) => ({ ...other, name: displayName(other) }));
  const row = ({ name, relation, quotes }: (typeof ends)[number]): GraphRow => ({
    ...(direction === "out"
      ? { from: entity, relation: predicate, to: name }
      : { from: name, relation: predicate, to: entity }),
    ...relation,
    ...(quotes.some((quote) => quote !== "") && { quotes: [...quotes] }),
  });
  const others = [...new Set(ends.map(({ name }) => name))].filter((name) => name !== "");
  const found: GraphFact = {
    id: idOf([node.isOwn ? String(node.properties.key) : node.id, predicate, direction, source]),
    entity,
    predicate,
    direction,
    others,
    // Different nodes of the same name are one name to a reader, but several things.
    total: Math.max(total, others.length),
    hops,
    provenance: { cypher, parameters, rows: ends.map(row) },
    ends: ends.filter((end) => !isValue(end)).map(({ id }) => id),
    sourceId: source,
    quotes: [...new Set(ends.flatMap(({ quotes }) => quotes))].filter((quote) => quote !== ""),
  };
  if (others.length === 0) return [];
  const details = ends
    .filter(
      ({ id, relation }) => Object.keys(relation).length > 0 && (linked.includes(id) || bearsOn(question, relation)),
    )
    .flatMap((end) => detailFacts(found, end, row(end)));
  return [found, ...details];
}

/** What a relation says of itself: the roles of an actor in a movie, the quantity of a product in an order. */
function detailFacts(
  { entity, predicate, direction, hops, provenance, id }: GraphFact,
  end: { id: string; name: string; relation: Record<string, GraphValue> },
  row: GraphRow,
): GraphFact[] {
  const told = direction === "out" ? [entity, predicate, end.name] : [end.name, predicate, entity];
  return Object.entries(end.relation).flatMap(([key, value]) => {
    const others = texts(value);
    if (others.length === 0) return [];
    return {
      id: idOf([id, end.id, key]),
      entity: told.join(" "),
      predicate: key,
      direction: "out",
      others,
      total: others.length,
      hops,
      provenance: { ...provenance, rows: [row] },
      ends: [],
      sourceId: "",
      quotes: [],
    };
  });
}

function bearsOn(question: string, relation: Record<string, GraphValue>): boolean {
  const asked = new Set(contentTerms(question));
  return Object.entries(relation).some(
    ([key, value]) =>
      contentTerms(predicateWords(key)).some((term) => asked.has(term)) || namesIn(question, texts(value)).length > 0,
  );
}

/** A date or an amount: whatever else has the same is not related by that. */
const isValue = (end: { labels: readonly string[]; name: string }) =>
  end.labels.length === 0 && /^[^\p{L}]*\p{N}/u.test(end.name);

const texts = (value: GraphValue): string[] =>
  [...new Set([value].flat().flatMap((one) => (one === null || typeof one === "object" ? [] : [String(one).trim()])))]
    .filter((text) => text !== "")
    .slice(0, OTHERS);

const idOf = (parts: readonly string[]) =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
