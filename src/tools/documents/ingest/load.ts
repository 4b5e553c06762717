import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import type { Passage } from "../../../types/evidence.js";
import type { SourceDocument } from "./chunk.js";
import { CHUNKING, chunk } from "./chunk.js";
import { codeOf } from "./find.js";
import { LOADING, loaderFor } from "./loaders.js";

/** A larger file is a dump or a log, not a document that answers rest on. */
export const LARGEST_FILE = 20 * 1024 * 1024;

/**
 * Reads one file.
 * @param known the hash it had when it was last read.
 * @returns undefined when the file still has that hash.
 * @throws Error whose message says why the file cannot be read.
 */
export async function load(path: string, documentId: string, known?: string): Promise<SourceDocument | undefined> {
  const loader = loaderFor(path);
  if (!loader) throw new Error("This kind of file is not read.");
  const bytes = await bytesOf(path);
  const hash = createHash("sha256").update(`${LOADING}.${CHUNKING}\n`).update(bytes).digest("hex");
  if (hash === known) return undefined;
  const { title, ...content } = await loader(bytes);
  const name =
    documentId
      .split("/")
      .at(-1)
      ?.replace(/\.[^.]+$/, "") ?? documentId;
  return { documentId, uri: documentId, title: title.slice(0, 200) || name, ...content, hash };
}

/** As `load`, cut into passages. */
export async function loadPassages(path: string, documentId: string, known?: string): Promise<Passage[] | undefined> {
  const document = await load(path, documentId, known);
  return document && chunk(document);
}

async function bytesOf(path: string): Promise<Uint8Array> {
  try {
    const { size } = await stat(path);
    if (size <= LARGEST_FILE) return await readFile(path);
  } catch (error) {
    throw new Error(`Cannot be opened (${codeOf(error)}).`, { cause: error });
  }
  throw new Error(`Larger than ${LARGEST_FILE / 1024 / 1024} MB. Split it, or leave it out.`);
}
