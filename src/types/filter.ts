import { z } from "zod";
import { type Metadata, metadataKey, valuesOf } from "./metadata.js";

/** A condition on what documents state about themselves: one of the values, or with `not` none of them. */
export const Condition = z.strictObject({
  key: z
    .string()
    .refine((key) => metadataKey(key) !== "", "A key is a name, such as department")
    .describe("What the documents state: department, status, author."),
  values: z.array(z.string().max(500)).max(200).describe("The values, as they are written. Without any, nothing fits."),
  not: z.boolean().optional().describe("Leave out documents that state one of the values."),
});
export type Condition = z.infer<typeof Condition>;

/** Conditions that all hold. None at all leave everything in. */
export const Filter = z.array(Condition).max(50);
export type Filter = readonly Condition[];

/**
 * True if a document meets all conditions. Values are compared as they are written: two that differ in case may be two
 * tenants. A document of which nobody knows what it states, such as one that an older version stored, meets none.
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
