import type { BaseCheckpointSaver } from "@langchain/langgraph";
import { type Agent, createAgent } from "../agent.js";
import { loadSettings } from "../config.js";
import { EmptyStoreError } from "../errors.js";
import type { Options } from "./program.js";

/**
 * An agent over documents, or a knowledge graph, that hold something.
 * @throws EmptyStoreError where both are empty.
 */
export async function openAgent({ store }: Options, checkpointer?: BaseCheckpointSaver): Promise<Agent> {
  const settings = loadSettings(store === undefined ? {} : { store });
  const agent = createAgent({ ...settings, ...(checkpointer && { checkpointer }) });
  const { documents, knowledge } = agent.tools;
  if (!(await documents.isEmpty()) || (await knowledge?.schema().catch(() => undefined))?.nodes.length) return agent;
  await agent.close();
  throw new EmptyStoreError(settings.store);
}
