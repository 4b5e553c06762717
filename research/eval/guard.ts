import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { z } from "zod";
import { loadSettings } from "../../src/config.js";
import { CypherError } from "../../src/errors.js";
import { neo4jConnection } from "../../src/tools/neo4j/connection.js";
import { guard } from "../../src/tools/neo4j/guard.js";
import { GraphRow } from "../../src/types/knowledge.js";

/**
 * Counts the good queries that the guard refuses: `tsx research/eval/guard.ts <file>`, on the server that NEO4J_URI
 * names. The file has JSON Lines of `{cypher, parameters?}`. A query is good if the server plans it as read-only; its
 * labels and properties need not exist there. No query is run. Prints every refusal of a good query with its reason,
 * and the counts as JSON.
 */
const Line = z.object({ cypher: z.string(), parameters: GraphRow.optional() });

const [path] = process.argv.slice(2);
const { neo4j } = loadSettings();
if (!path || !neo4j) {
  console.error("Usage: NEO4J_URI=… NEO4J_PASSWORD=… tsx research/eval/guard.ts <file.jsonl>");
  process.exit(2);
}

const connection = neo4jConnection(neo4j);
const counts = { queries: 0, good: 0, refused: 0, limited: 0 };
for await (const line of createInterface({ input: createReadStream(path) })) {
  if (!line.trim()) continue;
  const { cypher, parameters = {} } = Line.parse(JSON.parse(line));
  counts.queries++;
  if (!(await isGood(cypher, parameters))) continue;
  counts.good++;
  try {
    const bounded = await guard(cypher, parameters, (text, values) => connection.explain(text, values));
    if (bounded !== cypher) counts.limited++;
  } catch (error) {
    if (!(error instanceof CypherError)) throw error;
    counts.refused++;
    console.log(JSON.stringify({ cypher, reason: error.message }));
  }
}
await connection.close();
console.log(JSON.stringify(counts));

async function isGood(cypher: string, parameters: GraphRow): Promise<boolean> {
  try {
    return (await connection.explain(cypher, parameters)).queryType === "r";
  } catch {
    return false;
  }
}
