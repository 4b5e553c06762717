import { createRequire } from "node:module";
import { connect } from "node:net";
import { connect as connectSecurely } from "node:tls";
import type {
  BookmarkManager,
  Driver,
  ManagedTransaction,
  Neo4jError,
  Record as Neo4jRecord,
  ResultSummary,
  Session,
  SessionConfig,
} from "neo4j-driver";
import { CypherError, StoreUnavailableError, toError } from "../../errors.js";
import type { GraphRow, GraphValue } from "../../types/knowledge.js";
import { inTime, unlessAborted } from "../../waiting.js";
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
    await withTimeout(driver.ready(), GRACE, name, signal);
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
      const result = await withTimeout(running, timeout + GRACE, name, signal);
      await giveBack();
      return result;
    } catch (error) {
      // Not awaited: a server that does not answer would block the caller.
      void giveBack();
      signal?.throwIfAborted();
      throw asError(error, name);
    }
  }

  const change: Neo4jConnection["change"] = (work, options = {}) =>
    run(
      "WRITE",
      (transaction) =>
        work(async (cypher, parameters = {}) => (await transaction.run(cypher, asParameters(parameters))).records),
      options,
    );

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
    write: (statements, options) =>
      change(async (query) => {
        for (const { cypher, parameters } of statements) await query(cypher, parameters);
      }, options),
    change,
    explain: (cypher, parameters = {}, options = {}) =>
      run("READ", (transaction) => transaction.run(`EXPLAIN ${cypher}`, asParameters(parameters)).summary(), options),
    close: () => driver.close(),
  };
}

