import type { Neo4jError } from "neo4j-driver";
import { CypherError, StoreUnavailableError, toError } from "../../errors.js";
import { absent, neo4jDriver, POOL_SIZE } from "./driver.js";

/**
 * Converts a driver's error to one of emend's, which says what happened and what to do. The driver's error may hold
 * credentials, so it is not the cause. `name` names the server.
 */
export function asError(error: unknown, name: string): Error {
  if (!isNeo4jError(error)) return toError(error);
  const { code, message } = error;
  const known = FAULTS.find(({ is }) => is.test(code) || is.test(message));
  if (known) return new StoreUnavailableError(known.says(name, message));
  if (TOO_MUCH.test(code))
    return new CypherError(`The query took too long or too much memory, and was given up. ${brief(message)}`, false);
  return new CypherError(brief(message), true);
}

/** True if a retry may succeed. A timeout or too much memory would only happen again, at twice the cost. */
export function isWorthAnotherTry(error: unknown): boolean {
  return isNeo4jError(error) && error.retryable && !TOO_MUCH.test(error.code);
}

/** The server accepted the connection and then did not answer. */
export const noAnswer = (name: string, milliseconds: number) =>
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
      `All ${POOL_SIZE} connections to Neo4j at ${name} are in use, and none came free in time. Try again, or ask less at once.`,
  },
  {
    is: /responded HTTP/,
    says: (name) => `At ${name} a web server answers. Set NEO4J_URI to the Bolt port, which is 7687 by default.`,
  },
  {
    is: /ServiceUnavailable|SessionExpired|DatabaseUnavailable|ConnectionAcquisition|Pool is closed|NoThreadsAvailable|ProtocolError|Cannot begin a transaction on a closed session/,
    says: (name, message) => absent(name, /Caused by: (?:Error: )?([^\n]+)/.exec(message)?.[1]?.trim()).message,
  },
];

/** A server's message may repeat a long query. */
const brief = (message: string) => (message.length > 600 ? `${message.slice(0, 600)}…` : message);
