import { z } from "zod";
import { aFunction, check, exactly } from "../../options.js";
import type { Database, OpenOptions } from "./port.js";
import { postgresDatabase } from "./postgres.js";
import { isDatabase } from "./settings.js";
import { sqliteDatabase } from "./sqlite.js";

const Given = exactly({ place: z.string().min(1), onWait: aFunction.optional() });

/**
 * Returns a store for documents, facts and conversations: a SQLite file in a folder, or a Postgres database at an
 * address such as `postgres://user:password@host:5432/database`. It is opened on first use.
 */
export function openDatabase(place: string, options: OpenOptions = {}): Database {
  check(Given, { ...options, place });
  return isDatabase(place) ? postgresDatabase(place, options) : sqliteDatabase(place, options);
}
