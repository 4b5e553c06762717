import { Neo4jError } from "neo4j-driver";
import { CypherError, StoreUnavailableError } from "../../errors.js";

/** A driver's error in the project's words: what happened and what to do. Holds no credentials. `name` names the server. */
export function asError(error: unknown, name: string): Error {
  if (!(error instanceof Neo4jError)) return error instanceof Error ? error : new Error(String(error));
  const { code, message } = error;
  if (/Security/.test(code))
    return new StoreUnavailableError(`Neo4j at ${name} refuses the user. Check NEO4J_USERNAME and NEO4J_PASSWORD.`);
  if (/DatabaseNotFound/.test(code))
    return new StoreUnavailableError(`Neo4j at ${name} has no such database. Check NEO4J_DATABASE.`);
  if (/ServiceUnavailable|SessionExpired|DatabaseUnavailable|ConnectionAcquisition/.test(code))
    return new StoreUnavailableError(`No Neo4j answers at ${name}. Is it running? See docs/sources.md.`);
  if (/TransactionTimedOut|TransactionTerminated|MemoryPool|OutOfMemory/.test(code))
    return new CypherError(`The query took too long or too much memory, and was given up: ${message}`, false);
  return new CypherError(message, true);
}
