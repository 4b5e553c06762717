import type { GraphRow, GraphValue } from "../../../types/graph.js";
import type { Neo4jConnection, RunOptions } from "../../neo4j/connection.js";
import { asRow } from "../../neo4j/values.js";
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
    called: readonly string[];
  })[];
  cypher: string;
  parameters: GraphRow;
}

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
  { keys, linked, options }: { keys: readonly string[]; linked: readonly string[]; options: RunOptions },
): Promise<FoundRelations[]> {
  const hubs = of.filter(({ degree }) => degree > HUB);
  const ids = of.filter(({ degree }) => degree <= HUB).map(({ id }) => id);
  const few =
    ids.length === 0
      ? []
      : await grouped(connection, RELATIONS, { ids, linked: [...linked], keys: [...keys] }, options);
  const many: FoundRelations[] = [];
  for (const hub of hubs) many.push(...(await hubRelations(connection, hub, { keys, linked, options })));
  return [...few, ...many];
}

/** From here on a node's relations are not all looked at. */
const HUB = 2_000;

/**
 * Of a hub, type by type: the server knows how many there are without counting. A relation to a node that is named as
 * well comes first, for it may be the one that is asked for.
 */
async function hubRelations(
  connection: Neo4jConnection,
  hub: FoundNode,
  { keys, linked, options }: { keys: readonly string[]; linked: readonly string[]; options: RunOptions },
): Promise<FoundRelations[]> {
  const [known] = await connection.read(
    `CALL db.relationshipTypes() YIELD relationshipType AS type WHERE NOT type STARTS WITH 'EMEND_'
     WITH type ORDER BY type LIMIT ${MOST_TYPES} RETURN collect(type) AS types`,
    {},
    options,
  );
  const types: string[] = known?.get("types") ?? [];
  const counts = types.flatMap((type) => [
    `COUNT {(n)-[:${escaped(type)}]->()}`,
    `COUNT {(n)<-[:${escaped(type)}]-()}`,
  ]);
  const [counted] = await connection.read(
    `MATCH (n) WHERE elementId(n) = $id RETURN [${counts.join(", ")}] AS counts`,
    { id: hub.id },
    options,
  );
  const found: FoundRelations[] = [];
  for (const [i, count] of ((counted && asRow(counted).counts) as number[] | undefined)?.entries() ?? []) {
    if (count === 0) continue;
    const direction = i % 2 === 0 ? "out" : "in";
    const type = escaped(types[i >> 1] ?? "");
    const pattern = direction === "out" ? `(n)-[r:${type}]->(other)` : `(n)<-[r:${type}]-(other)`;
    const cypher = `MATCH (n) WHERE elementId(n) = $id
CALL (n) {
  MATCH ${pattern} WHERE elementId(other) IN $linked RETURN r, other
  UNION
  MATCH ${pattern} WITH r, other LIMIT ${hub.isOwn ? MOST_OF_ONE_TYPE : OTHERS + 1} RETURN r, other
}
${GROUPED}`;
    const groups = await grouped(connection, cypher, { id: hub.id, linked: [...linked], keys: [...keys] }, options);
    // Counted by relations: two to the same node count twice, which only counting each could tell.
    found.push(...groups.map((one) => (hub.isOwn ? one : { ...one, total: Math.max(count, one.total) })));
  }
  return found;
}

const MOST_TYPES = 300;
/** In emend's own graph a relation is told by source, so that its relations are looked at, up to so many. */
const MOST_OF_ONE_TYPE = 20_000;

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
      isMap(other) ? [asEnd(other, list(parameters.keys).map(String))] : [],
    ),
    cypher,
    parameters,
  }));
}

function asEnd(other: GraphRow, keys: readonly string[]): FoundRelations["others"][number] {
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
    called: relations.flatMap(({ subject, object }) => (object === undefined ? [] : [String(subject), String(object)])),
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

const NODES = `MATCH (n) WHERE elementId(n) IN $ids
RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties, COUNT {(n)--()} AS degree`;

const GROUPED = `WITH n, type(r) AS type, startNode(r) = n AS isOut, CASE WHEN n:EmendEntity THEN r.source END AS source,
  other, collect(properties(r))[..5] AS relations
ORDER BY elementId(other) IN $linked DESC
RETURN elementId(n) AS id, type, isOut, source, count(*) AS total, collect({
  id: elementId(other), labels: labels(other), names: [key IN $keys | other[key]], relations: relations,
  text: head([key IN keys(other) WHERE other[key] IS :: STRING NOT NULL | other[key]])})[..${OTHERS}] AS others`;

const RELATIONS = `MATCH (n) WHERE elementId(n) IN $ids
MATCH (n)-[r]-(other) WHERE NOT type(r) STARTS WITH 'EMEND_'
${GROUPED}`;
