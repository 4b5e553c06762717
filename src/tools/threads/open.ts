import { isDatabase } from "../../config.js";
import type { Threads, ThreadsOptions } from "./port.js";
import { sqliteThreads } from "./sqlite.js";

/**
 * Opens conversations: those in a Postgres database if an address such as `postgres://user:password@host:5432/database` is
 * given, else those in a SQLite file. The client of Postgres is loaded only if it is needed.
 * @throws StoreUnavailableError if the database cannot be reached or its tables cannot be made. A file is opened on first
 *   use.
 */
export async function openThreads(where: string, options: ThreadsOptions = {}): Promise<Threads> {
  if (!isDatabase(where)) return sqliteThreads(where, options);
  const { postgresThreads } = await import("./postgres.js");
  return postgresThreads(where, options);
}
