import type { GraphRow } from "../../types/knowledge.js";
import type { GraphProperty, GraphSchema } from "../knowledge/port.js";
import { asList, type ReadRows } from "./connection.js";
import { escaped, isOwn } from "./name-index.js";

/**
 * Reads the schema from a sample of each label and each relation type, so that a large graph costs hardly more than a
 * small one; the server's own procedures read every node. The ends of a relation are pairs that occur together, while
 * `db.schema.visualization` combines every start with every end. A rare property of a large label may be missing.
 */
export async function readSchema(read: ReadRows): Promise<GraphSchema> {
  const labels = await largest(read, MAX_LABELS, "(n)", "labels(n)", "db.labels() YIELD label WITH label");
  const types = await largest(
    read,
    MAX_TYPES,
    "()-[r]->()",
    "[type(r)]",
    "db.relationshipTypes() YIELD relationshipType WITH relationshipType",
  );
  const readAll = async (sampled: string[], what: string) => {
    const rows: GraphRow[] = [];
    for (let i = 0; i < sampled.length; i += TOGETHER) {
      const part = sampled.slice(i, i + TOGETHER).join("\nUNION ALL\n");
      rows.push(...(await read(`CALL () {\n${part}\n} ${what}`, SAMPLE)));
    }
    return rows;
  };
  const sampledNodes = labels.map(
    (label, i) => `MATCH (n:${escaped(label)}) WITH n LIMIT $sample RETURN ${i} AS at, n`,
  );
  const sampledRelations = types.map(
    (type, i) => `MATCH (a)-[n:${escaped(type)}]->(b) WITH a, n, b LIMIT $sample RETURN ${i} AS at, a, n, b`,
  );
  const properties = propertiesByPlace(
    await readAll(sampledNodes, KEYS("CASE WHEN n:EmendEntity THEN ['key'] ELSE [] END")),
  );
  const own = "CASE WHEN a:EmendEntity THEN keys(n) ELSE [] END";
  const details = propertiesByPlace(await readAll(sampledRelations, KEYS(own)));
  const ends = await readAll(sampledRelations, ENDS);
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

/** Labels or types per query. Planning takes as long as for one. */
const TOGETHER = 30;

/** About as much as fits into a prompt. The most frequent labels and types are kept. */
const MAX_LABELS = 60;
const MAX_TYPES = 80;
const MAX_PROPERTIES = 30;
const MAX_ENDS = 10;
/** In characters. Longer values do not help to write a query, and may be prompt injection. */
const MAX_VALUE_LENGTH = 60;
const MAX_VALUES = 12;
const SAMPLE = { sample: 2_000, values: MAX_VALUES, longest: MAX_VALUE_LENGTH, ends: MAX_ENDS };

/** Lists labels or types, the most frequent in a sample first. */
async function largest(read: ReadRows, most: number, what: string, of: string, all: string): Promise<string[]> {
  const rows = await read(
    `CALL { MATCH ${what} WITH * LIMIT 50000 UNWIND ${of} AS name RETURN name, count(*) AS count
            UNION ALL CALL ${all} AS name RETURN name, 0 AS count }
     WITH name, sum(count) AS count ORDER BY count DESC, name RETURN name, count`,
  );
  const names = rows.map(({ name }) => String(name));
  return names.filter((name) => !isOwn(name) && name.length <= MAX_NAME_LENGTH).slice(0, most);
}

const MAX_NAME_LENGTH = 500;

/** Reads the properties of the sample with their types, and all values of a property if they are few short texts. */
const KEYS = (hidden: string) => `
UNWIND [key IN keys(n) WHERE NOT key IN ${hidden}] AS key
WITH at, key, n[key] AS value, valueType(n[key]) AS type
WITH at, key, head(collect(DISTINCT type)) AS type, count(*) AS count,
  collect(DISTINCT CASE WHEN type STARTS WITH 'STRING' AND size(value) <= $longest THEN value
    WHEN type STARTS WITH 'STRING' THEN '' END)[..$values + 1] AS some
RETURN at, key AS name, type, count,
  CASE WHEN size(some) <= $values AND size(some) * 2 <= count AND NOT '' IN some THEN some ELSE [] END AS values
ORDER BY at, count DESC, name`;

/** Reads the labels at both ends of relations, without emend's own; an end without any label is ''. */
const ENDS = `
WITH at, [l IN labels(a) WHERE NOT l STARTS WITH 'Emend'] AS starts, [l IN labels(b) WHERE NOT l STARTS WITH 'Emend'] AS ends
UNWIND CASE WHEN starts = [] THEN [''] ELSE starts END AS start
UNWIND CASE WHEN ends = [] THEN [''] ELSE ends END AS end
WITH at, start, end, count(*) AS count ORDER BY count DESC, start, end
WITH at, collect({start: start, end: end})[..$ends] AS pairs UNWIND pairs AS pair
RETURN at, pair.start AS start, pair.end AS end`;

function propertiesByPlace(rows: readonly GraphRow[]): (place: number) => GraphProperty[] {
  const found = Map.groupBy(rows, ({ at }) => Number(at));
  return (place) => (found.get(place) ?? []).slice(0, MAX_PROPERTIES).map(asProperty).sort(byName);
}

function asProperty({ name, type, values }: GraphRow): GraphProperty {
  const few = asList(values).map(String).sort();
  return {
    name: String(name),
    type: String(type).replaceAll(" NOT NULL", ""),
    ...(few.length > 0 && { values: few }),
  };
}

const byName = (a: GraphProperty, b: GraphProperty) => (a.name < b.name ? -1 : 1);
const key = ({ type, from, to }: GraphSchema["relations"][number]) => JSON.stringify([type, from, to]);
