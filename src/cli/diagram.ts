import { createAgent } from "../agent.js";
import { EXIT } from "./run.js";

/** `emend diagram`: the graph as it is compiled. */
export async function diagramCommand(): Promise<number> {
  process.stdout.write(`${await diagram()}\n`);
  return EXIT.done;
}

/** The state graph as Mermaid, in the order in which the steps are usually taken; a dotted edge is one of several. */
export async function diagram(): Promise<string> {
  const { nodes, edges } = await createAgent().graph.getGraphAsync();
  const order = Object.keys(nodes);
  const lines = edges
    .toSorted((a, b) => order.indexOf(a.source) - order.indexOf(b.source))
    .map(({ source, target, data }) => `  ${named(source)} ${data ? `-. "${data}" .->` : "-->"} ${named(target)}`);
  return ["flowchart TD", ...lines].join("\n");
}

const named = (node: string) => TERMINALS[node] ?? node;

const TERMINALS: Record<string, string> = { __start__: "start([question])", __end__: "finish([answer])" };
