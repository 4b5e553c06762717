import type { GraphRow, GraphValue } from "../../types/knowledge.js";
import type { QueryResult } from "../knowledge/port.js";
import type { Neo4jConnection, RunOptions } from "./connection.js";
import { guard, MOST_ROWS } from "./guard.js";
import { asRow } from "./values.js";

/**
 * Runs an untrusted query in READ mode once the guard has accepted it. Returns at most 100 rows and 64 KiB; long values
 * are cut.
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
  // With the limit of 100 rows, exactly 100 are more often the first of many than all.
  return { cypher: safe, parameters, columns, rows, truncated: isFull || isShortened || rows.length === MOST_ROWS };
}

const MOST_BYTES = 64 * 1024;
/** The most bytes of one value, so that a row of several long values shows something of each. */
const MOST_OF_VALUE = 8 * 1024;

/** Returns the row itself, or a copy with its long values cut. */
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
