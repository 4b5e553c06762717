import { z } from "zod";

/** A value of a graph as JSON. Dates are ISO strings; integers beyond the safe range are strings. */
export type GraphValue = string | number | boolean | null | GraphValue[] | { [key: string]: GraphValue };
export const GraphValue: z.ZodType<GraphValue> = z.json();

export const GraphRow = z.record(z.string(), GraphValue);
export type GraphRow = z.infer<typeof GraphRow>;

/** All facts of a graph about one entity and one relation. */
export const GraphFact = z.object({
  entity: z.string(),
  /** As the graph writes it. */
  predicate: z.string(),
  /** "out": entity, predicate, others. "in": others, predicate, entity. */
  direction: z.enum(["out", "in"]),
  /** At most 50 of `total`. */
  others: z.array(z.string()),
  /** Number of entities or values at the other end. */
  total: z.number().int().min(0),
});
export type GraphFact = z.infer<typeof GraphFact>;

/** The provenance of a fact: the query that ran, its parameters, and the rows it returned. */
export const Provenance = z.object({
  /** Empty where the graph has no query language. */
  cypher: z.string(),
  parameters: GraphRow,
  rows: z.array(GraphRow),
});
export type Provenance = z.infer<typeof Provenance>;
