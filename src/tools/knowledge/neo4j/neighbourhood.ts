import type { GraphRow, GraphValue } from "../../../types/graph.js";
import type { Neo4jConnection, RunOptions } from "../../store/neo4j/connection.js";
import { asRow } from "../../store/neo4j/values.js";
import { escaped, isOwn } from "./name-index.js";
import type { NodeText } from "./node-names.js";

/** A node with its properties; long texts and lists are cut. */
export interface FoundNode extends NodeText {
  id: string;
  isOwn: boolean;
  degree: number;
}

/** What hangs on a node by one relation type, in one direction, and in emend's own graph from one source. */
export interface FoundRelations {
  node: string;
  type: string;
  direction: "out" | "in";
  /** The id of the source in emend's own graph. */
  source: string;
  /** Nodes at the other end, each once. */
  total: number;
  /** At most `OTHERS` of them. */
  others: readonly (NodeText & {
    id: string;
    relation: GraphRow;
    quotes: readonly string[];
    /** In emend's own graph: the names of both ends as the source has them, subject and object in turn. */
    called: readonly string[];
  })[];
  cypher: string;
  parameters: GraphRow;
}

/** So many at the other end are told. */
export const OTHERS = 50;

/** The nodes with these ids that are still there. */
export async function nodes(
  connection: Neo4jConnection,
  ids: readonly string[],
  options: RunOptions,
): Promise<{ found: FoundNode[]; cypher: string; parameters: GraphRow }> {
  const parameters = { ids: [...ids] };
  if (ids.length === 0) return { found: [], cypher: NODES, parameters };
  const records = await connection.read(NODES, parameters, options);
  const found = records.map(asRow).map((row) => ({
    id: String(row.id),
    isOwn: list(row.labels).includes("EmendEntity"),
    degree: Number(row.degree),
    labels: theirs(row.labels),
    properties: short(isMap(row.properties ?? null) ? (row.properties as GraphRow) : {}),
  }));
  const byId = new Map(found.map((node) => [node.id, node]));
  return { found: ids.flatMap((id) => byId.get(id) ?? []), cypher: NODES, parameters };
}

/** The relations of these nodes. Of a node with very many, those that are counted without looking at each. */
export async function relations(
  connection: Neo4jConnection,
  of: readonly FoundNode[],
  look: { keys: readonly string[]; linked: readonly string[]; options: RunOptions },
): Promise<FoundRelations[]> {
  const ids = of.filter(({ degree }) => degree <= HUB).map(({ id }) => id);
  const { keys, linked, options } = look;
  const few =
    ids.length === 0
      ? []
      : await grouped(connection, RELATIONS, { ids, linked: [...linked], keys: [...keys] }, options);
  // Of a hub that is not named itself nothing is told: all the world is related by it.
  const hubs = of.filter(({ degree, id }) => degree > HUB && linked.includes(id));
  const many: FoundRelations[] = [];
  for (const hub of hubs) many.push(...(await hubRelations(connection, hub, look)));
  return [...few, ...many];
}

/** Groups `n`, `r` and `other` by type, direction and source; those that are linked as well come first. */
const GROUPED = `WITH n, type(r) AS type, startNode(r) = n AS isOut, CASE WHEN n:EmendEntity THEN r.source END AS source,
  other, collect(properties(r))[..5] AS relations
ORDER BY elementId(other) IN $linked DESC
RETURN elementId(n) AS id, type, isOut, source, count(*) AS total, collect({
  id: elementId(other), labels: labels(other), names: [key IN $keys | other[key]], relations: relations,
  text: head([key IN keys(other) WHERE other[key] IS :: STRING NOT NULL | other[key]])})[..${OTHERS}] AS others`;

/** From here on a node's relations are not all looked at. */
const HUB = 500;

const NODES = `MATCH (n) WHERE elementId(n) IN $ids
RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties, COUNT {(n)--()} AS degree`;

const RELATIONS = `MATCH (n) WHERE elementId(n) IN $ids
MATCH (n)-[r]-(other) WHERE NOT type(r) STARTS WITH 'EMEND_'
${GROUPED}`;

/**
 * The relations of a node that has very many, type by type: the server knows how many there are without counting. A
 * relation to a node that is named as well comes first, for it may be the one that is asked for.
 */
async function hubRelations(
  connection: Neo4jConnection,
  hub: FoundNode,
  { keys, linked, options }: { keys: readonly string[]; linked: readonly string[]; options: RunOptions },
): Promise<FoundRelations[]> {
  const found: FoundRelations[] = [];
  for (const { type, direction, count } of await counted(connection, hub, options)) {
    const pattern = patternOf(type, direction);
    const cypher = `MATCH (n) WHERE elementId(n) = $id
CALL (n) {
  MATCH ${pattern} WHERE elementId(other) IN $linked RETURN r, other
  UNION
  MATCH ${pattern} WITH r, other LIMIT ${hub.isOwn ? MOST_SOURCES : OTHERS + 1} RETURN r, other
}
${GROUPED}`;
    const groups = await grouped(connection, cypher, { id: hub.id, linked: [...linked], keys: [...keys] }, options);
    const bySource =
      hub.isOwn && count > MOST_SOURCES ? await countedBySource(connection, hub, groups, options) : undefined;
    // Two relations to the same node count twice here: only looking at each would tell.
    const total = (group: FoundRelations) => (hub.isOwn ? bySource?.get(group.source) : count) ?? 0;
    found.push(...groups.map((group) => ({ ...group, total: Math.max(total(group), group.total) })));
  }
  return found;
}

