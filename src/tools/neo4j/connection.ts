import neo4j, { type Driver, type Record as Neo4jRecord, type ResultSummary } from "neo4j-driver";
import type { Neo4jSettings } from "../../config.js";
import type { GraphRow } from "../../types/graph.js";
import { asError } from "./errors.js";
import { asParameters } from "./values.js";

/** One Neo4j server, by one driver for the process. Nothing is connected to before the first query. */
export interface Neo4jConnection {
  /** The server's address and the database, for people: no user name and no password. */
  readonly name: string;
  /**
   * Runs a query in READ access mode.
   * @throws StoreUnavailableError when the server cannot be reached or refuses the user.
   * @throws CypherError when the server refuses the query.
   */
  read(cypher: string, parameters?: GraphRow, options?: ReadOptions): Promise<Neo4jRecord[]>;
  /** Runs queries in one transaction: all of them or none. */
  write(statements: readonly { cypher: string; parameters?: GraphRow }[], options?: ReadOptions): Promise<void>;
  /** What the server would do, without doing it. */
  explain(cypher: string, parameters?: GraphRow, options?: ReadOptions): Promise<ResultSummary>;
  close(): Promise<void>;
}

export interface ReadOptions {
  /** Milliseconds after which the server gives the query up. Default 5,000 for reading, 60,000 for writing. */
  timeout?: number;
  signal?: AbortSignal | undefined;
}

const READ_TIMEOUT = 5_000;
const WRITE_TIMEOUT = 60_000;

export function neo4jConnection(settings: Neo4jSettings): Neo4jConnection {
  const { uri, username, password, database, impersonatedUser } = settings;
  let driver: Driver | undefined;
  const opened = () => {
    driver ??= neo4j.driver(uri, neo4j.auth.basic(username, password), {
      disableLosslessIntegers: false,
      connectionTimeout: 5_000,
      connectionAcquisitionTimeout: 10_000,
      maxTransactionRetryTime: 2_000,
      telemetryDisabled: true,
    });
    return driver;
  };
  const name = database ? `${uri} (${database})` : uri;

  async function run<T>(
    access: "READ" | "WRITE",
    work: (
      run: (cypher: string, parameters?: GraphRow) => Promise<{ records: Neo4jRecord[]; summary: ResultSummary }>,
    ) => Promise<T>,
    { timeout = access === "READ" ? READ_TIMEOUT : WRITE_TIMEOUT, signal }: ReadOptions = {},
  ): Promise<T> {
    signal?.throwIfAborted();
    const session = opened().session({
      defaultAccessMode: access,
      ...(database && { database }),
      ...(impersonatedUser && { impersonatedUser }),
    });
    const abort = () => void session.close().catch(() => {});
    signal?.addEventListener("abort", abort, { once: true });
    try {
      const execute = access === "READ" ? session.executeRead.bind(session) : session.executeWrite.bind(session);
      return await execute(
        (transaction) =>
          work(async (cypher, parameters = {}) => {
            const { records, summary } = await transaction.run(cypher, asParameters(parameters));
            return { records, summary };
          }),
        { timeout },
      );
    } catch (error) {
      signal?.throwIfAborted();
      throw asError(error, name);
    } finally {
      signal?.removeEventListener("abort", abort);
      await session.close().catch(() => {});
    }
  }

  return {
    name,
    read: (cypher, parameters, options) => run("READ", async (go) => (await go(cypher, parameters)).records, options),
    write: (statements, options) =>
      run(
        "WRITE",
        async (go) => {
          for (const { cypher, parameters } of statements) await go(cypher, parameters);
        },
        options,
      ),
    explain: (cypher, parameters, options) =>
      run("READ", async (go) => (await go(`EXPLAIN ${cypher}`, parameters)).summary, options),
    close: async () => {
      const open = driver;
      driver = undefined;
      await open?.close();
    },
  };
}
