import type { Agent, AskOptions } from "../agent.js";
import { type Context, type ContextInput, contextOf } from "../graph/context.js";
import type { Answer } from "../types/answer.js";
import type { AgentEvent } from "../types/events.js";
import type { Meters } from "./metrics.js";

/** Asks the agent for clients: within the server's limits, counted, and stopped where a client leaves. */
export interface Asking {
  /**
   * Yields what `Agent.stream` does, and throws what it throws.
   * @param left the signal of the request, aborted when its client leaves.
   */
  events(question: string, options: Asked, left: AbortSignal): AsyncIterable<AgentEvent>;
  /** The answer alone, as `Agent.ask` gives it. */
  answer(question: string, options: Asked, left: AbortSignal): Promise<Answer>;
  /** Waits until all questions are answered, and stops those that are not after `patience` milliseconds. */
  drain(patience: number): Promise<void>;
}

export type Asked = Pick<AskOptions, "history" | "context" | "configurable" | "threadId">;

export function asking(agent: Agent, meters: Meters, context: ContextInput = {}): Asking {
  const ceiling = contextOf({ context });
  const stop = new AbortController();
  const running = new Set<Promise<void>>();

  const limited = ({ context: given = {}, ...rest }: Asked, left: AbortSignal): AskOptions => ({
    ...rest,
    context: within(ceiling, given),
    signal: AbortSignal.any([left, stop.signal]),
  });

  /** Counts a run until it is disposed of. */
  function begun() {
    const end = meters.begun();
    const { promise, resolve } = Promise.withResolvers<void>();
    running.add(promise);
    return {
      end,
      [Symbol.dispose]() {
        // A run that waits for its user, failed, or whose client left has no answer.
        end("stopped");
        running.delete(promise);
        resolve();
      },
    };
  }

  return {
    async *events(question, options, left) {
      using run = begun();
      for await (const event of agent.stream(question, limited(options, left))) {
        if (event.type === "answer") run.end(event.answer);
        yield event;
      }
    },
    async answer(question, options, left) {
      using run = begun();
      const answer = await agent.ask(question, limited(options, left));
      run.end(answer);
      return answer;
    },
    async drain(patience) {
      const late = setTimeout(() => stop.abort(), patience);
      await Promise.all(running);
      clearTimeout(late);
    },
  };
}

/** A client may say how to write, and may spend and search less; it never widens what the server allows. */
function within(ceiling: Context, { instructions, citing, ...limits }: ContextInput): Context {
  const style = contextOf({ context: { instructions, citing } });
  return {
    ...contextOf({ context: limits }, ceiling),
    ...(instructions !== undefined && { instructions: style.instructions }),
    ...(citing !== undefined && { citing: style.citing }),
  };
}
