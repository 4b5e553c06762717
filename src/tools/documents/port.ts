import type { Passage } from "../../types/evidence.js";

export interface DocumentQuery {
  text: string;
  /** "hybrid" (the default) weighs full text and vectors together; where there is no vector, every mode is "fullText". */
  mode?: "fullText" | "vector" | "hybrid";
  /** Passages that must not come back. */
  exclude?: readonly string[];
}

export type ScoredPassage = Passage & { score: number };

/** A place that keeps passages and finds them again. */
export interface Documents {
  /**
   * Stores documents whole: every document named by a passage afterwards has exactly the passages given here.
   * Either all of them are visible afterwards or none. Safe while others search. They are found by words at once, and by
   * meaning after `embed`; a passage whose text its document had before keeps its vector.
   * @throws StoreUnavailableError when the store cannot be reached or written.
   */
  upsert(passages: readonly Passage[], options?: { signal?: AbortSignal }): Promise<void>;

  /**
   * Gives a vector to every passage that has none of the model at hand; vectors of another model go. Written in small
   * batches, each there to stay: stopped or killed half-way, the next call goes on from there. Does nothing where no
   * model is set.
   * @throws StoreUnavailableError as `upsert`; what the model throws when it fails, such as EndpointError.
   */
  embed?(options?: EmbedOptions): Promise<void>;

  /** Removes every passage of these documents; unknown ids are ignored. Returns how many passages went. */
  remove(documentIds: readonly string[], options?: { signal?: AbortSignal }): Promise<number>;

  /**
   * The best passages for a query, best first; at most `limit` (1 to 200). A query without words finds nothing.
   * `score` is 0 to 1 but in mode "fullText", where it is comparable within one result only.
   * @throws StoreUnavailableError when the store cannot be reached.
   * @throws EndpointError, UsageError when the query cannot be embedded; mode "fullText" needs no embedding.
   */
  search(query: DocumentQuery, limit: number, options?: { signal?: AbortSignal }): Promise<ScoredPassage[]>;

  /** The passages with these ids, in that order; unknown ids are left out. */
  get(ids: readonly string[]): Promise<Passage[]>;

  /** The passages beside this one in its document, at most `distance` (default 1) away, in order, without itself. */
  neighbours(id: string, distance?: number): Promise<Passage[]>;

  /** Whether nothing is stored. Where that cannot be told, it is not. */
  isEmpty(): Promise<boolean>;

  /** Every stored document with the hash it was stored under. */
  list(): Promise<{ documentId: string; hash: string; passages: number }[]>;

  /**
   * Finishes what a writer that was killed left undone, as taking passages into the index; where nothing is left, does
   * nothing. Without it everything is found, only more slowly. Ingesting ends with it.
   */
  tidy?(): Promise<void>;

  close(): Promise<void>;
}

export interface EmbedOptions {
  signal?: AbortSignal | undefined;
  /** Called before each batch and at the end: how many passages have their vector, of how many that had none. */
  onProgress?: ((done: number, total: number) => void) | undefined;
}
