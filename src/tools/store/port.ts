import { part } from "../../options.js";
import type { Language } from "../../types/language.js";

/** A value as a database stores it. Lists are only allowed as parameters of `isOneOf`. */
export type Value = string | number | null | Uint8Array | readonly string[] | readonly number[];
export type Row = Record<string, unknown>;

/**
 * A statement in SQL that both engines understand. Tables are in the schema `emend`; parameters are $1, $2 and so on.
 */
export interface SqlQuery {
  sql: string;
  values?: readonly Value[];
}

/**
 * A search for the passages whose vectors are nearest to a question. The statement selects from the table
 * `nearest(n, cosine)`, best first, where `n` is the number of a passage.
 */
export interface NearestQuery extends SqlQuery {
  nearest: {
    /** `n` of the model. */
    model: number;
    vector: readonly number[];
    /** The most passages of each language. */
    limit: number;
    /** Selects the `n` in `stated` that passages must have; absent for all passages. */
    among?: SqlQuery | undefined;
  };
}

/** The statements of one transaction. */
export interface Writing {
  all(sql: string, values?: readonly Value[]): Promise<Row[]>;
  /**
   * Inserts rows that all have the same columns.
   * @param conflict the clause that follows, such as `ON CONFLICT DO NOTHING`.
   */
  insert(table: string, rows: readonly Record<string, Value>[], conflict?: string): Promise<void>;
  /** Takes a lock until the transaction ends. Waits for other transactions that hold it. */
  lock(name: string): Promise<void>;
}

/** A term to search for, and its weight in the score. */
export interface WeightedTerm {
  term: string;
  weight: number;
}

/** The SQL and the stored values that differ between the engines. */
export interface Dialect {
  /** A condition: the column has one of the values of a list parameter. */
  isOneOf(column: string, parameter: string): string;
  /**
   * A query for the `n` of the rows of a table that match these terms best, best first. Its parameters follow those of
   * `where`.
   */
  matching(options: {
    table: "passages" | "entities" | "tables";
    terms: readonly WeightedTerm[];
    limit: number;
    /** A condition on the table's row `t`. */
    where?: SqlQuery | undefined;
    /** The mean number of terms of a row. */
    usualLength?: number;
  }): SqlQuery & { values: readonly Value[] };
  /** The `conflict` clause that adds inserted counts of terms to the stored ones. */
  addingUp: string;
  /** The clause that protects selected rows from deletion until the transaction ends; empty if there is one writer. */
  keeping: string;
  /** An expression for the cosine of a stored vector and a parameter from `question`. */
  cosine(column: string, parameter: string): string;
  question(vector: readonly number[]): Value;
  /** A vector as it is stored. */
  stored(vector: readonly number[]): Value;
  read(stored: unknown): number[];
}

/**
 * A store: one database with documents, facts and conversations, in a folder or at an address. It is opened on first
 * use, and again if used after `close`. Every method throws StoreUnavailableError if the store cannot be reached, is
 * damaged or is held by another writer for too long.
 */
export interface Database {
  /** The folder or the address, without its password. */
  name: string;
  dialect: Dialect;
  /**
   * Runs queries on one snapshot of the store, off the event loop. A store that does not exist yet has no rows.
   * @throws the signal's reason if aborted.
   */
  read(queries: readonly (SqlQuery | NearestQuery)[], options?: { signal?: AbortSignal | undefined }): Promise<Row[][]>;
  /**
   * Runs a transaction: it becomes visible all at once or, if it throws, not at all. Creates the store if there is
   * none. Within `together`, it joins the surrounding transaction.
   */
  write<T>(work: (to: Writing) => Promise<T>, options?: { signal?: AbortSignal | undefined }): Promise<T>;
  /** Puts all writes of this work into one transaction, which begins with the first write. */
  together<T>(work: () => Promise<T>): Promise<T>;
  exists(): Promise<boolean>;
  /** Does maintenance that saves space or time. */
  tidy(): Promise<void>;
  /** Returns descriptions of damage, in the engine's words; empty if there is none. */
  check(): Promise<string[]>;
  /**
   * Copies the store to a new file while others write.
   * @throws UsageError if the file exists, if there is no store, or if the engine has its own tools for this.
   */
  backup(file: string): Promise<void>;
  close(): Promise<void>;
}

export interface OpenOptions {
  /**
   * Called with a message when a write has waited more than a second for another process: in SQLite for any other
   * writer, in Postgres for one that writes the same document or conversation, or facts too.
   */
  onWait?: ((message: string) => void) | undefined;
}

export const aDatabase = part<Database>("read", "write", "close");

/** All languages. Vectors in memory store the index in this list as a byte. */
export const LANGUAGES: readonly Language[] = ["en", "zh", "other"];

/** Raise it when the tables change. A store of another version is refused. */
export const STORE_VERSION = 12;
