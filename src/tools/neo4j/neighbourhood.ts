import type { GraphRow, GraphValue } from "../../types/knowledge.js";
import { asList, type ReadRows } from "./connection.js";
import { escaped, isOwn, type NodeText } from "./name-index.js";

/** A node with its properties; long texts and lists are cut. */
export interface FoundNode extends NodeText {
  id: string;
  isOwn: boolean;
  degree: number;
}

/** The relations of a node with the same type and direction and, in emend's own graph, from the same source. */
export interface FoundRelations {
  node: string;
  type: string;
  direction: "out" | "in";
  /** The id of the source; empty in a graph that emend did not fill. */
  source: string;
  /** The number of distinct nodes at the other end. */
  total: number;
  /** At most `OTHERS` of them. */
  others: readonly (NodeText & {
    id: string;
    relation: GraphRow;
    quotes: readonly string[];
    /** In emend's own graph: subject and object as the source names them, alternating. */
    called: readonly string[];
  })[];
  cypher: string;
  parameters: GraphRow;
}

/** The most nodes at the other end of a relation that are returned. */
export const OTHERS = 50;

/** Reads the nodes that still exist, in the order of `ids`, and returns them with the query that found them. */
export async function nodes(read: ReadRows, ids: readonly string[]) {
  const parameters: GraphRow = { ids: [...ids] };
  const found = (await read(NODES, parameters)).map(
    ({ id, labels, degree, properties = null }): FoundNode => ({
      id: String(id),
      isOwn: asList(labels).includes("EmendEntity"),
      degree: Number(degree),
      labels: withoutOwn(labels),
      properties: short(isMap(properties) ? properties : {}),
    }),
  );
  const byId = new Map(found.map((node) => [node.id, node]));
  return { found: ids.flatMap((id) => byId.get(id) ?? []), cypher: NODES, parameters };
}

/** Reads the relations of these nodes. Relations of a hub are read type by type, and only if the hub is linked. */
export async function relations(
  read: ReadRows,
  of: readonly FoundNode[],
  look: { keys: readonly string[]; linked: readonly string[] },
): Promise<FoundRelations[]> {
  const parameters = { linked: [...look.linked], keys: [...look.keys] };
  const ids = of.filter(({ degree }) => degree <= HUB).map(({ id }) => id);
  const found = ids.length === 0 ? [] : await grouped(read, RELATIONS, { ids, ...parameters });
  for (const hub of of.filter(({ degree, id }) => degree > HUB && look.linked.includes(id)))
    found.push(...(await hubRelations(read, hub, parameters)));
  return found;
}

/** Groups `n`, `r` and `other` by type, direction and source. Linked nodes at the other end come first. */
const GROUPED = `WITH n, type(r) AS type, startNode(r) = n AS isOut, CASE WHEN n:EmendEntity THEN r.source END AS source,
  other, collect(properties(r))[..5] AS relations
ORDER BY elementId(other) IN $linked DESC
RETURN elementId(n) AS id, type, isOut, source, count(*) AS total, collect({
  id: elementId(other), labels: labels(other), names: [key IN $keys | other[key]], relations: relations,
  text: head([key IN keys(other) WHERE other[key] IS :: STRING NOT NULL | other[key]])})[..${OTHERS}] AS others`;

/** A node with more relations than this is a hub, whose relations are not all read. */
const HUB = 500;

const NODES = `MATCH (n) WHERE elementId(n) IN $ids
RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties, COUNT {(n)--()} AS degree`;

const RELATIONS = `MATCH (n) WHERE elementId(n) IN $ids
MATCH (n)-[r]-(other) WHERE NOT type(r) STARTS WITH 'EMEND_'
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
  for (const { type, direction, count } of await counted(read, hub)) {
    const pattern = patternOf(type, direction);
    const cypher = `MATCH (n) WHERE elementId(n) = $id
