import { type AgentOptions, createAgent } from "../agent.js";
import { EXIT } from "./run.js";

/** `emend diagram`: prints the compiled state graph. */
export async function diagramCommand(): Promise<number> {
  process.stdout.write(`${await diagram()}\n`);
  return EXIT.done;
}

/** Draws the state graph in Mermaid, in the usual order of the steps, with dotted lines for conditional edges. */
export async function diagram(options: AgentOptions = {}): Promise<string> {
  const { nodes, edges } = await createAgent(options).graph.getGraphAsync();
  const order = Object.keys(nodes);
  const lines = edges
    .toSorted((a, b) => order.indexOf(a.source) - order.indexOf(b.source))
    .map(({ source, target, data }) => `  ${named(source)} ${data ? `-. "${data}" .->` : "-->"} ${named(target)}`);
  return ["flowchart TD", ...lines].join("\n");
}

const named = (node: string) => TERMINALS[node] ?? node;

const TERMINALS: Record<string, string> = { __start__: "start([question])", __end__: "finish([answer])" };
