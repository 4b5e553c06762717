import type { Filter } from "../../types/filter.js";
import type { Computed, Table, TableHead } from "../../types/table.js";

/** The tables of the documents, which can be queried. */
export interface Tables {
  /**
   * Returns the tables that fit a question best by their names, headings, columns and cells, best first; at most `limit`.
   * @param options.near ids of documents that a search found, best first: their tables come before others that fit as well,
   * and are found whatever their words.
   * @throws StoreUnavailableError if the store cannot be reached.
   */
  search(
    question: string,
    limit: number,
    options?: { near?: readonly string[]; filter?: Filter; signal?: AbortSignal },
  ): Promise<TableHead[]>;

  /** Returns the heads of the tables with these ids that meet the filter, in this order. Leaves out unknown ids. */
  heads(ids: readonly string[], options?: { filter?: Filter; signal?: AbortSignal }): Promise<TableHead[]>;

  /** The same with their rows. */
  get(ids: readonly string[], options?: { filter?: Filter; signal?: AbortSignal }): Promise<Table[]>;

  /**
   * Runs one SELECT of SQLite on copies of these tables and nothing else, under the names and columns of `namedTables` for
   * these ids in this order.
   * @throws TableQueryError if one of these tables is unknown or does not meet the filter, or if the query is refused, fails,
   * or takes too long.
   * @throws StoreUnavailableError if the store cannot be reached.
   */
  query(sql: string, ids: readonly string[], options?: { filter?: Filter; signal?: AbortSignal }): Promise<Computed>;
}
