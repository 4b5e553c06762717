import type { BaseCheckpointSaver } from "@langchain/langgraph";
import { type Agent, createAgent } from "../agent.js";
import { loadSettings, type Settings } from "../config.js";
import { EmptyStoreError } from "../errors.js";
import { closeTools } from "../graph/parts.js";
import { openTools } from "../open.js";
import type { Options } from "./program.js";

export const settingsOf = ({ store }: Options): Settings => loadSettings(store === undefined ? {} : { store });

/** The parts that the settings name, closed at the end of the block that uses them. */
export function usingTools(...given: Parameters<typeof openTools>) {
  const tools = openTools(...given);
  return { ...tools, [Symbol.asyncDispose]: () => closeTools(tools) };
}

/**
 * An agent over documents, or a knowledge graph, that hold something.
 * @throws EmptyStoreError where both are empty.
 */
export async function openAgent(options: Options, checkpointer?: BaseCheckpointSaver): Promise<Agent> {
  const settings = settingsOf(options);
  const agent = createAgent({ ...settings, ...(checkpointer && { checkpointer }) });
  const { documents, knowledge } = agent.tools;
  if (!(await documents.isEmpty()) || (await knowledge?.schema().catch(() => undefined))?.nodes.length) return agent;
  await agent.close();
  throw new EmptyStoreError(settings.store);
}
