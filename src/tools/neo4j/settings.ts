import { readFileSync } from "node:fs";
import { z } from "zod";
import { UsageError } from "../../errors.js";
import { exactly, type OptionsOf } from "../../options.js";

/** A Neo4j server. */
export interface Neo4jSettings {
  /** Such as `neo4j://localhost:7687` or `neo4j+s://…`. */
  uri: string;
  username: string;
  password: string;
  /** Default: the server's own. */
  database?: string;
  /** Questions, each with a query that answers it, as examples for a model. */
  examples?: readonly CypherExample[];
}

const CypherExample = exactly({ question: z.string().min(1), cypher: z.string().min(1) });
export type CypherExample = z.infer<typeof CypherExample>;

export const Neo4jServer = exactly({
  uri: z.string().min(1),
  username: z.string(),
  password: z.string(),
  database: z.string().optional(),
  examples: z.array(CypherExample).optional(),
} satisfies OptionsOf<Neo4jSettings>);

export const neo4jVariables = {
  NEO4J_URI: z
    .string()
    .regex(/^(?:neo4j|bolt)(?:\+s|\+ssc)?:\/\/[^@/?#]+\/?$/, {
      error: "must be an address such as neo4j://localhost:7687, without user name, path or query",
    })
    .optional(),
  NEO4J_USERNAME: z.string().optional(),
  NEO4J_PASSWORD: z.string().optional(),
  NEO4J_DATABASE: z.string().optional(),
  /** A file of JSON Lines: {"question": …, "cypher": …}. */
  NEO4J_EXAMPLES: z.string().optional(),
};

/**
 * Returns the server in the environment; undefined if there is none.
 * @throws UsageError if there is no password, or the examples cannot be read.
 */
export function neo4jServer(env: z.infer<z.ZodObject<typeof neo4jVariables>>): Neo4jSettings | undefined {
  if (!env.NEO4J_URI) return undefined;
  if (!env.NEO4J_PASSWORD) throw new UsageError("NEO4J_URI is set, but NEO4J_PASSWORD is not. Set both.");
  return {
    uri: env.NEO4J_URI,
    username: env.NEO4J_USERNAME ?? "neo4j",
    password: env.NEO4J_PASSWORD,
    ...(env.NEO4J_DATABASE && { database: env.NEO4J_DATABASE }),
    ...(env.NEO4J_EXAMPLES && { examples: readExamples(env.NEO4J_EXAMPLES) }),
  };
}

function readExamples(path: string): CypherExample[] {
  try {
    const lines = readFileSync(path, "utf8").split("\n");
    return lines.filter((line) => line.trim() !== "").map((line) => CypherExample.parse(JSON.parse(line)));
  } catch (error) {
    throw new UsageError(`NEO4J_EXAMPLES: ${path} is not a file of lines like {"question": "…", "cypher": "…"}.`, {
      cause: error,
    });
  }
}