/** Returns the result, or throws when the time is up or the signal aborts. `running` then continues unobserved. */
function withTimeout<T>(running: Promise<T>, milliseconds: number, name: string, signal?: AbortSignal): Promise<T> {
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

/**
 * Lends sessions of one driver. If a session cannot be closed in time, the server no longer answers, and the session
 * would stay in the pool until the operating system closes the connection. The driver is then retired: it is closed
 * when nothing else runs on it, and the next session comes from a new driver.
 */
function borrowedDriver(settings: Neo4jSettings, name: string) {
  // With bookmarks, every transaction sees what earlier ones wrote or read, even in a cluster.
  let bookmarkManager: BookmarkManager | undefined;
  let current: { driver: Driver; running: number; greeted?: Promise<void> } | undefined;

  const lend = () => {
    current ??= { driver: open(settings, name), running: 0 };
    return current;
  };

  const retire = (lent: NonNullable<typeof current>) => {
    if (current === lent) current = undefined;
    if (lent.running === 0) void lent.driver.close().catch(() => {});
  };

  return {
    /**
     * Checks before the first session that a server answers.
     * @throws StoreUnavailableError if none does, or the address is invalid.
     */
    async ready(): Promise<void> {
      const lent = lend();
      lent.greeted ??= greet(settings.uri, 3_000);
      try {
        await lent.greeted;
      } catch (error) {
        delete lent.greeted;
        throw absent(name, toError(error).message);
      }
    },

    borrow(config: SessionConfig): { session: Session; giveBack: () => Promise<void> } {
      const lent = lend();
      bookmarkManager ??= neo4jDriver().bookmarkManager();
      const session = lent.driver.session({ ...config, bookmarkManager });
      lent.running++;
      return {
        session,
        async giveBack() {
          const isClosed = await endsSoon(session.close());
          lent.running--;
          if (!isClosed || current !== lent) retire(lent);
        },
      };
    },

    async close(): Promise<void> {
      const open = current;
      current = undefined;
      if (open) await endsSoon(open.driver.close());
    },
  };
}

function open({ uri, username, password }: Neo4jSettings, name: string): Driver {
  const neo4j = neo4jDriver();
  try {
    return neo4j.driver(uri, neo4j.auth.basic(username, password), {
      maxConnectionPoolSize: POOL_SIZE,
      connectionTimeout: 3_000,
      connectionAcquisitionTimeout: 5_000,
      // The first retry comes after a second, so there is only one, and an absent server is noticed soon.
      maxTransactionRetryTime: 500,
      // A firewall may have closed an idle connection.
      connectionLivenessCheckTimeout: 60_000,
      telemetryDisabled: true,
    });
  } catch {
    // The driver's message would repeat the address, which may contain a password.
    throw new StoreUnavailableError(
      `${name} is not the address of a Neo4j server. Set NEO4J_URI to one such as neo4j://localhost:7687.`,
    );
  }
}

const absent = (name: string, why = "") =>
  new StoreUnavailableError(
    `No Neo4j answers at ${name}${why ? ` (${why.slice(0, 120)})` : ""}. Is it running? See docs/knowledge-graph.md.`,
  );

/** In connections. A run needs one or two at a time. */
const POOL_SIZE = 20;

/** True if the promise settles within two seconds. */
const endsSoon = (closing: Promise<unknown>): Promise<boolean> =>
  inTime(
    closing.catch(() => {}),
    2_000,
    () => new Error(),
  ).then(
    () => true,
    () => false,
  );

/**
 * Resolves when a server answers the Bolt handshake, with any version. The driver itself would wait for that answer
 * forever and keep the process alive.
 */
function greet(uri: string, milliseconds: number): Promise<void> {
  const { protocol, hostname, port } = new URL(uri);
  const host = hostname.replace(/^\[|\]$/g, "");
  const address = { host, port: Number(port) || 7687 };
  const isSecure = protocol.includes("+");
  // The driver, which alone sends the password, verifies the certificate.
  const socket = isSecure ? connectSecurely({ ...address, rejectUnauthorized: false }) : connect(address);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once(isSecure ? "secureConnect" : "connect", () => socket.write(GREETING));
  socket.once("data", () => resolve());
  socket.once("error", reject);
  socket.once("close", () => reject(new Error("the connection was closed")));
  const late = () => new Error(`no answer within ${Math.round(milliseconds / 1_000)} seconds`);
  return inTime(promise, milliseconds, late).finally(() => {
    socket.on("error", () => {});
    socket.destroy();
  });
}

/** The protocol's magic number, and the versions 5.0 to 5.4 and 4.4 (https://neo4j.com/docs/bolt/current/bolt/handshake/). */
const GREETING = Buffer.from("6060b017000404050000040400000000" + "00000000", "hex");

/** File tracing follows what it loads if it has this name and stands above its use. */
const require = createRequire(import.meta.url);
let loaded: typeof import("neo4j-driver") | undefined;

/** Loads Neo4j's driver at first use: it takes a fifth of a second, and most programs never need it. */
const neo4jDriver = () => {
  loaded ??= require("neo4j-driver") as typeof import("neo4j-driver");
  return loaded;
};

/**
 * Converts an error of the driver to one of emend, which says what happened and what to do. The driver's error is not
 * attached as its cause, since it may contain credentials. `name` names the server.
 */
export function asError(error: unknown, name: string): Error {
  if (!isNeo4jError(error)) return toError(error);
  const { code, message } = error;
  const known = FAULTS.find(({ is }) => is.test(code) || is.test(message));
  if (known) return new StoreUnavailableError(known.says(name, message));
  if (TOO_MUCH.test(code))
    return new CypherError(`The query took too long or too much memory, and was stopped. ${brief(message)}`, false);
  return new CypherError(brief(message), true);
}

/** True if a retry may succeed. A query that took too long or too much memory would only do so again. */
export function isWorthAnotherTry(error: unknown): boolean {
  return isNeo4jError(error) && error.retryable && !TOO_MUCH.test(error.code);
}

/** The server accepted the connection and then did not answer. */
const noAnswer = (name: string, milliseconds: number) =>
  new StoreUnavailableError(
    `Neo4j at ${name} did not answer within ${Math.round(milliseconds / 1_000)} seconds. Is it overloaded, or is something else listening there? See docs/knowledge-graph.md.`,
  );

const isNeo4jError = (error: unknown): error is Neo4jError => error instanceof neo4jDriver().Neo4jError;

const TOO_MUCH = /TransactionTimedOut|Transaction\.\w*Terminated|Memory|StackOverFlow/;

const FAULTS: readonly { is: RegExp; says: (name: string, message: string) => string }[] = [
  {
    is: /Security\.(?!Forbidden)|authentication failure/,
    says: (name, message) =>
      /RateLimit|too many times/i.test(message)
        ? `Neo4j at ${name} refuses the user for now, after too many wrong passwords. Check NEO4J_USERNAME and NEO4J_PASSWORD, and wait a few seconds.`
        : `Neo4j at ${name} refuses the user. Check NEO4J_USERNAME and NEO4J_PASSWORD.`,
  },
  { is: /DatabaseNotFound/, says: (name) => `Neo4j at ${name} has no such database. Check NEO4J_DATABASE.` },
  {
    is: /Connection acquisition timed out/,
    says: (name) =>
      `All ${POOL_SIZE} connections to Neo4j at ${name} are in use, and none became free in time. Try again, or run fewer queries at once.`,
  },
  {
    is: /responded HTTP/,
    says: (name) => `A web server answers at ${name}. Set NEO4J_URI to the Bolt port, which is 7687 by default.`,
  },
  {
    is: /ServiceUnavailable|SessionExpired|DatabaseUnavailable|ConnectionAcquisition|Pool is closed|NoThreadsAvailable|ProtocolError|Cannot begin a transaction on a closed session/,
    says: (name, message) => absent(name, /Caused by: (?:Error: )?([^\n]+)/.exec(message)?.[1]?.trim()).message,
  },
];

/** Shortens a server's message, which may repeat a long query. */
const brief = (message: string) => (message.length > 600 ? `${message.slice(0, 600)}…` : message);
