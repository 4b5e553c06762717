import { z } from "zod";

/** A value of a graph as JSON. Dates are ISO text; integers beyond the safe ones are text. */
export type GraphValue = string | number | boolean | null | GraphValue[] | { [key: string]: GraphValue };
export const GraphValue: z.ZodType<GraphValue> = z.json();

export const GraphRow = z.record(z.string(), GraphValue);
export type GraphRow = z.infer<typeof GraphRow>;

/** How a fact was found: the query as it ran, its parameters, and the rows it returned. */
export const Provenance = z.object({
  /** Empty where the graph has no query language. */
  cypher: z.string(),
  parameters: GraphRow,
  rows: z.array(GraphRow),
});
export type Provenance = z.infer<typeof Provenance>;
