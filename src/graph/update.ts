import { type CompiledGraph, InvalidUpdateError } from "@langchain/langgraph";
import { z } from "zod";
import { UsageError } from "../errors.js";

type Updated = Pick<CompiledGraph<string>, "bulkUpdateState">;

/**
 * Makes `updateState` refuse fields that the state does not have. LangGraph leaves them out without a word, so that a
 * misspelt field would seem to be set. An update of a subgraph has fields of its own.
 */
export function namingFields<Graph extends Updated>(graph: Graph, fields: readonly string[]): Graph {
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
  const message =
    error instanceof z.core.$ZodError
      ? error.issues.map((issue) => `${z.core.toDotPath(issue.path)}: ${issue.message}.`).join(" ")
      : error.message;
  return Object.assign(error, { getResponse: () => Response.json({ error: error.name, message }, { status: 422 }) });
}
