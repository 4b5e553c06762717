import type { Neo4jConnection } from "./connection.js";
import type { Neo4jKnowledge } from "./knowledge.js";

/**
 * A knowledge graph in Neo4j 5.26 or newer, filled by emend or by others. Look-ups and queries only need the right to
 * read. emend writes nodes whose labels begin with Emend, and relations between them, and never changes anything else.
 */
export function neo4jKnowledge({ connection }: { connection: Neo4jConnection }): Neo4jKnowledge {
  // Loaded by the first call, since most programs have no Neo4j.
  let opened: Promise<Neo4jKnowledge> | undefined;
  const graph = () => {
    opened ??= import("./knowledge.js").then(({ openNeo4jKnowledge }) => openNeo4jKnowledge({ connection }));
    return opened;
  };
  return {
    prepare: async (...given) => (await graph()).prepare(...given),
    schema: async (...given) => (await graph()).schema(...given),
    facts: async (...given) => (await graph()).facts(...given),
    query: async (...given) => (await graph()).query(...given),
    upsert: async (...given) => (await graph()).upsert(...given),
    remove: async (...given) => (await graph()).remove(...given),
    sources: async () => (await graph()).sources(),
    close: () => connection.close(),
  };
}
