import type { Command } from "commander";
import { count, example } from "./options.js";
import { command } from "./run.js";

/** Adds the commands of `emend graph`. */
export function addGraphCommands(program: Command): void {
  const graph = program
    .command("graph")
    .summary("fill and look at the knowledge graph")
    .description(
      "The knowledge graph, which is asked when the documents do not answer: fills it, and shows what it says.",
    )
    .helpCommand(false);

  command(graph, "build", async () => (await import("./graph.js")).buildCommand)
    .summary("read more facts into it than ingest does")
    .description(
      "Reads into the graph what `emend ingest` leaves out: sentences, with a model, and the relations of an ontology. Run again, it reads only what changed.",
    )
    .option("--ontology <file>", "a JSON file of the types and relations to keep")
    .option("--limit <n>", "read at most n passages", count)
    .addHelpText("after", example("emend graph build", "emend graph build --ontology team.json --limit 100"));

  command(graph, "load", async () => (await import("./graph.js")).loadCommand)
    .summary("load triples into it")
    .description("Loads triples into the graph. Run again, it writes only what changed.")
    .argument("<file...>", "CSV or JSON Lines of triples (.csv .tsv .jsonl .ndjson)")
    .addHelpText("after", example("emend graph load examples/handbook-graph.csv"));

  command(graph, "index", async () => (await import("./graph.js")).indexCommand)
    .summary("make a Neo4j graph ready to be looked up")
    .description(
      "Makes the full-text index by which the names in a Neo4j graph are found. Needed if other programs or scripts filled the graph.",
    )
    .addHelpText("after", example("emend graph index"));

  command(graph, "show", async () => (await import("./graph.js")).graphShowCommand)
    .summary("show what it says about a name")
    .description("Shows what the graph says about a name, and the sources. Exit code 3: nothing.")
    .argument("<name...>", "a name")
    .addHelpText("after", example('emend graph show "Heron H40"', "emend graph show 沈若溪"));
}
