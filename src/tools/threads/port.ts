import type { BaseMessage } from "@langchain/core/messages";
import type { BaseCheckpointSaver } from "@langchain/langgraph";
import { part } from "../../options.js";

/**
 * Conversations that are kept when the program ends. To LangGraph this is a checkpointer: every step is stored while
 * the next one runs. Keeps the newest steps and all messages of each thread. Every method throws StoreUnavailableError
 * if the conversations cannot be reached; what was stored before stays as it was.
 */
export interface Threads extends BaseCheckpointSaver {
  /**
   * Returns all messages of a thread, oldest first; empty for an unknown thread. The state of a thread holds only the
   * newest messages. For a forked thread, returns the branch that was continued last.
   */
  conversation(thread: string): Promise<BaseMessage[]>;
  /**
   * Waits until all steps of a thread are written.
   * @throws StoreUnavailableError if one could not be written since the last call. Without a call, the next read of the
   *   thread throws it.
   */
  written(thread: string): Promise<void>;
  /** Deletes the threads whose newest step is older than this time. Returns how many. */
  deleteBefore(time: Date): Promise<number>;
  /** Returns the threads whose names begin with this text (default: all), the one with the newest step first. */
  threads(beginning?: string): Promise<string[]>;
  close(): Promise<void>;
}

export interface ThreadsOptions {
  /** How many of the newest steps of a thread are kept (of each namespace). Default 20, about two questions. */
  steps?: number;
}
export const aCheckpointer = part<BaseCheckpointSaver>("getTuple", "put", "putWrites");

/**
 * Runs the writes of each thread one after another, in the order of the calls: with several connections, a later step
 * could overtake an earlier one. `add` never rejects, since LangGraph awaits writes only when the run ends, and Node
 * ends the program on a rejection that nobody awaits. The first error is kept for `settled`.
 */
export function orderedWrites() {
  const failed = new Map<string, unknown>();
  const last = new Map<string, Promise<void>>();
  return {
    add(thread: string, write: () => Promise<unknown>): Promise<void> {
      const done = (last.get(thread) ?? Promise.resolve()).then(async () => {
        // After a failure, the remaining writes are skipped until the error is reported.
        if (!failed.has(thread)) await write().catch((error: unknown) => failed.set(thread, error));
        if (last.get(thread) === done) last.delete(thread);
      });
      last.set(thread, done);
      return done;
    },
    /** Waits for the writes of a thread. @throws the error of the first that failed. */
    async settled(thread: string): Promise<void> {
      await last.get(thread);
      const error = failed.get(thread);
      failed.delete(thread);
      if (error) throw error;
    },
  };
}

/** True if a checkpointer keeps all messages, which LangGraph's own do not. */
export const keepsAll = (checkpointer: BaseCheckpointSaver): checkpointer is Threads => "conversation" in checkpointer;

/**
 * Returns the messages in the state of a step if the step changed them, else undefined. The conversation is rewritten
 * from the first of them on. Earlier messages are no longer in the state because they are old.
 */
export function changedMessages(
  { channel_values: { messages } }: { channel_values: Record<string, unknown> },
  newVersions: Readonly<Record<string, unknown>> = {},
): (BaseMessage & { id: string })[] | undefined {
  return "messages" in newVersions && Array.isArray(messages) && messages.every(hasId) ? messages : undefined;
}

const hasId = (message: unknown): message is BaseMessage & { id: string } =>
  typeof message === "object" && message !== null && "id" in message && typeof message.id === "string";
