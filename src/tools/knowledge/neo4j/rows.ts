import type { GraphRow, GraphValue } from "../../../types/graph.js";
import type { Neo4jConnection, RunOptions } from "../../neo4j/connection.js";
import { asRow } from "../../neo4j/values.js";
import { isOwn } from "./name-index.js";
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

/** Runs a query that ends with `GROUPED`; its parameters hold `linked`, and `keys`: the properties that may hold names. */
export async function grouped(
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

export const list = (value: GraphValue | undefined): GraphValue[] => (Array.isArray(value) ? value : []);
export const isMap = (value: GraphValue): value is GraphRow =>
  value !== null && typeof value === "object" && !Array.isArray(value);
export const theirs = (labels: GraphValue | undefined) =>
  list(labels)
    .map(String)
    .filter((label) => !isOwn(label));

/** Long texts and lists are cut, and lists of numbers that nobody reads are left out. */
export function short(properties: GraphRow): GraphRow {
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

/** Groups `n`, `r` and `other` by type, direction and source; those that are linked as well come first. */
export const GROUPED = `WITH n, type(r) AS type, startNode(r) = n AS isOut, CASE WHEN n:EmendEntity THEN r.source END AS source,
  other, collect(properties(r))[..5] AS relations
ORDER BY elementId(other) IN $linked DESC
RETURN elementId(n) AS id, type, isOut, source, count(*) AS total, collect({
  id: elementId(other), labels: labels(other), names: [key IN $keys | other[key]], relations: relations,
  text: head([key IN keys(other) WHERE other[key] IS :: STRING NOT NULL | other[key]])})[..${OTHERS}] AS others`;
