import { Allow, parse } from "partial-json";
import { z } from "zod";
import { withoutThoughts } from "../text/replies.js";

/**
 * Parses the first JSON object of a reply and ignores what surrounds it: thoughts, code fences, other text.
 * @throws Error whose message tells the model what is wrong.
 */
export function firstObject(reply: string): unknown {
  const text = withoutThoughts(reply);
  if (text.trim() === "") throw new Error("it was empty");
  const start = text.indexOf("{");
  if (start < 0) throw new Error("it held no JSON object");
  try {
    return parsed(text.slice(start), 0);
  } catch (error) {
    throw error instanceof RangeError ? error : new Error("its JSON was incomplete or invalid");
  }
}

/** Returns the complete elements of the list under `key` in a partial reply. */
export function completeItems(reply: string, key: string): unknown[] {
  const items = partial(reply, key);
  return Array.isArray(items) ? items : [];
}

/** Parses the list that a partial reply has under `key`. */
function partial(reply: string, key: string): unknown {
  const text = withoutThoughts(reply);
  const at = new RegExp(`"${key}"\\s*:\\s*(?=\\[)`).exec(text);
  try {
    return at ? parsed(text.slice(at.index + at[0].length), Allow.ARR) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Limits the depth: the parser takes seconds for a few kilobytes of opening brackets. No expected reply is nested as
 * deep.
 */
function parsed(text: string, allow: number): unknown {
  let depth = 0;
  for (const [mark] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{}]/gs)) {
    if (mark === "[" || mark === "{") depth += 1;
    else if (mark === "]" || mark === "}") depth -= 1;
    if (depth > MAX_DEPTH) throw new RangeError("it was nested too deep");
  }
  return parse(text, allow);
}

const MAX_DEPTH = 50;

// The limits below are for the endpoint, which may enforce them. A reply that exceeds one is shortened, not rejected.

/** A text of at most `maxLength` UTF-16 units; null and undefined become empty. */
export const words = (maxLength: number) =>
  z.preprocess(
    (value) => (typeof value === "string" ? cut(value.trim(), maxLength) : (value ?? "")),
    z.string().meta({ maxLength }),
  );

/** A list of at most `maxItems`; null and undefined become empty. */
export const listOf = <T extends z.ZodType>(item: T, maxItems: number) =>
  z.preprocess(
    (value) => (Array.isArray(value) ? value.slice(0, maxItems) : (value ?? [])),
    z.array(item).meta({ maxItems }),
  );

/** Shortens without splitting a character. */
const cut = (text: string, length: number) => text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "");

/** An object with the keys "1" to `count`. A model that has to number items itself skips some or invents others. */
export const byNumber = <T extends z.ZodType>(count: number, item: T) =>
  z.object(Object.fromEntries(Array.from({ length: count }, (_, i) => [i + 1, item])) as Record<number, T>);
