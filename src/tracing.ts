import { setTimeout as sleep } from "node:timers/promises";
import { CallbackManager } from "@langchain/core/callbacks/manager";
import { awaitAllCallbacks } from "@langchain/core/callbacks/promises";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";

/**
 * Returns whoever listens to the run that this is called in: its callbacks, and LangSmith if the environment asks for it.
 * Undefined if nobody does.
 * @param marks of the run that is about to begin, and of none below it.
 */
export const listeners = (marks: { tags?: string[]; metadata?: Record<string, unknown> } = {}) =>
  CallbackManager._configureSync(here()?.callbacks, undefined, undefined, marks.tags, undefined, marks.metadata);

/** Does work as a run: what it calls is traced below it. */
export const below = <T>(callbacks: CallbackManager, work: () => Promise<T>): Promise<T> =>
  AsyncLocalStorageProviderSingleton.runWithConfig({ ...here(), callbacks }, work, true);

const here = () => AsyncLocalStorageProviderSingleton.getRunnableConfig();

/** What LangChain calls a serialized object: where in this package a run has its code. */
export const serialized = (...path: string[]) => ({ lc: 1, type: "not_implemented" as const, id: ["emend", ...path] });

/** Waits until what was traced for LangSmith has been sent, for at most five seconds; not at all if nobody asked for it. */
export async function tracesSent(): Promise<void> {
  if (listeners()) await Promise.race([awaitAllCallbacks(), sleep(LONGEST_WAIT_MS, undefined, { ref: false })]);
}

const LONGEST_WAIT_MS = 5_000;
