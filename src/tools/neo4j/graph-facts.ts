import { createHash } from "node:crypto";
import { contentTerms } from "../../text/tokens.js";
import type { GraphRow, GraphValue } from "../../types/knowledge.js";
import { namesIn } from "../knowledge/names.js";
import type { Fact } from "../knowledge/port.js";
import { type FoundFact, predicateWords, rankFacts } from "../knowledge/rank-facts.js";
import { asList, type ReadRows } from "./connection.js";
import { linkedNodes } from "./link.js";
import { displayName, escaped, isNameKey, isNumberKey, type NameKeys, type NodeText } from "./name-index.js";

/** Finds at most `limit` facts about the linked nodes of a user's graph and their neighbours, best first. */
export async function graphFacts(
  read: ReadRows,
  entities: readonly string[],
  question: string,
  names: NameKeys,
  limit: number,
): Promise<Fact[]> {
  const linked = await linkedNodes(read, entities, question, names);
  if (linked.length === 0) return [];
  const look = { question, linked, keys: names.keys };
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

/** The most neighbours that are read, in total and of one fact. */
const MAX_NEIGHBOURS = 30;
const MAX_NEIGHBOURS_OF_FACT = 10;

function nextNodes(ranked: readonly Pick<NodeFact, "ends">[], linked: ReadonlySet<string>): string[] {
  const next = ranked.flatMap(({ ends }) => ends.filter((end) => !linked.has(end)).slice(0, MAX_NEIGHBOURS_OF_FACT));
  return [...new Set(next)].slice(0, MAX_NEIGHBOURS);
}

/** What a look-up is for: the question, the linked nodes, and the properties that may hold names. */
interface Look {
  question: string;
  linked: readonly string[];
  keys: readonly string[];
}

async function factsOf(read: ReadRows, ids: readonly string[], hops: 1 | 2, look: Look): Promise<NodeFact[]> {
  if (ids.length === 0) return [];
  const nodes = await nodesOf(read, ids);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const related = (await relationsOf(read, nodes, look)).flatMap((group) => {
    const node = byId.get(group.node);
    return node ? relationFacts(node, group, hops, look) : [];
  });
  return [...nodes.flatMap((node) => propertyFacts(node, hops)), ...related];
}

/** A node with its properties; long texts and lists are cut. */
interface FoundNode extends NodeText {
  id: string;
  degree: number;
  /** The query that found it. */
  query: Query;
}

interface Query {
  cypher: string;
  parameters: GraphRow;
}

/** The relations of a node with the same type and direction. */
interface FoundRelations {
  node: string;
  type: string;
  direction: "out" | "in";
  /** The number of distinct nodes at the other end. */
  total: number;
  /** At most `MAX_OTHERS` of them. */
  others: readonly (NodeText & { id: string; relation: GraphRow })[];
  query: Query;
}

/** The most nodes at the other end of a relation that are returned. */
const MAX_OTHERS = 50;

/** Reads the nodes that still exist, in the order of `ids`. */
async function nodesOf(read: ReadRows, ids: readonly string[]): Promise<FoundNode[]> {
  const query = { cypher: NODES, parameters: { ids: [...ids] } };
  const found = (await read(query.cypher, query.parameters)).map(
    ({ id, labels, degree, properties = null }): FoundNode => ({
      id: String(id),
      degree: Number(degree),
      labels: asList(labels).map(String),
      properties: short(isMap(properties) ? properties : {}),
      query,
    }),
  );
  const byId = new Map(found.map((node) => [node.id, node]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Reads the relations of these nodes. Relations of a hub are read type by type, and only if the hub is linked. */
async function relationsOf(read: ReadRows, of: readonly FoundNode[], look: Look): Promise<FoundRelations[]> {
  const parameters = { linked: [...look.linked], keys: [...look.keys] };
  const ids = of.filter(({ degree }) => degree <= HUB).map(({ id }) => id);
  const found = ids.length === 0 ? [] : await grouped(read, RELATIONS, { ids, ...parameters });
  for (const hub of of.filter(({ degree, id }) => degree > HUB && look.linked.includes(id)))
    found.push(...(await hubRelations(read, hub, parameters)));
  return found;
}

/** Groups `n`, `r` and `other` by type and direction. Linked nodes at the other end come first. */
const GROUPED = `WITH n, type(r) AS type, startNode(r) = n AS isOut, other, head(collect(properties(r))) AS relation
ORDER BY elementId(other) IN $linked DESC
RETURN elementId(n) AS id, type, isOut, count(*) AS total, collect({
  id: elementId(other), labels: labels(other), names: [key IN $keys | other[key]], relation: relation,
  text: head([key IN keys(other) WHERE other[key] IS :: STRING NOT NULL | other[key]])})[..${MAX_OTHERS}] AS others`;

/** A node with more relations than this is a hub, whose relations are not all read. */
const HUB = 500;

const NODES = `MATCH (n) WHERE elementId(n) IN $ids
RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties, COUNT {(n)--()} AS degree`;

const RELATIONS = `MATCH (n) WHERE elementId(n) IN $ids
MATCH (n)-[r]-(other)
${GROUPED}`;

/**
 * Reads the relations of a hub type by type, since the server knows the number of each type without counting. Relations
 * to linked nodes come first, because the question may be about them.
 */
async function hubRelations(
  read: ReadRows,
  hub: FoundNode,
  parameters: { linked: string[]; keys: string[] },
): Promise<FoundRelations[]> {
  const found: FoundRelations[] = [];
  for (const { pattern, count } of await countedPatterns(read, hub)) {
    const cypher = `MATCH (n) WHERE elementId(n) = $id
CALL (n) {
  MATCH ${pattern} WHERE elementId(other) IN $linked RETURN r, other
  UNION
  MATCH ${pattern} WITH r, other LIMIT ${MAX_OTHERS + 1} RETURN r, other
}
${GROUPED}`;
    // Two relations to the same node count twice here, since only reading them all would show that.
    for (const group of await grouped(read, cypher, { id: hub.id, ...parameters }))
      found.push({ ...group, total: Math.max(count, group.total) });
  }
  return found;
}

const MAX_TYPES = 300;
const MAX_PATTERNS = 40;

/** Lists the relations of a hub as patterns, each with their number. */
async function countedPatterns(read: ReadRows, hub: FoundNode): Promise<{ pattern: string; count: number }[]> {
  const [known] = await read(
    `CALL db.relationshipTypes() YIELD relationshipType AS type WITH type ORDER BY type LIMIT ${MAX_TYPES}
     RETURN collect(type) AS types`,
  );
  const patterns = asList(known?.types)
    .map((type) => escaped(String(type)))
    .flatMap((type) => [`(n)-[r:${type}]->(other)`, `(n)<-[r:${type}]-(other)`]);
  const cypher = `MATCH (n) WHERE elementId(n) = $id RETURN [${patterns.map((pattern) => `COUNT { ${pattern.replace("[r:", "[:").replace("(other)", "()")} }`).join(", ")}] AS counts`;
  const [row] = await read(cypher, { id: hub.id });
  const counts = asList(row?.counts);
  return patterns
    .map((pattern, i) => ({ pattern, count: Number(counts[i] ?? 0) }))
    .filter(({ count }) => count > 0)
    .slice(0, MAX_PATTERNS);
}

/** Runs a query that ends with `GROUPED`. Its parameter `keys` has the properties that may hold names. */
async function grouped(
  read: ReadRows,
  cypher: string,
  parameters: GraphRow & { keys: string[] },
): Promise<FoundRelations[]> {
  return (await read(cypher, parameters)).map(({ id, type, isOut, total, others }) => ({
    node: String(id),
    type: String(type),
    direction: isOut === true ? "out" : "in",
    total: Number(total),
    others: asList(others)
      .filter(isMap)
      .map((other) => asEnd(other, parameters.keys)),
    query: { cypher, parameters },
  }));
}

function asEnd(other: GraphRow, keys: readonly string[]): FoundRelations["others"][number] {
  const named = asList(other.names).flatMap((value, i) => (value === null ? [] : [[keys[i] ?? "", value] as const]));
  return {
    id: String(other.id),
    labels: asList(other.labels).map(String),
    // A node without a name is described by its first text.
    properties: short(named.length === 0 ? { description: other.text ?? null } : Object.fromEntries(named)),
    relation: short(isMap(other.relation ?? null) ? (other.relation as GraphRow) : {}),
  };
}

const isMap = (value: GraphValue): value is GraphRow =>
  value !== null && typeof value === "object" && !Array.isArray(value);

/** Cuts long texts and lists, and drops vectors. */
function short(properties: GraphRow): GraphRow {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([key, value]): [string, GraphValue][] => {
      if (typeof value === "string") return [[key, value.slice(0, MAX_TEXT_LENGTH).toWellFormed()]];
      if (!Array.isArray(value)) return [[key, value]];
      const isVector = value.length > MAX_OTHERS && value.every((one) => typeof one === "number");
      return isVector ? [] : [[key, value.slice(0, MAX_OTHERS)]];
    }),
  );
}

const MAX_TEXT_LENGTH = 4_000;

/** A fact with the ids of the nodes at its other end. */
type NodeFact = FoundFact & { ends: readonly string[] };

/** Makes a fact of each property of a node. */
function propertyFacts(node: FoundNode, hops: 1 | 2): NodeFact[] {
  const entity = displayName(node);
  return Object.entries(node.properties).flatMap(([key, value]) => {
    const isNumber = isNumberKey(key);
    const isName = isNameKey(key, node.labels) && texts(value).every((text) => entity.includes(text));
    // Numbers and codes, which join tables, say nothing about a neighbour.
    if (isName || (hops === 2 && isNumber)) return [];
    const id = idOf(isNumber ? 4 : 2, [node.id, key]);
    const provenance = { ...node.query, rows: [{ entity, [key]: value }] };
    return valueFact({ id, entity, ...typeOf(node), predicate: key, hops, provenance }, value);
  });
}

/** Makes a fact of a relation, and facts of those of its own properties that the question may be about. */
function relationFacts(node: FoundNode, group: FoundRelations, hops: 1 | 2, { question, linked }: Look): NodeFact[] {
  const entity = displayName(node);
  const { type: predicate, direction, query } = group;
  const ends = group.others.map((other) => ({ ...other, name: displayName(other) }));
  const others = [...new Set(ends.map(({ name }) => name))].filter((name) => name !== "");
  if (others.length === 0) return [];
  const sides = (own: string, other: string) => (direction === "out" ? [own, other] : [other, own]);
  const row = ({ name, relation }: (typeof ends)[number]): GraphRow => {
    const [from = "", to = ""] = sides(entity, name);
    return { from, relation: predicate, to, ...relation };
  };
  const found: NodeFact = {
    id: idOf(1, [node.id, predicate, direction]),
    entity,
    ...typeOf(node),
    predicate,
    direction,
    others,
    hops,
    ...otherTypeOf(ends),
    // Several nodes may share a name. `others` lists it once; `total` counts every node.
    total: Math.max(group.total, others.length),
    provenance: { ...query, rows: ends.map(row) },
    ends: ends.filter((end) => !isValue(end)).map(({ id }) => id),
  };
  const linkedEnds = ends.filter(({ id }) => linked.includes(id));
  const telling =
    linkedEnds.length > 0
      ? linkedEnds
      : ends.filter(({ relation }) => concerns(question, relation, ends.length <= FEW_RELATIONS));
  const details = telling.flatMap((end) =>
    Object.entries(end.relation).flatMap(([key, value]) => {
      const id = idOf(3, [...sides(node.id, end.id), predicate, key]);
      const provenance = { ...query, rows: [row(end)] };
      const between = sides(entity, end.name).join(` ${predicate} `);
      return valueFact({ id, entity: between, predicate: key, hops, provenance }, value);
    }),
  );
  // A relation between two linked nodes is reported as a fact of the node where it starts.
  return direction === "in" && linkedEnds.length === ends.length ? details : [found, ...details];
}

const typeOf = ({ labels: [entityType] }: FoundNode) => (entityType === undefined ? {} : { entityType });

/** Returns the first label that all nodes at the other end share. */
function otherTypeOf(ends: readonly { labels: readonly string[] }[]): { otherType?: string } {
  const [first, ...rest] = ends;
  const otherType = first?.labels.find((label) => rest.every(({ labels }) => labels.includes(label)));
  return otherType === undefined ? {} : { otherType };
}

function valueFact(
  fact: Pick<NodeFact, "id" | "entity" | "entityType" | "predicate" | "hops" | "provenance">,
  value: GraphValue,
): NodeFact[] {
  const others = texts(value);
  return others.length === 0 ? [] : [{ ...fact, direction: "out", others, total: others.length, ends: [] }];
}

/** With more relations than this, their properties are reported only if the question contains the value. */
const FEW_RELATIONS = 12;

/** True if the question contains the value of one of a relation's properties or, with few relations, its key. */
function concerns(question: string, relation: GraphRow, areFew: boolean): boolean {
  const asked = new Set(contentTerms(question));
  return Object.entries(relation).some(
    ([key, value]) =>
      (areFew && contentTerms(predicateWords(key)).some((term) => asked.has(term))) ||
      namesIn(question, texts(value)).length > 0,
  );
}

/** True for a date or an amount. Entities that share one are not related by it. */
const isValue = (end: { labels: readonly string[]; name: string }) =>
  end.labels.length === 0 && /^[^\p{L}]*\p{N}/u.test(end.name);

const texts = (value: GraphValue): string[] =>
  [...new Set([value].flat().flatMap((one) => (one === null || typeof one === "object" ? [] : [String(one).trim()])))]
    .filter((text) => text !== "")
    .slice(0, MAX_OTHERS);

/** Facts with equal scores are sorted by id: relations, then properties of nodes, then of relations, then numbers. */
const idOf = (order: 1 | 2 | 3 | 4, parts: readonly string[]) =>
  `${order}${createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16)}`;
