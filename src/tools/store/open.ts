import type { Database, OpenOptions } from "./port.js";
import { postgresDatabase } from "./postgres.js";
import { isDatabase } from "./settings.js";
import { sqliteDatabase } from "./sqlite.js";

/**
 * Returns a store for documents, facts and conversations: a SQLite file in a folder, or a Postgres database at an
 * address such as `postgres://user:password@host:5432/database`. It is opened on first use.
 */
export function openDatabase(place: string, options: OpenOptions = {}): Database {
  return isDatabase(place) ? postgresDatabase(place, options) : sqliteDatabase(place, options);
}
