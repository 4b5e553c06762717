import { z } from "zod";
import { exactly } from "../options.js";
import { type Metadata, metadataKey, valuesOf } from "./metadata.js";

/** The most values of a condition. */
export const MOST_VALUES = 2_000;

/** A condition on the metadata of a document: it states one of the values or, with `not`, none of them. */
export const Condition = exactly({
  key: z
    .string()
    .refine((key) => metadataKey(key) !== "", "A key is a name, such as department")
    .describe("What the documents state: department, status, author."),
  values: z
    .array(z.string().max(500))
    .max(MOST_VALUES)
    .describe("The values, as they are written. Without any, nothing fits, or with `not` everything."),
  not: z.boolean().optional().describe("Leave out documents that state one of the values."),
});
export type Condition = z.infer<typeof Condition>;

/** Conditions that must all be met. An empty filter matches every document. */
export const Filter = z.array(Condition).max(50);
export type Filter = readonly Condition[];

/**
 * True if a document meets all conditions. Values are compared exactly, since two that differ only in case may be two
 * tenants. A document without metadata, such as one stored by an older version, meets no condition.
 */
export const meets = (metadata: Metadata | undefined, filter: Filter): boolean =>
  filter.length === 0 ||
  (metadata !== undefined &&
    filter.every(
      ({ key, values, not = false }) =>
        valuesOf(metadata, metadataKey(key)).some((value) => values.includes(value)) !== not,
    ));

/** Returns the values of a condition as stores keep them: `key=value`. */
export const pairsIn = ({ key, values }: Condition): string[] => values.map((value) => `${metadataKey(key)}=${value}`);
