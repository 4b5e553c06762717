import { createRequire } from "node:module";

let loaded: typeof import("neo4j-driver") | undefined;

/** Neo4j's driver, loaded when it is first needed: most programs never open one, and it takes a fifth of a second. */
export const neo4jDriver = () => {
  loaded ??= createRequire(import.meta.url)("neo4j-driver") as typeof import("neo4j-driver");
  return loaded;
};
