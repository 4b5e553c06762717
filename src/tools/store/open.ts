import { isDatabase } from "../../config.js";
import type { Database, OpenOptions } from "./port.js";
import { sqliteDatabase } from "./sqlite.js";

/**
 * Opens a store for documents, facts and conversations: a SQLite file in a folder. Nothing is opened before its first use.
 */
export function openDatabase(place: string, options: OpenOptions = {}): Database {
  if (isDatabase(place)) throw new Error("not yet");
  return sqliteDatabase(place, options);
}
