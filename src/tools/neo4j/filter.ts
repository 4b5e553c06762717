import { type Filter, pairsIn } from "../../types/filter.js";

/** Cypher that holds for a node that meets the parameter `filter`. A node without metadata meets none. */
export const meetsFilter = (variable: string) =>
  `${variable}.metadata IS NOT NULL AND
  all(one IN $filter WHERE any(pair IN ${variable}.metadata WHERE pair IN one.pairs) <> one.not)`;

/** Returns a filter as a parameter. Nodes have their metadata as a list of `key=value`. */
export const asFilter = (filter: Filter) =>
  filter.map((condition) => ({ pairs: pairsIn(condition), not: condition.not ?? false }));
