import { createAgent } from "../agent.js";
import { EXIT } from "./run.js";

/** `emend diagram`: the graph as it is compiled. */
export async function diagramCommand(): Promise<number> {
  process.stdout.write(`${await diagram()}\n`);
  return EXIT.done;
}

/** The state graph as Mermaid, without colours of its own. */
export async function diagram(): Promise<string> {
  const graph = await createAgent().graph.getGraphAsync();
  return graph
    .drawMermaid({ withStyles: false })
    .replace("__start__", "start([start])")
    .replace("__end__", "finish([end])")
    .replaceAll("\t", "  ")
    .replaceAll(";", "")
    .trim();
}
