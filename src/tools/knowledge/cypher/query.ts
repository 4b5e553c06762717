import type { GraphRow, GraphValue } from "../../../types/graph.js";
import type { Neo4jConnection, RunOptions } from "../../store/neo4j/connection.js";
import { asRow } from "../../store/neo4j/values.js";
import type { QueryResult } from "../port.js";
import { guard, MOST_ROWS } from "./guard.js";

/**
 * Runs a query that somebody else wrote, in READ mode, once it is known to do nothing but read. At most 100 rows and
 * 64 KiB of them; a longer value is cut.
 * @throws CypherError when it is refused or fails.
 * @throws StoreUnavailableError when the graph cannot be reached.
 */
export async function guardedQuery(
  connection: Neo4jConnection,
  cypher: string,
  parameters: GraphRow,
  options: RunOptions,
): Promise<QueryResult> {
  const safe = await guard(cypher, parameters, (text, given) => connection.explain(text, given, options));
  const rows: GraphRow[] = [];
  let bytes = 0;
  let isFull = false;
  let isShortened = false;
  let columns: string[] = [];
  await connection.read(safe, parameters, {
    ...options,
    enough: (record) => {
      columns = record.keys.map(String);
      const row = asRow(record);
      const short = fitted(row);
      bytes += bytesOf(short);
      isFull = rows.length === MOST_ROWS || (bytes > MOST_BYTES && rows.length > 0);
      isShortened ||= short !== row;
      if (!isFull) rows.push(short);
      return isFull;
    },
  });
  // A limit of 100 was set: that many rows are more often the first of many than all.
  return { cypher: safe, parameters, columns, rows, truncated: isFull || isShortened || rows.length === MOST_ROWS };
}

const MOST_BYTES = 64 * 1024;
/** Of one value: a row of several long ones still shows something of each. */
const MOST_OF_VALUE = 8 * 1024;

/** The row itself, or one whose long values are cut. */
function fitted(row: GraphRow): GraphRow {
  if (bytesOf(row) <= MOST_OF_VALUE) return row;
  return Object.fromEntries(Object.entries(row).map(([key, value]) => [key, shortened(value)]));
}

function shortened(value: GraphValue): GraphValue {
  if (bytesOf(value) <= MOST_OF_VALUE) return value;
  if (typeof value === "string") return `${value.slice(0, MOST_OF_VALUE / 4).toWellFormed()}…`;
  if (Array.isArray(value)) return shortened(value.slice(0, Math.floor(value.length / 2)));
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, shortened(inner)] as const);
  const whole = Object.fromEntries(entries);
  return bytesOf(whole) <= MOST_OF_VALUE ? whole : shortened(`${JSON.stringify(whole)}`);
}

const bytesOf = (value: GraphValue) => Buffer.byteLength(JSON.stringify(value));
