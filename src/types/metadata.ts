import { z } from "zod";

/**
 * What a document states about itself, such as its author or department. Keys are in lower case, with `_` between
 * words. The values of a list are on separate lines.
 */
export const Metadata = z.record(z.string(), z.string());
export type Metadata = z.infer<typeof Metadata>;

/** The key under which a document has the name of the collection that it belongs to. */
export const COLLECTION = "collection";

/** The key under which a document has those who may read it: `everyone`, `user:NAME`, `group:NAME`. */
export const READERS = "readers";

/** Returns metadata without who else may read the document, which is not for those who may. */
export function withoutReaders(metadata: Metadata): Metadata {
  const { [READERS]: _, ...rest } = metadata;
  return rest;
}

const LONGEST_KEY = 60;

/**
 * Returns a key as it is stored: in lower case, with `_` between words, so that `validFrom`, `Valid-From` and `valid
 * from` are the same. Empty if it is not a valid name.
 */
export function metadataKey(written: string): string {
  if (written.length > LONGEST_KEY) return "";
  const words = written
    .normalize("NFKC")
    .trim()
    .replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, "_");
  const key = words.toLowerCase().replace(/[\s_-]+/g, "_");
  return /^\p{L}[\p{L}\p{M}\p{N}_]*$/u.test(key) ? key : "";
}

/** Returns the values of a key: several if the document states a list, none if it does not state the key. */
export const valuesOf = (metadata: Metadata | undefined, key: string): string[] =>
  metadata && Object.hasOwn(metadata, key) ? (metadata[key] ?? "").split("\n") : [];
