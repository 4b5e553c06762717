import type { CompiledGraph } from "@langchain/langgraph";
import { UsageError } from "../errors.js";

type Updated = Pick<CompiledGraph<string>, "bulkUpdateState">;

/**
 * Makes `updateState` refuse fields that the state does not have. LangGraph leaves them out without a word, so that a
 * misspelt field would seem to be set. An update of a subgraph has fields of its own.
 */
export function namingFields<Graph extends Updated>(graph: Graph, fields: readonly string[]): Graph {
  const update = graph.bulkUpdateState.bind(graph);
  graph.bulkUpdateState = async (config, steps) => {
    const values = config.configurable?.checkpoint_ns ? [] : steps.flatMap((step) => step.updates);
    const unknown = values.flatMap(({ values }) => namesIn(values)).filter((name) => !fields.includes(name));
    if (unknown.length > 0)
      throw new UsageError(`The state has no field ${unknown.join(", ")}. Its fields are ${fields.join(", ")}.`);
    return update(config, steps);
  };
  return graph;
}

/** A command or a message is no record of fields. */
const namesIn = (values: unknown) =>
  values && Object.getPrototypeOf(values) === Object.prototype ? Object.keys(values) : [];
