import type { Connection, Index, Table } from "@lancedb/lancedb";
import { type Field, Schema } from "apache-arrow";
import { StoreUnavailableError } from "../../../errors.js";
import type { Waiting } from "./write-lock.js";

/** A table with its columns and indexes. */
export interface TableKind {
  name: string;
  /** Changed when stored values change their meaning. */
  format: string;
  /** Tells users what to do about a table that cannot be read. */
  startAgain: string;
  fields(): Field[];
  /** Every index by its column. An `Index` can be used once, so each is made anew. */
  indexes: Readonly<Record<string, () => Index>>;
}

/** Where a table is: in a folder or on object storage. */
export interface TablePlace {
  /**
   * Returns the identity of the table, which changes when the place is emptied and filled again; undefined where there is
   * no table. Creates nothing.
   * @param known the identity of the table that is open.
   * @throws StoreUnavailableError if that cannot be told, or where something else is in its place.
   */
  there(known: string | undefined): Promise<string | undefined>;

  open(): Promise<{ connection: Connection; live: Table }>;

  /** Makes the table so that no reader sees it without its indexes. Call it only with the lock. */
  make(): Promise<void>;

  /**
   * Takes the exclusive lock for writing, across processes, and removes what killed writers left behind.
   * @returns a function that releases the lock.
   * @throws StoreUnavailableError when another process keeps it too long or the place cannot be written; the signal's reason
   * when it aborts.
   */
  lock(waiting: Waiting): Promise<() => Promise<void>>;

  /** The errors for users, which say what to do. */
  unreadable(cause: unknown): StoreUnavailableError;
  unwritable(cause: unknown): StoreUnavailableError;
}

/** @throws StoreUnavailableError if the table was written by another version. */
export async function checkedFormat(live: Table, { format, startAgain }: TableKind, name: string): Promise<Table> {
  if ((await live.schema()).metadata.get(FORMAT) === format) return live;
  throw new StoreUnavailableError(`The store in ${name} was written by another version. ${startAgain}`);
}

export const emptyTable = (connection: Connection, { name, fields, format }: TableKind) =>
  connection.createEmptyTable(name, new Schema(fields(), new Map([[FORMAT, format]])));

/** Returns the columns that should have an index and have none. */
export async function unindexed(table: Table, { indexes }: TableKind): Promise<string[]> {
  const there = new Set((await table.listIndices()).flatMap(({ columns }) => columns));
  return Object.keys(indexes).filter((column) => !there.has(column));
}

/** Makes the indexes that the table lacks. */
export async function addIndexes(table: Table, kind: TableKind): Promise<void> {
  for (const column of await unindexed(table, kind)) {
    const config = kind.indexes[column]?.();
    if (config) await table.createIndex(column, { config });
  }
}

/** Cuts LanceDB's messages, which go on with places in its own source. */
export const reasonOf = (cause: unknown) =>
  (cause instanceof Error ? cause.message : String(cause)).split(/\n|, \/|\s{2}/)[0]?.slice(0, 200) ?? "";

const FORMAT = "emend.format";
