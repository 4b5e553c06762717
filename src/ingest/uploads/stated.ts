import { UsageError } from "../../errors.js";
import { metadataOf } from "../../text/metadata.js";
import type { Condition, Filter } from "../../types/filter.js";
import { type Metadata, metadataKey, valuesOf } from "../../types/metadata.js";

/**
 * Returns the values that a caller may choose from when it says who may read a document, by key: those of its own
 * scope.
 */
export function choicesIn(scope: Filter): Condition[] {
  const byKey = Map.groupBy(
    scope.filter((condition) => !condition.not),
    ({ key }) => metadataKey(key),
  );
  return [...byKey].map(([key, [first, ...others]]) => ({
    key,
    values: [...new Set(first?.values)].filter((value) => others.every(({ values }) => values.includes(value))),
  }));
}

/**
 * Returns what an uploaded document states in place of what its file states, so that its caller can read it. A key by
 * which the caller's scope decides gets its only value, or must be given.
 * @param metadata what the caller says of the document.
 * @param readers what the caller says about who may read it.
 * @param scope what the caller may see.
 * @throws UsageError if something is stated outside the scope, or is missing.
 */
export function statedWithin(metadata: Metadata, readers: Filter, scope: Filter): Metadata {
  const stated = new Map(Object.entries(metadata));
  for (const { key, values } of readers) stated.set(metadataKey(key), values.join("\n"));
  for (const { key, values } of choicesIn(scope)) {
    if (values.length === 0) throw new UsageError("You may read no documents, so you cannot add any.");
    const [only] = values;
    if (!stated.has(key) && values.length === 1 && only !== undefined) stated.set(key, only);
    const given = stated.get(key)?.split("\n");
    if (!given) throw new UsageError(`Say who may read it, by ${key}: ${values.join(", ")}.`);
    if (!given.every((value) => values.includes(value)))
      throw new UsageError(`You may add documents only with ${key}: ${values.join(", ")}.`);
  }
  return Object.fromEntries(stated);
}

/**
 * Returns metadata as it is stored.
 * @throws UsageError if something would be left out: a name that is none, a value that is nested, too long or too much.
 */
export function metadataFrom(given: Readonly<Record<string, unknown>>): Metadata {
  const metadata = metadataOf(Object.entries(given));
  for (const [key, value] of Object.entries(given)) {
    const kept = valuesOf(metadata, metadataKey(key));
    if (new Set([value].flat()).size !== kept.length || kept.length === 0)
      throw new UsageError(
        `The metadata ${JSON.stringify(key.slice(0, 60))} cannot be stored: at most 50 names that begin with a letter, each with a text or a list of texts of at most 500 characters, and 4,000 in all.`,
      );
  }
  return metadata;
}
