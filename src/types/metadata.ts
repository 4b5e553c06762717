import { z } from "zod";
import { visible } from "../text/decode.js";

/**
 * What a document states about itself, such as its author or department. Keys are in lower case, with `_` between words. The
 * values of a list stand on lines of their own.
 */
export const Metadata = z.record(z.string(), z.string());
export type Metadata = z.infer<typeof Metadata>;

/**
 * Returns what a document states about itself as metadata. Takes text, numbers, truth values and lists of these; leaves out
 * what is empty, nested, or beyond the limits. A key that is stated twice has the values of both. Nothing is shortened: a
 * cut value would be another value.
 */
export function metadataOf(stated: Iterable<readonly [key: string, value: unknown]>): Metadata {
  const found = new Map<string, Set<string>>();
  let room = MOST_CHARACTERS;
  for (const [written, given] of stated) {
    const key = keyOf(written);
    if (key === "" || (!found.has(key) && found.size === MOST_KEYS)) continue;
    for (const each of Array.isArray(given) ? given : [given]) {
      const value = /^(?:string|number|boolean)$/.test(typeof each) ? onOneLine(String(each)) : "";
      const values = found.get(key) ?? new Set();
      if (value === "" || value.length > LONGEST_VALUE || value.length > room || values.has(value)) continue;
      found.set(key, values.add(value));
      room -= value.length;
    }
  }
  return Object.fromEntries([...found].map(([key, values]) => [key, [...values].join("\n")]));
}

const MOST_KEYS = 50;
/** In characters, of all values together: every passage of the document carries them. */
const MOST_CHARACTERS = 4_000;
/** In characters. */
const LONGEST_VALUE = 500;
const LONGEST_KEY = 60;

/**
 * Returns a key as it is stored: in lower case, with `_` between words, so that `validFrom`, `Valid-From` and `valid from`
 * are the same. Empty for what is no name.
 */
export function keyOf(written: string): string {
  if (written.length > LONGEST_KEY) return "";
  const words = written
    .normalize("NFKC")
    .trim()
    .replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, "_");
  const key = words.toLowerCase().replace(/[\s_-]+/g, "_");
  return /^\p{L}[\p{L}\p{M}\p{N}_]*$/u.test(key) ? key : "";
}

const onOneLine = (text: string) => visible(text).replace(/\s+/g, " ").trim();

/** Returns the values of a key: several if the document states a list, none if it does not state the key. */
export const valuesOf = (metadata: Metadata | undefined, key: string): string[] =>
  metadata && Object.hasOwn(metadata, key) ? (metadata[key] ?? "").split("\n") : [];

/** Returns metadata as a store keeps it, which has lists but no maps: `key=value`, once for each value. */
export function pairsOf(given: Metadata): string[] {
  // A program may have made it by itself.
  const metadata = metadataOf(Object.keys(given).map((key) => [key, valuesOf(given, key)]));
  return Object.keys(metadata).flatMap((key) => valuesOf(metadata, key).map((value) => `${key}=${value}`));
}

/** Undoes `pairsOf`. A key has no equals sign. */
export const fromPairs = (pairs: Iterable<string>): Metadata =>
  metadataOf(Array.from(pairs, (pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]));
