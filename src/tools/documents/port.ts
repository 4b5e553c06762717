import type { Passage } from "../../types/evidence.js";
import type { Filter } from "../../types/filter.js";
import type { Language } from "../../types/language.js";
import type { Metadata } from "../../types/metadata.js";
import type { PackedTable } from "../../types/table.js";

export interface DocumentQuery {
  text: string;
  /** "hybrid" (the default) combines full text and vectors. Without vectors, every mode is "fullText". */
  mode?: "fullText" | "vector" | "hybrid";
  /** Ids of passages to leave out. */
  exclude?: readonly string[];
  /** Only passages that meet these conditions. The best of these are found, even if they are rare. */
  filter?: Filter;
}

/** What a document states about itself. */
export type DocumentHead = Pick<Passage, "documentId" | "title" | "metadata">;

export type ScoredPassage = Passage & { score: number };

/** What a store holds, in numbers. */
export interface StoreDescription {
  /** Passages by language. */
  languages: Record<Language, number>;
  /** Tables that can be queried; absent if the store does not keep any. */
  tables?: number;
  /** Passages with a vector of the current model; 0 without a model. */
  embedded: number;
  /** Passages with a vector of another model. No search uses these vectors. */
  embeddedByOthers: number;
  /** The ISO time of the last write; empty if unknown. */
  writtenAt: string;
}

/** Returns how many passages have no vector of the current model; all of them without a model. */
export const unembeddedIn = (described: StoreDescription | undefined): number =>
  described ? Object.values(described.languages).reduce((sum, passages) => sum + passages, 0) - described.embedded : 0;

/** Other metadata for a whole document. */
export interface Restatement {
  documentId: string;
  /** The hash that it is stored under from now on. */
  hash: string;
  /** Replaces the values of these keys; an empty value removes its key. All others stay. */
  metadata: Metadata;
}

/** A store of passages that can be searched. */
export interface Documents {
  /**
   * Replaces whole documents: afterwards, each document named by a passage has exactly the passages given here. The
   * change becomes visible all at once or not at all, and is safe while others search. Full-text search finds the
   * passages immediately, vector search after `embed`. A passage keeps its vector if its document contained the same
   * text before. In a store that also has facts, those of passages that are gone are removed, and the others stay.
   * @param options.tables the tables of these documents, which replace those they had. Default: they have none. A store that
   * does not keep tables ignores them.
   * @param options.embed embeds the passages before they are written, if the store can, so that `embed` has nothing
   * left to do. Default false.
   * @throws StoreUnavailableError if the store cannot be reached or written; with `embed`, also any error of the model.
   */
  upsert(
    passages: readonly Passage[],
    options?: { signal?: AbortSignal; embed?: boolean; tables?: readonly PackedTable[] },
  ): Promise<void>;

  /**
   * Replaces metadata of whole documents, in all their passages and tables, without a change to their texts and vectors.
   * The change becomes visible all at once or not at all. Ignores unknown ids. In a store that also has facts, those of
   * the passages get the same metadata.
   * @throws StoreUnavailableError as `upsert` does.
   */
  restate?(changes: readonly Restatement[], options?: { signal?: AbortSignal }): Promise<void>;

  /**
   * Embeds all passages that have no vector of the current model, and deletes vectors of other models. Writes small
   * durable batches: after an interruption, the next call continues. When it ends, every passage that others had written by
   * then has a vector. Does nothing without a model.
   * @throws StoreUnavailableError as `upsert` does, or if the model gives too few vectors; any error of the model, such as EndpointError.
   */
  embed?(options?: {
    signal?: AbortSignal | undefined;
    /** Called before each batch and at the end, with the number of passages embedded so far and in all. */
    onProgress?: ((done: number, total: number) => void) | undefined;
  }): Promise<void>;

  /**
   * Removes all passages of these documents with their vectors and tables and returns how many. Ignores unknown ids. In a store that
   * also has facts, everything stored about these documents goes at the same time, except the facts of loaded files; if
   * the facts are elsewhere, `removeDocuments` removes both.
   */
  remove(documentIds: readonly string[], options?: { signal?: AbortSignal }): Promise<number>;

  /**
   * Returns the best passages for a query, best first, at most `limit` (1 to 200). A query without words finds nothing.
   * `score` is 0 to 1, except in mode "fullText", where it is comparable within one result only.
   * @throws StoreUnavailableError if the store cannot be reached.
   * @throws EndpointError, UsageError if the query cannot be embedded; mode "fullText" needs no embedding.
   */
  search(query: DocumentQuery, limit: number, options?: { signal?: AbortSignal }): Promise<ScoredPassage[]>;

  /** Returns the passages with these ids that meet the filter, in this order. Leaves out unknown ids. */
  get(ids: readonly string[], options?: { filter?: Filter }): Promise<Passage[]>;

  /**
   * Returns the passages up to `distance` (default 1) before and after this one in its document that meet the filter, in
   * order.
   */
  neighbours(id: string, distance?: number, options?: { filter?: Filter }): Promise<Passage[]>;

  /**
   * Returns the passages that have these exact words in their text, title or headings, whatever their case, in order of
   * documents and positions; at most `limit` (1 to 200). `*` stands for any characters, and `|` stands between
   * alternatives. Stores without it are searched instead.
   * @throws StoreUnavailableError as `search` does.
   */
  find?(words: string, limit: number, options?: { filter?: Filter; signal?: AbortSignal }): Promise<Passage[]>;

  /** Returns all passages of a document that meet the filter, in order; none for an unknown id. */
  open?(documentId: string, options?: { filter?: Filter; signal?: AbortSignal }): Promise<Passage[]>;

  /** Returns the first passages of documents, in order of their ids; at most `limit` (1 to 1,000). */
  contents?(limit: number, options?: { filter?: Filter; signal?: AbortSignal }): Promise<Passage[]>;

  /** Returns those of these ids whose passage has a vector of the current model, in this order. None without a model. */
  embedded?(ids: readonly string[]): Promise<string[]>;

  /** True if nothing is stored. False if that cannot be determined. */
  isEmpty(): Promise<boolean>;

  /** Lists the stored documents with the hash they were stored under. */
  list(): Promise<{ documentId: string; hash: string; passages: number }[]>;

  /**
   * Returns at least the documents that may be valid only for a time: those that state `valid_from`, `valid_until` or
   * `supersedes`, those that they supersede, and those with a version or a date in their names. In stores without this
   * method, only the documents that a search finds are compared with each other.
   */
  heads?(): Promise<readonly DocumentHead[]>;

  /**
   * Returns the ids of the documents with a passage, a vector or a table that does not match its checksum, such as after a
   * flipped bit. Searches leave those passages and tables out, and do not compare those vectors. Reads the whole store.
   */
  damaged?(options?: { signal?: AbortSignal | undefined }): Promise<string[]>;

  /** Counts what is stored. */
  describe?(): Promise<StoreDescription>;

  /**
   * Finishes maintenance that a killed writer left undone, such as indexing. Searches find the same without it, but
   * more slowly. Ingestion calls it at its end.
   */
  tidy?(): Promise<void>;

  /**
   * Puts everything that this work writes to the database, facts included, into one transaction: it becomes visible all
   * at once or, if the work fails, not at all.
   */
  together?<T>(work: () => Promise<T>): Promise<T>;

  close(): Promise<void>;
}
