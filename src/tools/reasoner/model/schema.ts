import { z } from "zod";

// Bounds are told to the endpoint, which can hold a model to them; a reply that breaks one is read all the same.

/** A text of at most `maxLength` UTF-16 units; null and nothing are empty. */
export const words = (maxLength: number) =>
  z.preprocess(
    (value) => (typeof value === "string" ? cut(value.trim(), maxLength) : (value ?? "")),
    z.string().meta({ maxLength }),
  );

/** At most `maxItems`; null and nothing are none. */
export const list = <T extends z.ZodType>(item: T, maxItems: number) =>
  z.preprocess(
    (value) => (Array.isArray(value) ? value.slice(0, maxItems) : (value ?? [])),
    z.array(item).meta({ maxItems }),
  );

/** Shortens without splitting a character. */
const cut = (text: string, length: number) => text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "");
