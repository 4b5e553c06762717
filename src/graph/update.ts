import { type CompiledGraph, InvalidUpdateError } from "@langchain/langgraph";
import { z } from "zod";
import { UsageError } from "../errors.js";
import { withinTrace } from "../open-telemetry.js";
import { faultsIn } from "../options.js";
import { contextOf } from "../state/context.js";

type Naming = Pick<CompiledGraph<string>, "bulkUpdateState" | "stream">;

/**
 * Makes a graph name what it does not understand. `updateState` refuses fields that the state does not have: LangGraph
 * leaves them out without a word, so that a misspelt field would seem to be set. An update of a subgraph has fields of its
 * own. A run refuses a wrong context before anything is kept. It belongs to the trace that its `configurable` names.
 */
export function naming<Graph extends Naming>(graph: Graph, fields: readonly string[]): Graph {
  const update = graph.bulkUpdateState.bind(graph);
  graph.bulkUpdateState = async (config, steps) => {
    try {
      const values = config.configurable?.checkpoint_ns ? [] : steps.flatMap((step) => step.updates);
      const unknown = values.flatMap(({ values }) => namesIn(values)).filter((name) => !fields.includes(name));
      if (unknown.length > 0)
        throw new UsageError(`The state has no field ${unknown.join(", ")}. Its fields are ${fields.join(", ")}.`);
      return await update(config, steps);
    } catch (error) {
      throw told(error);
    }
  };
  const stream = graph.stream.bind(graph);
  // The other ways to run a graph use this one.
  graph.stream = async (input, options) => {
    contextOf({ context: options?.context });
    return withinTrace(options?.configurable, () => stream(input, options));
  };
  return graph;
}

/** A command or a message is no record of fields. */
const namesIn = (values: unknown) =>
  values && Object.getPrototypeOf(values) === Object.prototype ? Object.keys(values) : [];

/**
 * Adds what a client is told to the error of a wrong update. A LangGraph server replies with the response of an error,
 * as Hono does, and to an error without one only "Internal Server Error", whereupon clients try again.
 */
function told(thrown: unknown): unknown {
  const isWrong = [UsageError, InvalidUpdateError, z.core.$ZodError].some((kind) => thrown instanceof kind);
  if (!isWrong) return thrown;
  const error = thrown as Error;
  const message = error instanceof z.core.$ZodError ? faultsIn(error) : error.message;
  return Object.assign(error, { getResponse: () => Response.json({ error: error.name, message }, { status: 422 }) });
}
