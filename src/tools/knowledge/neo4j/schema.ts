import type { GraphRow } from "../../../types/graph.js";
import type { Neo4jConnection, RunOptions } from "../../store/neo4j/connection.js";
import { asRow } from "../../store/neo4j/values.js";
import type { GraphProperty, GraphSchema } from "../port.js";
import { escaped, isOwn } from "./name-index.js";

/**
 * What the graph holds, from a sample of each label and each relation type: so it costs about the same on a large graph,
 * where the server's own procedures go through every node, and the ends of a relation are those that were seen together,
 * where `db.schema.visualization` combines every start with every end. A rare property of a large label may be missing.
 */
export async function graphSchema(connection: Neo4jConnection, options: RunOptions): Promise<GraphSchema> {
  const { labels, types } = await largest(connection, options);
  const read = async (sampled: string[], what: string) => {
    const parts: string[][] = [];
    for (let i = 0; i < sampled.length; i += TOGETHER) parts.push(sampled.slice(i, i + TOGETHER));
    const rows: GraphRow[] = [];
    for (const part of parts)
      rows.push(
        ...(await connection.read(`CALL () {\n${part.join("\nUNION ALL\n")}\n} ${what}`, SAMPLE, options)).map(asRow),
      );
    return rows;
  };
  const sampledNodes = labels.map(
    (label, i) => `MATCH (n:${escaped(label)}) WITH n LIMIT $sample RETURN ${i} AS at, n`,
  );
  const sampledRelations = types.map(
    (type, i) => `MATCH (a)-[n:${escaped(type)}]->(b) WITH a, n, b LIMIT $sample RETURN ${i} AS at, a, n, b`,
  );
  const properties = propertiesByPlace(
    await read(sampledNodes, KEYS("CASE WHEN n:EmendEntity THEN ['key'] ELSE [] END")),
  );
  const own = "CASE WHEN a:EmendEntity THEN keys(n) ELSE [] END";
  const details = propertiesByPlace(await read(sampledRelations, KEYS(own)));
  const ends = await read(sampledRelations, ENDS);
  return {
    nodes: labels
      .map((label, i) => ({ label, properties: properties(i) }))
      .sort((a, b) => (a.label < b.label ? -1 : 1)),
    relations: ends
      .map(({ at, start, end }) => ({
        type: types[Number(at)] ?? "",
        from: String(start),
        to: String(end),
        properties: details(Number(at)),
      }))
      .sort((a, b) => (key(a) < key(b) ? -1 : 1)),
  };
}

/** One query for many labels is planned in the time of one. */
const TOGETHER = 30;

/** A prompt holds this much, and hardly more: of more labels and types the most frequent are told. */
const MOST_LABELS = 60;
const MOST_TYPES = 80;
const MOST_PROPERTIES = 30;
const MOST_ENDS = 10;
/** Text that the graph's users wrote: longer values tell a query no more, and may be written to mislead. */
const LONGEST_VALUE = 60;
const MOST_VALUES = 12;
const SAMPLE = { sample: 2_000, values: MOST_VALUES, longest: LONGEST_VALUE, ends: MOST_ENDS };

/** Labels and types that something has, the most frequent in a sample first. */
async function largest(connection: Neo4jConnection, options: RunOptions) {
  const sampled = (what: string, of: string, all: string) =>
    `CALL { MATCH ${what} WITH * LIMIT 50000 UNWIND ${of} AS name RETURN name, count(*) AS count
            UNION ALL ${all} AS name RETURN name, 0 AS count }
     WITH name, sum(count) AS count ORDER BY count DESC, name RETURN name, count`;
  const labels = await connection.read(
    sampled("(n)", "labels(n)", "CALL db.labels() YIELD label WITH label"),
    {},
    options,
  );
  const types = await connection.read(
    sampled("()-[r]->()", "[type(r)]", "CALL db.relationshipTypes() YIELD relationshipType WITH relationshipType"),
    {},
    options,
  );
  const namesOf = (records: typeof labels) =>
    records.map((record) => String(record.get("name"))).filter((name) => !isOwn(name) && name.length <= LONGEST_NAME);
  return { labels: namesOf(labels).slice(0, MOST_LABELS), types: namesOf(types).slice(0, MOST_TYPES) };
}

const LONGEST_NAME = 500;

/** The properties of what was sampled, with their types, and all of their values where they are few short texts. */
const KEYS = (hidden: string) => `
UNWIND [key IN keys(n) WHERE NOT key IN ${hidden}] AS key
WITH at, key, n[key] AS value, valueType(n[key]) AS type
WITH at, key, head(collect(DISTINCT type)) AS type, count(*) AS count,
  collect(DISTINCT CASE WHEN type STARTS WITH 'STRING' AND size(value) <= $longest THEN value
    WHEN type STARTS WITH 'STRING' THEN '' END)[..$values + 1] AS some
RETURN at, key AS name, type, count,
  CASE WHEN size(some) <= $values AND size(some) * 2 <= count AND NOT '' IN some THEN some ELSE [] END AS values
ORDER BY at, count DESC, name`;

/** What stands at both ends. Nodes that emend made are told by their types, and those without one by nothing. */
const ENDS = `
WITH at, [l IN labels(a) WHERE NOT l STARTS WITH 'Emend'] AS starts, [l IN labels(b) WHERE NOT l STARTS WITH 'Emend'] AS ends
UNWIND CASE WHEN starts = [] THEN [''] ELSE starts END AS start
UNWIND CASE WHEN ends = [] THEN [''] ELSE ends END AS end
WITH at, start, end, count(*) AS count ORDER BY count DESC, start, end
WITH at, collect({start: start, end: end})[..$ends] AS pairs UNWIND pairs AS pair
RETURN at, pair.start AS start, pair.end AS end`;

function propertiesByPlace(rows: readonly GraphRow[]): (place: number) => GraphProperty[] {
  const found = Map.groupBy(rows, ({ at }) => Number(at));
  return (place) => (found.get(place) ?? []).slice(0, MOST_PROPERTIES).map(asProperty).sort(byName);
}

function asProperty({ name, type, values }: GraphRow): GraphProperty {
  const few = Array.isArray(values) ? values.map(String).sort() : [];
  return {
    name: String(name),
    type: String(type).replaceAll(" NOT NULL", ""),
    ...(few.length > 0 && { values: few }),
  };
}

const byName = (a: GraphProperty, b: GraphProperty) => (a.name < b.name ? -1 : 1);
const key = ({ type, from, to }: GraphSchema["relations"][number]) => JSON.stringify([type, from, to]);
