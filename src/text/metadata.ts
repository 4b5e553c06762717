import { type Metadata, metadataKey, valuesOf } from "../types/metadata.js";
import { visible } from "./decode.js";

/**
 * Returns what a document states about itself as metadata. Accepts text, numbers, booleans and lists of these; leaves
 * out what is empty, nested, or beyond the limits. A key that is stated twice gets all its values. Nothing is
 * shortened: a cut value would be another value.
 */
export function metadataOf(stated: Iterable<readonly [key: string, value: unknown]>): Metadata {
  const found = new Map<string, Set<string>>();
  let room = MOST_CHARACTERS;
  for (const [written, given] of stated) {
    const key = metadataKey(written);
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

/**
 * Returns metadata with other values for some keys, which come first: the others are left out if there is too much.
 * @param changes an empty value removes its key.
 */
export const restated = (own: Metadata | undefined, changes: Metadata): Metadata =>
  metadataOf(Object.entries({ ...changes, ...own, ...changes }).map(([key, values]) => [key, values.split("\n")]));

/** Returns metadata as stores keep it, since they have lists but no maps: `key=value`, once for each value. */
export function metadataPairs(given: Metadata): string[] {
  // Metadata that a program passes in is not normalised yet.
  const metadata = metadataOf(Object.keys(given).map((key) => [key, valuesOf(given, key)]));
  return Object.keys(metadata).flatMap((key) => valuesOf(metadata, key).map((value) => `${key}=${value}`));
}

/** Undoes `metadataPairs`. A key has no equals sign. */
export const fromPairs = (pairs: Iterable<string>): Metadata =>
  metadataOf(Array.from(pairs, (pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]));

const MOST_KEYS = 50;

/** In characters, of all values together: every passage of the document carries them. */
const MOST_CHARACTERS = 4_000;

/** In characters. */
const LONGEST_VALUE = 500;

const onOneLine = (text: string) => visible(text).replace(/\s+/g, " ").trim();

/**
 * Returns the ISO date at the start of a text such as 2024-05-01T09:00Z, 2024/5/1 or 2024年5月1日; else an empty string.
 */
export function isoDate(text: string): string {
  const [, year = "", month = "", day = ""] = /^\s*(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})(?!\d)/.exec(text) ?? [];
  const iso = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const date = new Date(`${iso}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(iso) ? iso : "";
}
