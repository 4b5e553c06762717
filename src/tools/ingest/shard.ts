import { createHash } from "node:crypto";

/** One of several parts of the same documents, each of which another process ingests. */
export interface Shard {
  /** From 1 to `of`. */
  number: number;
  of: number;
}

/** True if the document belongs to the shard: to the same one on every machine and in every run. */
export const isInShard = (documentId: string, { number, of }: Shard) =>
  createHash("sha256").update(documentId).digest().readUInt32BE() % of === number - 1;
