import type { Passage } from "../../types/evidence.js";

export interface DocumentQuery {
  text: string;
  /** "hybrid" (the default) weighs full text and vectors together; without embeddings every mode is "fullText". */
  mode?: "fullText" | "vector" | "hybrid";
  /** Passages that must not come back. */
  exclude?: readonly string[];
}

export type ScoredPassage = Passage & { score: number };

/** A place that keeps passages and finds them again. */
export interface Documents {
  /**
   * Stores documents whole: every document named by a passage afterwards has exactly the passages given here.
   * Either all of them are visible afterwards or none. Safe while others search.
   * @throws StoreUnavailableError when the store cannot be reached or written.
   * @throws EndpointError when the passages cannot be embedded.
   * @throws UsageError when the store was made with other embeddings.
   */
  upsert(passages: readonly Passage[], options?: { signal?: AbortSignal }): Promise<void>;

  /** Removes every passage of these documents; unknown ids are ignored. Returns how many passages went. */
  remove(documentIds: readonly string[], options?: { signal?: AbortSignal }): Promise<number>;

  /**
   * The best passages for a query, best first; at most `limit` (1 to 200). A query without words finds nothing.
   * `score` is comparable within one result only.
   * @throws StoreUnavailableError when the store cannot be reached.
   * @throws EndpointError when the query cannot be embedded; mode "fullText" needs no embedding.
   * @throws UsageError when the store was made with other embeddings.
   */
  search(query: DocumentQuery, limit: number, options?: { signal?: AbortSignal }): Promise<ScoredPassage[]>;

  /** The passages with these ids, in that order; unknown ids are left out. */
  get(ids: readonly string[]): Promise<Passage[]>;

  /** The passages beside this one in its document, at most `distance` (default 1) away, in order, without itself. */
  neighbours(id: string, distance?: number): Promise<Passage[]>;

  /** Every stored document with the hash it was stored under. */
  list(): Promise<{ documentId: string; hash: string; passages: number }[]>;

  /**
   * Finishes what a writer that was killed left undone, as taking passages into the index; where nothing is left, does
   * nothing. Without it everything is found, only more slowly. Ingesting ends with it.
   */
  tidy?(): Promise<void>;

  close(): Promise<void>;
}
