import { Command } from "commander";
import { loadSettings } from "../../src/config.js";
import { CypherError, StoreUnavailableError, UsageError } from "../../src/errors.js";
import { neo4jConnection } from "../../src/tools/neo4j/connection.js";
import { BadDataError } from "./data.js";
import { cypherScript, northwind, type Script } from "./sets/neo4j.js";

/** Fills the Neo4j server that the settings name with a public graph to ask questions of. */
const GRAPHS: Record<string, (input: string) => Script> = { movies: cypherScript, northwind };

const program = new Command("load-graph")
  .description("Fills the Neo4j server that NEO4J_URI names with a public graph.")
  .argument("<graph>", `one of: ${Object.keys(GRAPHS).join(", ")}`)
  .argument("<input>", "movies: the Cypher script as published; northwind: the folder of its CSV files")
  .option("--wipe", "empty the database first, whatever it holds")
  .exitOverride((end) => process.exit(end.exitCode === 0 ? 0 : USAGE))
  .action(async (graph: string, input: string, options: { wipe?: boolean }) => {
    try {
      process.stdout.write(`${await load(graph, input, options.wipe ?? false)} nodes\n`);
    } catch (error) {
      if (!KNOWN.some((known) => error instanceof known)) throw error;
      process.stderr.write(`${(error as Error).message}\n`);
      process.exitCode = USAGE;
    }
  });

const KNOWN = [BadDataError, UsageError, StoreUnavailableError, CypherError];
const USAGE = 2;

async function load(graph: string, input: string, wipe: boolean): Promise<number> {
  const read = GRAPHS[graph];
  if (!read) throw new UsageError(`There is no graph ${graph}. Choose one of: ${Object.keys(GRAPHS).join(", ")}.`);
  const script = read(input);
  const { neo4j } = loadSettings();
  if (!neo4j) throw new UsageError("Set NEO4J_URI, NEO4J_USERNAME and NEO4J_PASSWORD to the server to fill.");
  const connection = neo4jConnection(neo4j);
  const count = async () => Number((await connection.read("MATCH (n) RETURN toString(count(n)) AS n"))[0]?.get("n"));
  try {
    if (wipe) {
      while ((await count()) > 0) await connection.write([{ cypher: "MATCH (n) WITH n LIMIT 5000 DETACH DELETE n" }]);
    } else if ((await count()) > 0) {
      throw new UsageError(`${connection.name} is not empty. Give --wipe to delete everything it holds.`);
    }
    for (const statements of script) await connection.write([...statements]);
    return await count();
  } finally {
    await connection.close();
  }
}

await program.parseAsync();
