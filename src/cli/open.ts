import type { BaseCheckpointSaver } from "@langchain/langgraph";
import { type Agent, createAgent } from "../agent.js";
import { loadSettings } from "../config.js";
import { EmptyStoreError } from "../errors.js";
import type { Options } from "./program.js";

/**
 * An agent over a store that holds something.
 * @throws EmptyStoreError where nothing was ingested.
 */
export async function openAgent({ store }: Options, checkpointer?: BaseCheckpointSaver): Promise<Agent> {
  const settings = loadSettings(store === undefined ? {} : { store });
  const agent = createAgent({ ...settings, ...(checkpointer && { checkpointer }) });
  const documents = await agent.tools.documents.list();
  if (documents.length > 0) return agent;
  await agent.close();
  throw new EmptyStoreError(settings.store);
}
