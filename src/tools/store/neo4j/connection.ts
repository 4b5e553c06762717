import type { ManagedTransaction, Record as Neo4jRecord, ResultSummary } from "neo4j-driver";
import type { Neo4jSettings } from "../../../config.js";
import type { GraphRow } from "../../../types/graph.js";
import { borrowedDriver } from "./driver.js";
import { asError, isWorthAnotherTry, noAnswer } from "./errors.js";
import { asParameters, asRow } from "./values.js";

/** One Neo4j server, by one driver for the process. Nothing is connected to before the first query. */
export interface Neo4jConnection {
  /** The server's address and the database, for people: no user name and no password. */
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
      /** Looks at each record as it comes, and stops the reading when it returns true. */
      enough?: (record: Neo4jRecord) => boolean;
    },
  ): Promise<Neo4jRecord[]>;
  /** Runs queries in one transaction: all of them or none. Lost connections and deadlocks are tried again once. */
  write(statements: readonly { cypher: string; parameters?: GraphRow }[], options?: RunOptions): Promise<void>;
  /** The same where a later query depends on what an earlier one found. `work` may run twice. */
  change<T>(work: (run: RunInside) => Promise<T>, options?: RunOptions): Promise<T>;
  /** What the server would do, without doing it. */
  explain(cypher: string, parameters?: GraphRow, options?: RunOptions): Promise<ResultSummary>;
  /** May be called twice. A later query connects anew. */
  close(): Promise<void>;
}

/** Runs a query in a transaction that is open. */
export type RunInside = (cypher: string, parameters?: GraphRow) => Promise<Neo4jRecord[]>;

/** Reads rows as JSON, with options that were settled before. */
export type ReadRows = (cypher: string, parameters?: GraphRow) => Promise<GraphRow[]>;

export const rowReader =
  (connection: Pick<Neo4jConnection, "read">, options: RunOptions = {}): ReadRows =>
  async (cypher, parameters = {}) =>
    (await connection.read(cypher, parameters, options)).map(asRow);

export interface RunOptions {
  /** Milliseconds after which the server gives the query up. Default 5,000 for reading, 60,000 for writing. */
  timeout?: number;
  /** Lets go at once, whatever the server does; the reason is thrown. */
  signal?: AbortSignal | undefined;
}

const READ_TIMEOUT = 5_000;
const WRITE_TIMEOUT = 60_000;
/** For connecting and for the way there and back; then the server counts as one that does not answer. */
const GRACE = 4_000;
/** Records that are looked at one by one are asked for in small batches, so that few come too many. */
const BATCH = 10;

export function neo4jConnection(settings: Neo4jSettings): Neo4jConnection {
  const { database, impersonatedUser } = settings;
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
      ...(impersonatedUser && { impersonatedUser }),
    });
    const attempt = (transaction: ManagedTransaction) =>
      work(transaction).catch((error: unknown) => {
        // What is no error of the driver's is not tried again by it.
        throw isWorthAnotherTry(error) ? error : asError(error, name);
      });
    try {
      const running =
        access === "READ" ? session.executeRead(attempt, { timeout }) : session.executeWrite(attempt, { timeout });
      const result = await within(running, timeout + GRACE, name, signal);
      await giveBack();
      return result;
    } catch (error) {
      // Not waited for: a server that does not answer would keep the caller.
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

/** The result, or an error once the time is up or the caller gave up. What runs on is left alone. */
function within<T>(
  running: Promise<T>,
  milliseconds: number,
  name: string,
  signal: AbortSignal | undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal?.reason);
    const timer = setTimeout(() => reject(noAnswer(name, milliseconds)), milliseconds);
    signal?.addEventListener("abort", giveUp, { once: true });
    running.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", giveUp);
    });
  });
}
