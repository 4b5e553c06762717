import type { GraphRow } from "../../../types/graph.js";
import type { Neo4jConnection, RunOptions } from "../../neo4j/connection.js";
import { asRow } from "../../neo4j/values.js";
import { hubRelations } from "./hub.js";
import { type FoundNode, type FoundRelations, GROUPED, grouped, isMap, list, short, theirs } from "./rows.js";

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

/** From here on a node's relations are not all looked at. */
const HUB = 500;

const NODES = `MATCH (n) WHERE elementId(n) IN $ids
RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties, COUNT {(n)--()} AS degree`;

const RELATIONS = `MATCH (n) WHERE elementId(n) IN $ids
MATCH (n)-[r]-(other) WHERE NOT type(r) STARTS WITH 'EMEND_'
${GROUPED}`;
