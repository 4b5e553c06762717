import type { Database, OpenOptions } from "./port.js";
import { postgresDatabase } from "./postgres.js";
import { isDatabase } from "./settings.js";
import { sqliteDatabase } from "./sqlite.js";

/**
 * Opens a store for documents, facts and conversations: a SQLite file in a folder, or a Postgres database behind an address such
 * as `postgres://user:password@host:5432/database`. Nothing is opened before its first use.
 */
export function openDatabase(place: string, options: OpenOptions = {}): Database {
  return isDatabase(place) ? postgresDatabase(place) : sqliteDatabase(place, options);
}