/** In emend's own graph a relation is told by source, and no question needs more of them. */
const MOST_SOURCES = 200;
const MOST_TYPES = 300;
const MOST_KINDS = 40;

const patternOf = (type: string, direction: "out" | "in", relation = "r", other = "other") =>
  direction === "out"
    ? `(n)-[${relation}:${escaped(type)}]->(${other})`
    : `(n)<-[${relation}:${escaped(type)}]-(${other})`;

async function counted(connection: Neo4jConnection, hub: FoundNode, options: RunOptions) {
  const [known] = await connection.read(
    `CALL db.relationshipTypes() YIELD relationshipType AS type WHERE NOT type STARTS WITH 'EMEND_'
     WITH type ORDER BY type LIMIT ${MOST_TYPES} RETURN collect(type) AS types`,
    {},
    options,
  );
  const types: string[] = known?.get("types") ?? [];
  const kinds = types.flatMap((type) => (["out", "in"] as const).map((direction) => ({ type, direction })));
  const counts = kinds.map(({ type, direction }) => `COUNT { ${patternOf(type, direction, "", "")} }`);
  const cypher = `MATCH (n) WHERE elementId(n) = $id RETURN [${counts.join(", ")}] AS counts`;
  const [row] = await connection.read(cypher, { id: hub.id }, options);
  const all = row ? asRow(row).counts : [];
  return kinds
    .map((kind, i) => ({ ...kind, count: Array.isArray(all) ? Number(all[i]) : 0 }))
    .filter(({ count }) => count > 0)
    .slice(0, MOST_KINDS);
}

async function countedBySource(
  connection: Neo4jConnection,
  hub: FoundNode,
  groups: readonly FoundRelations[],
  options: RunOptions,
): Promise<Map<string, number>> {
  const [first] = groups;
  if (!first) return new Map();
  const rows = await connection.read(
    `MATCH (n) WHERE elementId(n) = $id
     MATCH ${patternOf(first.type, first.direction)} WHERE r.source IN $sources
     RETURN r.source AS source, count(DISTINCT other) AS total`,
    { id: hub.id, sources: groups.map(({ source }) => source) },
    options,
  );
  return new Map(rows.map(asRow).map(({ source, total }) => [String(source), Number(total)]));
}

/** Runs a query that ends with `GROUPED`; its parameters hold `linked`, and `keys`: the properties that may hold names. */
async function grouped(
  connection: Neo4jConnection,
  cypher: string,
  parameters: GraphRow,
  options: RunOptions,
): Promise<FoundRelations[]> {
  const records = await connection.read(cypher, parameters, options);
  return records.map(asRow).map((row) => ({
    node: String(row.id),
    type: String(row.type),
    direction: row.isOut === true ? "out" : "in",
    source: String(row.source ?? ""),
    total: Number(row.total),
    others: list(row.others).flatMap((other) =>
      isMap(other) ? [asEnd(other, list(parameters.keys).map(String), row.source !== null)] : [],
    ),
    cypher,
    parameters,
  }));
}

function asEnd(other: GraphRow, keys: readonly string[], isOwnRelation: boolean): FoundRelations["others"][number] {
  const named = list(other.names).map((value, i) => [keys[i] ?? "", value] as const);
  const properties = Object.fromEntries(named.filter(([, value]) => value !== null));
  const relations = list(other.relations).filter(isMap);
  return {
    id: String(other.id),
    labels: theirs(other.labels),
    // What has no name is told by whatever it says first.
    properties: named.every(([, value]) => value === null)
      ? short({ description: other.text ?? null })
      : short(properties),
    relation: short(relations[0] ?? {}),
    quotes: relations.flatMap(({ quote }) => (typeof quote === "string" ? [quote] : [])),
    called: isOwnRelation ? relations.flatMap(({ subject, object }) => [String(subject), String(object)]) : [],
  };
}

const list = (value: GraphValue | undefined): GraphValue[] => (Array.isArray(value) ? value : []);
const isMap = (value: GraphValue): value is GraphRow =>
  value !== null && typeof value === "object" && !Array.isArray(value);
const theirs = (labels: GraphValue | undefined) =>
  list(labels)
    .map(String)
    .filter((label) => !isOwn(label));

/** Long texts and lists are cut, and lists of numbers that nobody reads are left out. */
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
