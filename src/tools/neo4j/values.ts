import type { Record as Neo4jRecord } from "neo4j-driver";
import type { GraphRow, GraphValue } from "../../types/knowledge.js";
import { neo4jDriver } from "./driver.js";

/** Converts a record to JSON. Nodes and relations become their properties, paths lists of them, dates ISO text. */
export const asRow = (record: Neo4jRecord): GraphRow =>
  Object.fromEntries(record.keys.map((key) => [String(key), asValue(record.get(key))]));

function asValue(value: unknown): GraphValue {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  const neo4j = neo4jDriver();
  if (neo4j.isInt(value)) return value.inSafeRange() ? value.toNumber() : value.toString();
  if (Array.isArray(value)) return value.map(asValue);
  if (neo4j.isNode(value) || neo4j.isRelationship(value)) return asValue(value.properties);
  if (neo4j.isPath(value)) return value.segments.flatMap(({ start, end }) => [asValue(start), asValue(end)]);
  if (Object.getPrototypeOf(value) === Object.prototype)
    return Object.fromEntries(Object.entries(value as object).map(([key, inner]) => [key, asValue(inner)]));
  return String(value);
}

/** Returns the list itself, or an empty list for any other value. */
export const asList = (value: GraphValue | undefined): GraphValue[] => (Array.isArray(value) ? value : []);

/** Converts whole numbers to Neo4j integers: a JavaScript number is a float there, which no index or limit takes. */
export const asParameters = (parameters: GraphRow): Record<string, unknown> =>
  Object.fromEntries(Object.entries(parameters).map(([key, value]) => [key, asParameter(value)]));

function asParameter(value: GraphValue): unknown {
  if (typeof value === "number" && Number.isSafeInteger(value)) return neo4jDriver().int(value);
  if (Array.isArray(value)) return value.map(asParameter);
  if (value !== null && typeof value === "object") return asParameters(value);
  return value;
}
