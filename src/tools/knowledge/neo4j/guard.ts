import type { ResultSummary } from "neo4j-driver";
import type { GraphRow } from "../../../types/graph.js";

export type Explain = (cypher: string, parameters: GraphRow) => Promise<ResultSummary>;

/**
 * The query as it may be run: known to do nothing but read this graph, with a limit on its rows.
 * @throws CypherError when it might do anything else, saying what.
 */
export async function guard(cypher: string, parameters: GraphRow, explain: Explain): Promise<string> {
  await explain(cypher, parameters);
  return cypher;
}