CALL (n) {
  MATCH ${pattern} WHERE elementId(other) IN $linked RETURN r, other
  UNION
  MATCH ${pattern} WITH r, other LIMIT ${hub.isOwn ? MOST_SOURCES : OTHERS + 1} RETURN r, other
}
${GROUPED}`;
    const groups = await grouped(read, cypher, { id: hub.id, ...parameters });
    const bySource = hub.isOwn && count > MOST_SOURCES ? await countedBySource(read, hub, groups) : undefined;
    // Two relations to the same node count twice here, since only reading them all would show that.
    const total = (group: FoundRelations) => (hub.isOwn ? bySource?.get(group.source) : count) ?? 0;
    found.push(...groups.map((group) => ({ ...group, total: Math.max(total(group), group.total) })));
  }
  return found;
}

/** In emend's own graph, each source makes a separate fact, and no question needs more of them. */
const MOST_SOURCES = 200;
const MOST_TYPES = 300;
const MOST_KINDS = 40;

const patternOf = (type: string, direction: "out" | "in", relation = "r", other = "other") =>
  direction === "out"
    ? `(n)-[${relation}:${escaped(type)}]->(${other})`
    : `(n)<-[${relation}:${escaped(type)}]-(${other})`;

async function counted(read: ReadRows, hub: FoundNode) {
  const [known] = await read(
    `CALL db.relationshipTypes() YIELD relationshipType AS type WHERE NOT type STARTS WITH 'EMEND_'
     WITH type ORDER BY type LIMIT ${MOST_TYPES} RETURN collect(type) AS types`,
  );
  const kinds = asList(known?.types).flatMap((type) =>
    (["out", "in"] as const).map((direction) => ({ type: String(type), direction })),
  );
  const counts = kinds.map(({ type, direction }) => `COUNT { ${patternOf(type, direction, "", "")} }`);
  const cypher = `MATCH (n) WHERE elementId(n) = $id RETURN [${counts.join(", ")}] AS counts`;
  const [row] = await read(cypher, { id: hub.id });
  const all = asList(row?.counts);
  return kinds
    .map((kind, i) => ({ ...kind, count: Number(all[i] ?? 0) }))
    .filter(({ count }) => count > 0)
    .slice(0, MOST_KINDS);
}

async function countedBySource(read: ReadRows, hub: FoundNode, groups: readonly FoundRelations[]) {
  const [first] = groups;
  if (!first) return new Map<string, number>();
  const rows = await read(
    `MATCH (n) WHERE elementId(n) = $id
     MATCH ${patternOf(first.type, first.direction)} WHERE r.source IN $sources
     RETURN r.source AS source, count(DISTINCT other) AS total`,
    { id: hub.id, sources: groups.map(({ source }) => source) },
  );
  return new Map(rows.map(({ source, total }) => [String(source), Number(total)]));
}

/** Runs a query that ends with `GROUPED`. Its parameter `keys` has the properties that may hold names. */
async function grouped(
  read: ReadRows,
  cypher: string,
  parameters: GraphRow & { keys: string[] },
): Promise<FoundRelations[]> {
  return (await read(cypher, parameters)).map(({ id, type, isOut, source = null, total, others }) => ({
    node: String(id),
    type: String(type),
    direction: isOut === true ? "out" : "in",
    source: String(source ?? ""),
    total: Number(total),
    others: asList(others)
      .filter(isMap)
      .map((other) => asEnd(other, parameters.keys, source !== null)),
    cypher,
    parameters,
  }));
}

function asEnd(other: GraphRow, keys: readonly string[], isOwnRelation: boolean): FoundRelations["others"][number] {
  const named = asList(other.names).flatMap((value, i) => (value === null ? [] : [[keys[i] ?? "", value] as const]));
  const relations = asList(other.relations).filter(isMap);
  return {
    id: String(other.id),
    labels: withoutOwn(other.labels),
    // A node without a name is described by its first text.
    properties: short(named.length === 0 ? { description: other.text ?? null } : Object.fromEntries(named)),
    relation: short(relations[0] ?? {}),
    quotes: relations.flatMap(({ quote }) => (typeof quote === "string" ? [quote] : [])),
    called: isOwnRelation ? relations.flatMap(({ subject, object }) => [String(subject), String(object)]) : [],
  };
}

const isMap = (value: GraphValue): value is GraphRow =>
  value !== null && typeof value === "object" && !Array.isArray(value);

const withoutOwn = (labels: GraphValue | undefined) =>
  asList(labels)
    .map(String)
    .filter((label) => !isOwn(label));

/** Cuts long texts and lists, and drops vectors. */
function short(properties: GraphRow): GraphRow {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([key, value]): [string, GraphValue][] => {
      if (typeof value === "string") return [[key, value.slice(0, LONGEST).toWellFormed()]];
      if (!Array.isArray(value)) return [[key, value]];
      const isVector = value.length > OTHERS && value.every((one) => typeof one === "number");
      return isVector ? [] : [[key, value.slice(0, OTHERS)]];
    }),
  );
}

const LONGEST = 4_000;
