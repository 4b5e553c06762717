import { createHash } from "node:crypto";
import { posix } from "node:path";
import type { Passage, SourceDocument } from "../../types/evidence.js";
import { chunk } from "../documents/chunk.js";
import { contentOf } from "../formats/registry.js";
import { bytesOf } from "./bytes.js";

/** Hashes a document's content together with the version of the code that reads and cuts it. */
export const hashOf = (content: string | Uint8Array) =>
  createHash("sha256").update(`${VERSION}\n`).update(content).digest("hex");

/**
 * Raise it if files are read or cut differently, indexed by other terms, or yield other facts: all documents are then
 * written again.
 */
const VERSION = "2.9";

/**
 * Reads a file.
 * @param known the file's hash when it was last read.
 * @returns undefined if the hash is unchanged.
 * @throws Error with a message for the user if the file cannot be read.
 */
export async function load(path: string, documentId: string, known?: string): Promise<SourceDocument | undefined> {
  const bytes = await bytesOf(path);
  const hash = hashOf(bytes);
  if (hash === known) return undefined;
  const { title, ...content } = await contentOf(bytes, path);
  return { documentId, uri: documentId, title: title.slice(0, 200) || posix.parse(documentId).name, ...content, hash };
}

/** Reads a file as `load` does and cuts it into passages. */
export async function loadPassages(path: string, documentId: string, known?: string): Promise<Passage[] | undefined> {
  const document = await load(path, documentId, known);
  return document && chunk(document);
}
