import type { BaseMessage } from "@langchain/core/messages";
import type { BaseCheckpointSaver } from "@langchain/langgraph";

/**
 * Conversations that outlive the program. To LangGraph this is a checkpointer: every step is stored while the next one runs.
 * Of each thread the newest steps are kept, and all that was said. Every method throws StoreUnavailableError when the
 * conversations cannot be reached; what was kept before stays as it was.
 */
export interface Threads extends BaseCheckpointSaver {
  /**
   * Returns all that was said in a thread, oldest first; nothing for an unknown thread. The state of a thread holds only
   * the newest messages. Of a forked thread this is the branch that was gone on with last.
   */
  conversation(thread: string): Promise<BaseMessage[]>;
  /**
   * Resolves if all steps of a thread were written since this was asked last.
   * @throws StoreUnavailableError if one was not. The next read of the thread throws it too, if nobody asks.
   */
  written(thread: string): Promise<void>;
  /** Deletes the threads whose newest step is older. Returns how many there were. */
  deleteBefore(time: Date): Promise<number>;
  /** Returns the threads whose names begin so, the one with the newest step first. */
  threads(beginning?: string): Promise<string[]>;
  close(): Promise<void>;
}

export interface ThreadsOptions {
  /** How many steps of a thread are kept, at least. Default 20, some two questions. */
  steps?: number;
}

/**
 * Does the writes of each thread one after another, in the order they are asked for: a database with several connections would
 * let a later step overtake an earlier one. Keeps the first that fails until it is asked for. LangGraph awaits the writes of a
 * run when that ends; one that is rejected before is an unhandled rejection to Node, which ends the program.
 */
export function orderedWrites() {
  const failed = new Map<string, unknown>();
  const last = new Map<string, Promise<void>>();
  return {
    add(thread: string, write: () => Promise<unknown>): Promise<void> {
      const done = (last.get(thread) ?? Promise.resolve()).then(async () => {
        // The rest of a run that failed is not waited for again.
        if (!failed.has(thread)) await write().catch((error: unknown) => failed.set(thread, error));
        if (last.get(thread) === done) last.delete(thread);
      });
      last.set(thread, done);
      return done;
    },
    /** Waits for the writes of a thread. @throws what the first of them that failed did. */
    async settled(thread: string): Promise<void> {
      await last.get(thread);
      const error = failed.get(thread);
      failed.delete(thread);
      if (error) throw error;
    },
  };
}

/** True if a checkpointer keeps all that was said, which those of LangGraph do not. */
export const keepsAll = (checkpointer: BaseCheckpointSaver): checkpointer is Threads => "conversation" in checkpointer;

/**
 * Returns what a step has said, if it said something or took something back, for the conversation to be rewritten from its
 * first message on: what stands before that one has left the state because it is old.
 */
export function saidIn(
  { channel_values: { messages } }: { channel_values: Record<string, unknown> },
  newVersions: Readonly<Record<string, unknown>> = {},
): (BaseMessage & { id: string })[] | undefined {
  return "messages" in newVersions && Array.isArray(messages) && messages.every(hasId) ? messages : undefined;
}

const hasId = (message: unknown): message is BaseMessage & { id: string } =>
  typeof message === "object" && message !== null && "id" in message && typeof message.id === "string";
