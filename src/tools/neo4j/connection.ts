import type { ManagedTransaction, Record as Neo4jRecord, ResultSummary } from "neo4j-driver";
import type { GraphRow, GraphValue } from "../../types/knowledge.js";
import { inTime, unlessAborted } from "../../waiting.js";
import { asError, borrowedDriver, isWorthAnotherTry, neo4jDriver, noAnswer } from "./driver.js";
import type { Neo4jSettings } from "./settings.js";

/** A connection to one Neo4j server. Connects at the first query. */
export interface Neo4jConnection {
  /** The server's address and the database, for messages; without user name and password. */
  readonly name: string;
  /**
   * Runs a query in READ access mode.
   * @throws StoreUnavailableError when the server cannot be reached, does not answer in time, or refuses the user.
   * @throws CypherError when the server refuses the query.
   */
  read(
    cypher: string,
    parameters?: GraphRow,
    options?: RunOptions & {
      /** Called with each record as it arrives; reading stops when it returns true. */
      enough?: (record: Neo4jRecord) => boolean;
    },
  ): Promise<Neo4jRecord[]>;
  /** Runs queries in one transaction: all of them or none. Retries once after a lost connection or a deadlock. */
  write(statements: readonly { cypher: string; parameters?: GraphRow }[], options?: RunOptions): Promise<void>;
  /** Like `write`, if a query depends on the result of an earlier one. `work` may run twice. */
  change<T>(work: (run: RunInside) => Promise<T>, options?: RunOptions): Promise<T>;
  /** Returns the server's plan for a query without running it. */
  explain(cypher: string, parameters?: GraphRow, options?: RunOptions): Promise<ResultSummary>;
  /** May be called twice. A later query connects again. */
  close(): Promise<void>;
}

/** Runs a query in an open transaction. */
export type RunInside = (cypher: string, parameters?: GraphRow) => Promise<Neo4jRecord[]>;

/** Reads rows as JSON, with fixed options. */
export type ReadRows = (cypher: string, parameters?: GraphRow) => Promise<GraphRow[]>;

export const rowReader =
  (connection: Pick<Neo4jConnection, "read">, options: RunOptions = {}): ReadRows =>
  async (cypher, parameters = {}) =>
    (await connection.read(cypher, parameters, options)).map(asRow);

export interface RunOptions {
  /** Milliseconds after which the server aborts the query. Default 5,000 for reading, 60,000 for writing. */
  timeout?: number;
  /** When it aborts, its reason is thrown at once, without waiting for the server. */
  signal?: AbortSignal | undefined;
}

const READ_TIMEOUT = 5_000;
const WRITE_TIMEOUT = 60_000;

/** Extra milliseconds for connecting and for the network. After that, the server counts as not answering. */
const GRACE = 4_000;

/** The batch size if reading may stop early, so that few unused records are sent. */
const BATCH = 10;

export function neo4jConnection(settings: Neo4jSettings): Neo4jConnection {
  const { database } = settings;
  const address = settings.uri.replace(/\/\/[^/]*@/, "//");
  const name = database ? `${address} (${database})` : address;
  const driver = borrowedDriver(settings, name);

  async function run<T>(
    access: "READ" | "WRITE",
    work: (transaction: ManagedTransaction) => Promise<T>,
    { timeout = access === "READ" ? READ_TIMEOUT : WRITE_TIMEOUT, signal }: RunOptions,
    fetchSize = 1_000,
  ): Promise<T> {
    signal?.throwIfAborted();
    await within(driver.ready(), GRACE, name, signal);
    const { session, giveBack } = driver.borrow({
      defaultAccessMode: access,
      fetchSize,
      ...(database && { database }),
    });
    const attempt = (transaction: ManagedTransaction) =>
      work(transaction).catch((error: unknown) => {
        // The driver retries only its own errors.
        throw isWorthAnotherTry(error) ? error : asError(error, name);
      });
    try {
      const running =
        access === "READ" ? session.executeRead(attempt, { timeout }) : session.executeWrite(attempt, { timeout });
      const result = await within(running, timeout + GRACE, name, signal);
      await giveBack();
      return result;
    } catch (error) {
      // Not awaited: a server that does not answer would block the caller.
      void giveBack();
      signal?.throwIfAborted();
      throw asError(error, name);
    }
  }

  return {
    name,
    read: (cypher, parameters = {}, { enough, ...options } = {}) =>
      run(
        "READ",
        async (transaction) => {
          const result = transaction.run(cypher, asParameters(parameters));
          if (!enough) return (await result).records;
          const records: Neo4jRecord[] = [];
          for await (const record of result) {
            records.push(record);
            if (enough(record)) break;
          }
          return records;
        },
        options,
        enough && BATCH,
      ),
    write: (statements, options = {}) =>
      run(
        "WRITE",
        async (transaction) => {
          for (const { cypher, parameters = {} } of statements)
            await transaction.run(cypher, asParameters(parameters)).summary();
        },
        options,
      ),
    change: (work, options = {}) =>
      run(
        "WRITE",
        (transaction) =>
          work(async (cypher, parameters = {}) => (await transaction.run(cypher, asParameters(parameters))).records),
        options,
      ),
    explain: (cypher, parameters = {}, options = {}) =>
      run("READ", (transaction) => transaction.run(`EXPLAIN ${cypher}`, asParameters(parameters)).summary(), options),
    close: () => driver.close(),
  };
}

/** Returns the result, or throws when the time is up or the signal aborts. `running` then continues unobserved. */
function within<T>(running: Promise<T>, milliseconds: number, name: string, signal?: AbortSignal): Promise<T> {
  const timed = inTime(running, milliseconds, () => noAnswer(name, milliseconds));
  return signal ? unlessAborted(timed, signal) : timed;
}

/** Converts a record to JSON. Nodes and relations become their properties, paths lists of nodes, and dates ISO text. */
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

/** Converts whole numbers to Neo4j integers. Otherwise they would be floats, which indexes and limits do not accept. */
const asParameters = (parameters: GraphRow): Record<string, unknown> =>
  Object.fromEntries(Object.entries(parameters).map(([key, value]) => [key, asParameter(value)]));

function asParameter(value: GraphValue): unknown {
  if (typeof value === "number" && Number.isSafeInteger(value)) return neo4jDriver().int(value);
  if (Array.isArray(value)) return value.map(asParameter);
  if (value !== null && typeof value === "object") return asParameters(value);
  return value;
}
