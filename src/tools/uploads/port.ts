import { z } from "zod";
import { Filter } from "../../types/filter.js";
import { Metadata } from "../../types/metadata.js";

export const UploadState = z.enum(["waiting", "reading", "ready", "failed"]);
export type UploadState = z.infer<typeof UploadState>;

/** A file that a client sent, and what became of it. */
export const Upload = z.object({
  documentId: z.string(),
  /** What the client calls the file, without a folder. */
  name: z.string(),
  /** What the file is called on this server's disk; no other upload has it. */
  file: z.string(),
  bytes: z.number().int().min(0),
  /** The SHA-256 of the file's content. */
  digest: z.string(),
  /** What its document states in place of what the file states under the same keys. */
  metadata: Metadata,
  /** What its document has to meet: the scope of the client that sent it. */
  scope: Filter.readonly(),
  /** The ISO time of its arrival. */
  at: z.string(),
  /** "ready" as soon as questions find its document. */
  state: UploadState,
  /** Why it failed; empty in any other state. */
  reason: z.string(),
});
export type Upload = z.infer<typeof Upload>;

/** A document of the store, or a file that is to become one. */
export const Listed = z.object({
  id: z.string(),
  title: z.string().describe("The title of the document; the name of a file that has not been read."),
  state: UploadState,
  reason: z.string().describe("Why it failed; else empty."),
  passages: z
    .number()
    .describe("How many passages questions find; those of an earlier version count until a new one is read."),
  uploaded: z.boolean().describe("True if a client sent it, so that a client can delete it."),
  bytes: z.number().optional().describe("The size of the file, for uploads."),
  at: z.string().optional().describe("The ISO time of its arrival, for uploads."),
  original: z.boolean().describe("True if the file that was sent can be opened."),
});
export type Listed = z.infer<typeof Listed>;

/** An upload that has not been read, and the server that has its file. */
export interface Unread extends Upload {
  owner: string;
  /** Milliseconds since 1970. If the owner does not renew it, it no longer runs. */
  ownedUntil: number;
}

/**
 * The uploads of a store, by their documents. Several servers can share them; each file is on the disk of one. Every
 * method throws StoreUnavailableError if the store cannot be read or written.
 */
export interface Uploads {
  /**
   * Adds an upload that waits, or replaces the one of its document whose file is `replaced`.
   * @returns false if the document has another upload; nothing is changed then.
   */
  add(upload: Upload, owner: string, until: number, replaced?: string): Promise<boolean>;
  /** Returns the uploads of these documents, in any order. */
  get(documentIds: readonly string[]): Promise<Upload[]>;
  /** Returns the uploads in these states, in order of arrival. */
  list(states: readonly UploadState[]): Promise<Unread[]>;
  /** Makes `owner` the one who reads an upload. Returns false if another server did so first, or if it is gone. */
  claim(upload: Unread, owner: string, until: number): Promise<boolean>;
  /** Extends the time of everything unread that a server owns. */
  renew(owner: string, until: number): Promise<void>;
  /** Sets the state of an upload. Returns false if it is gone or was replaced, or is no longer in the state `from`. */
  settle(upload: Upload, from: UploadState, to: UploadState, reason?: string): Promise<boolean>;
  /** Forgets an upload. Does nothing if it is gone or was replaced. */
  remove(upload: Upload): Promise<void>;
}
