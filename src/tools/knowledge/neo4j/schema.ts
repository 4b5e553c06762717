import type { Neo4jConnection, RunOptions } from "../../neo4j/connection.js";
import { asRow } from "../../neo4j/values.js";
import type { GraphProperty, GraphSchema } from "../port.js";
import { escaped, isOwn } from "./name-index.js";

/**
 * What the graph holds, from a sample of each label and each relation type: so it costs about the same on a large graph,
 * where the server's own procedures go through every node, and the ends of a relation are those that were seen together,
 * where `db.schema.visualization` combines every start with every end. A rare property of a large label may be missing.
 */
export async function graphSchema(connection: Neo4jConnection, options: RunOptions): Promise<GraphSchema> {
  const { labels, types } = await largest(connection, options);
  const nodes: GraphSchema["nodes"][number][] = [];
  for (const label of labels) {
    const cypher = `MATCH (n:${escaped(label)}) WITH n LIMIT $sample ${KEYS("n", "CASE WHEN n:EmendEntity THEN ['key'] ELSE [] END")}`;
    const rows = await connection.read(cypher, SAMPLE, options);
    nodes.push({ label, properties: rows.map(asRow).map(asProperty).sort(byName) });
  }
  const relations: GraphSchema["relations"][number][] = [];
  for (const type of types) {
    const pattern = `MATCH (a)-[r:${escaped(type)}]->(b) WITH a, r, b LIMIT $sample`;
    const own = "CASE WHEN startNode(r):EmendEntity THEN keys(r) ELSE [] END";
    const rows = await connection.read(`${pattern} ${KEYS("r", own)}`, SAMPLE, options);
    const properties = rows.map(asRow).map(asProperty).sort(byName);
    const ends = await connection.read(`${pattern} ${ENDS}`, { ...SAMPLE, most: MOST_ENDS }, options);
    for (const end of ends) {
      const [from, to] = [String(end.get("start")), String(end.get("end"))];
      relations.push({ type, from, to, properties });
    }
  }
  return {
    nodes: nodes.sort((a, b) => (a.label < b.label ? -1 : 1)),
    relations: relations.sort((a, b) => (key(a) < key(b) ? -1 : 1)),
  };
}

/** A prompt holds this much, and hardly more: of more labels and types the most frequent are told. */
const MOST_LABELS = 60;
const MOST_TYPES = 80;
const MOST_PROPERTIES = 30;
const MOST_ENDS = 10;
/** Text that the graph's users wrote: longer values tell a query no more, and may be written to mislead. */
const LONGEST_VALUE = 60;
const MOST_VALUES = 12;
const SAMPLE = { sample: 2_000, values: MOST_VALUES, longest: LONGEST_VALUE, properties: MOST_PROPERTIES };

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
const KEYS = (of: string, hidden: string) => `
UNWIND [key IN keys(${of}) WHERE NOT key IN ${hidden}] AS key
WITH key, ${of}[key] AS value, valueType(${of}[key]) AS type
WITH key, head(collect(DISTINCT type)) AS type, count(*) AS count,
  collect(DISTINCT CASE WHEN type STARTS WITH 'STRING' AND size(value) <= $longest THEN value
    WHEN type STARTS WITH 'STRING' THEN '' END)[..$values + 1] AS some
ORDER BY count DESC, key LIMIT $properties
RETURN key AS name, type, count, CASE WHEN size(some) <= $values AND size(some) * 2 <= count AND NOT '' IN some THEN some ELSE [] END AS values`;

const ENDS = `
UNWIND CASE WHEN size([l IN labels(a) WHERE NOT l STARTS WITH 'Emend']) = 0 THEN ['']
  ELSE [l IN labels(a) WHERE NOT l STARTS WITH 'Emend'] END AS start
UNWIND CASE WHEN size([l IN labels(b) WHERE NOT l STARTS WITH 'Emend']) = 0 THEN ['']
  ELSE [l IN labels(b) WHERE NOT l STARTS WITH 'Emend'] END AS end
WITH start, end, count(*) AS count ORDER BY count DESC, start, end LIMIT $most RETURN start, end`;

function asProperty({ name, type, values }: ReturnType<typeof asRow>): GraphProperty {
  const few = [values ?? []].flat().map(String).sort();
  return {
    name: String(name),
    type: String(type).replaceAll(" NOT NULL", ""),
    ...(few.length > 0 && { values: few }),
  };
}

const byName = (a: GraphProperty, b: GraphProperty) => (a.name < b.name ? -1 : 1);
const key = ({ type, from, to }: GraphSchema["relations"][number]) => JSON.stringify([type, from, to]);
