import { setTimeout as sleep } from "node:timers/promises";
import { CallbackManager } from "@langchain/core/callbacks/manager";
import { awaitAllCallbacks } from "@langchain/core/callbacks/promises";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";

/**
 * Returns the callbacks of the current run, and LangSmith's if the environment enables it. Undefined if there are none.
 * @param marks tags and metadata of the run that is about to begin, but not of the runs below it.
 */
export const listeners = (marks: { tags?: string[]; metadata?: Record<string, unknown> } = {}) =>
  CallbackManager._configureSync(here()?.callbacks, undefined, undefined, marks.tags, undefined, marks.metadata);

/** Does work as a run: what it calls is traced below it. */
export const below = <T>(callbacks: CallbackManager, work: () => Promise<T>): Promise<T> =>
  AsyncLocalStorageProviderSingleton.runWithConfig({ ...here(), callbacks }, work, true);

const here = () => AsyncLocalStorageProviderSingleton.getRunnableConfig();

/** Names the code of a run in this package, as a serialized object of LangChain. */
export const serialized = (...path: string[]) => ({ lc: 1, type: "not_implemented" as const, id: ["emend", ...path] });

/** Waits up to five seconds until pending traces are sent to LangSmith; does not wait if nothing is traced. */
export async function tracesSent(): Promise<void> {
  if (listeners()) await Promise.race([awaitAllCallbacks(), sleep(MAX_WAIT_MS, undefined, { ref: false })]);
}

const MAX_WAIT_MS = 5_000;
