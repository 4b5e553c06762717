import type { Neo4jConnection, RunOptions } from "../../neo4j/connection.js";
import { asRow } from "../../neo4j/values.js";
import { escaped } from "./name-index.js";
import { type FoundNode, type FoundRelations, GROUPED, grouped, OTHERS } from "./rows.js";

/**
 * The relations of a node that has very many, type by type: the server knows how many there are without counting. A
 * relation to a node that is named as well comes first, for it may be the one that is asked for.
 */
export async function hubRelations(
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
