import { createRequire } from "node:module";

let loaded: typeof import("neo4j-driver") | undefined;

/** Loads Neo4j's driver at first use: it takes a fifth of a second, and most programs never need it. */
export const neo4jDriver = () => {
  loaded ??= createRequire(import.meta.url)("neo4j-driver") as typeof import("neo4j-driver");
  return loaded;
};
