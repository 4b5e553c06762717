import type { Reader } from "../types/reader.js";

/** One document that a source has: a page, a file, a mail, a row. */
export interface Listed {
  /** Names it within its source for as long as it exists, such as a path or a number. Not blank. */
  id: string;
  /**
   * Changes whenever the content does: a revision, an ETag, the time of the last change. A document of the same version
   * is not read again. Default: it is read each time, and compared by its content.
   */
  version?: string | undefined;
  title?: string | undefined;
  /** The address that opens it for a person. */
  url?: string | undefined;
  /** The time of its last change, in ISO form. */
  changedAt?: string | undefined;
  /** Who may read it. Empty: nobody. Default: the source does not say, and then nobody may where rights are demanded. */
  readers?: readonly Reader[] | undefined;
  /** What else is known of it, such as a space, an author or labels. Values are texts, numbers or lists of them. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * The content of a document: Markdown, perhaps with the offsets at which its pages or times begin, or a file of a kind that
 * emend reads, whose name tells which.
 */
export type Content =
  | { text: string; places?: readonly { start: number; name: string }[] }
  | { name: string; bytes: Uint8Array };

interface Call {
  signal: AbortSignal;
}

/**
 * A source of documents elsewhere that can say what it has before it is read. So only what is new or changed is read, what
 * is no longer listed is removed, and an interrupted run goes on where it was.
 */
export interface Connector {
  /**
   * Lists everything that the source has now, in any order, as it comes.
   * @throws an Error in one sentence that says what to do, without secrets, if any part of the list cannot be had. A list
   * that ends without an error is taken as whole: what is not in it is removed.
   */
  list(call: Call): AsyncIterable<Listed>;
  /**
   * Reads a document. Undefined if it is gone since it was listed, or has no content of its own.
   * @throws an Error in one sentence that says what to do. The document is then reported, and stays as it is stored. After
   * 20 in a row, no others are tried. A RangeError says that this one is too large, and does not count.
   */
  read(document: Listed, call: Call): Promise<Content | undefined>;
  /** True if the list holds only the newest, as a feed does: what it no longer lists is kept, not removed. */
  keepsOld?: true;
  close?(): Promise<void>;
}
