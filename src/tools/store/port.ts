import type { Language } from "../../types/evidence.js";

/** A value as a database keeps it. A list is a parameter of `isOneOf` alone. */
export type Value = string | number | null | Uint8Array | readonly string[] | readonly number[];
export type Row = Record<string, unknown>;

/** A statement in the SQL that both engines have. Tables are in the schema `emend`, parameters are $1, $2 and so on. */
export interface SqlQuery {
  sql: string;
  values?: readonly Value[];
}

/**
 * A search for the passages whose vectors are nearest to a question. The statement selects from the table
 * `nearest(n, cosine)`, best first, where `n` is that of a passage.
 */
export interface NearestQuery extends SqlQuery {
  nearest: {
    /** `n` of the model. */
    model: number;
    vector: readonly number[];
    /** The most passages of each language. */
    limit: number;
    /** Selects the `n` in `stated` that passages must have; absent if all will do. */
    among?: SqlQuery | undefined;
  };
}

/** The statements of one transaction. */
export interface Writing {
  all(sql: string, values?: readonly Value[]): Promise<Row[]>;
  /**
   * Inserts rows that all have the same columns.
   * @param conflict what follows, such as `ON CONFLICT DO NOTHING`.
   */
  insert(table: string, rows: readonly Record<string, Value>[], conflict?: string): Promise<void>;
  /** Waits for other transactions that asked for the same lock; ends with the transaction. */
  lock(name: string): Promise<void>;
}

/** A term to search for, and what it is worth. */
export interface WeightedTerm {
  term: string;
  weight: number;
}

/** What the engines write differently. */
export interface Dialect {
  /** True if a column has one of the values of a list. */
  isOneOf(column: string, parameter: string): string;
  /**
   * A query for the `n` of the rows of a table with the most of these terms, best first.
   * @param values the parameters of `where`; further ones are added.
   */
  matching(options: {
    table: "passages" | "entities";
    terms: readonly WeightedTerm[];
    limit: number;
    /** A condition on the table's row `t`. */
    where?: SqlQuery | undefined;
    /** The mean number of terms of a row. */
    usualLength?: number;
  }): SqlQuery & { values: readonly Value[] };
  /** The clause with which inserted counts of terms are added to those stored. */
  addingUp: string;
  /** What keeps selected rows from being deleted until the transaction ends, where others could. */
  keeping: string;
  /** The cosine of a stored vector and the parameter that `question` made. */
  cosine(column: string, parameter: string): string;
  question(vector: readonly number[]): Value;
  /** A vector as it is stored. */
  stored(vector: readonly number[]): Value;
  read(stored: unknown): number[];
}

/**
 * A store: one database with documents, facts and conversations, in a folder or behind an address. Opens nothing before its
 * first use; a use after `close` opens it again. Every method throws StoreUnavailableError if the store cannot be reached,
 * is damaged or is held by another writer for too long.
 */
export interface Database {
  /** The folder or the address, without its password. */
  name: string;
  dialect: Dialect;
  /**
   * Runs queries on one state of the store, off the event loop. A store that does not exist yet has no rows.
   * @throws the signal's reason if aborted.
   */
  read(queries: readonly (SqlQuery | NearestQuery)[], options?: { signal?: AbortSignal | undefined }): Promise<Row[][]>;
  /**
   * Runs a transaction: all of it becomes visible at once, or, if it throws, nothing. Creates the store if there is none.
   * Within `together` it joins the others.
   */
  write<T>(work: (to: Writing) => Promise<T>, options?: { signal?: AbortSignal | undefined }): Promise<T>;
  /** Makes one transaction of all that is written by this work. It begins with the first write. */
  together<T>(work: () => Promise<T>): Promise<T>;
  exists(): Promise<boolean>;
  /** Does maintenance that saves space or time. */
  tidy(): Promise<void>;
  /** Returns what is damaged, in the engine's words; nothing if all is well. */
  check(): Promise<string[]>;
  /** Copies the store into a new file while others write. @throws UsageError if that is not how it is done. */
  backup(file: string): Promise<void>;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Called with a message when a write has waited a second for another process. */
  onWait?: ((message: string) => void) | undefined;
}

/** Languages as a byte, for the vectors in memory. */
export const LANGUAGES: readonly Language[] = ["en", "zh", "other"];

/** Raise it when the tables change: a store of another version is refused. */
export const STORE_VERSION = 3;
