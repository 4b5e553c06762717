import { HTTPException } from "hono/http-exception";
import type { Agent, AskOptions } from "../agent.js";
import { toError } from "../errors.js";
import { type Context, type ContextInput, contextOf, merged } from "../state/context.js";
import type { Answer } from "../types/answer.js";
import type { AgentEvent } from "../types/events.js";
import { type Told, told } from "./faults.js";
import type { Meters } from "./metrics.js";

/** Asks the agent for clients: within the server's limits, counted, and stopped where a client leaves. */
export interface Asking {
  /**
   * Yields what `Agent.stream` does, and throws what it throws; an HTTPException where it was stopped.
   * @param left the signal of the request, aborted when its client leaves.
   */
  events(question: string, options: Asked, left: AbortSignal): AsyncIterable<AgentEvent>;
  /** The answer alone, as `Agent.ask` gives it. */
  answer(question: string, options: Asked, left: AbortSignal): Promise<Answer>;
  /**
   * Returns the seconds after which a question should come again: 0 if there is room for one now, which means that it would
   * be answered within the server's limit of time.
   */
  fullFor(): number;
  /** @throws HTTPException 429 where there is no room for a question now. */
  admit(): void;
  /** Waits until all questions are answered, and stops those that are not after `patience` milliseconds. */
  drain(patience: number): Promise<void>;
  /** Returns what a client is told about an error. What it is not told goes to `onFault`. */
  told(thrown: unknown): Told;
}

export type Asked = Pick<AskOptions, "history" | "context" | "configurable" | "threadId">;

export function asking(
  agent: Agent,
  meters: Meters,
  context: ContextInput = {},
  onFault: (error: Error) => void = () => {},
): Asking {
  const ceiling = contextOf({ context: merged(agent.context, context) });
  const stop = new AbortController();
  const running = new Set<Promise<void>>();

  const limited = ({ context: given = {}, ...rest }: Asked, left: AbortSignal): AskOptions => ({
    ...rest,
    context: within(ceiling, given),
    signal: AbortSignal.any([left, stop.signal]),
  });

  /** What stopped a run is its client or the server, whatever it threw then: no fault to be logged. */
  const stopped = (left: AbortSignal) =>
    left.aborted || stop.signal.aborted ? new HTTPException(503, { message: "The question was stopped." }) : undefined;

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
        const lost = agent.tools.runs?.lost();
        if (lost) onFault(lost);
      },
    };
  }

  /** Without a chat model every question waits for the judge, also those that it has not heard of yet. */
  function fullFor(): number {
    const load = agent.tools.encoder?.load?.();
    if (!load || load.isSpared) return 0;
    const wait = Math.max(load.behind, load.each * running.size);
    return Math.max(0, Math.ceil(wait + load.each - ceiling.budget.seconds));
  }

  return {
    fullFor,
    admit() {
      const seconds = fullFor();
      if (seconds === 0) return;
      meters.refused();
      throw new HTTPException(429, { message: `${FULL} Try again in ${seconds} s.` });
    },
    async *events(question, options, left) {
      using run = begun();
      try {
        for await (const event of agent.stream(question, limited(options, left))) {
          if (event.type === "answer") run.end(event.answer);
          yield event;
        }
      } catch (error) {
        throw stopped(left) ?? error;
      }
    },
    async answer(question, options, left) {
      using run = begun();
      const answer = await agent.ask(question, limited(options, left)).catch((error: unknown) => {
        throw stopped(left) ?? error;
      });
      run.end(answer);
      return answer;
    },
    async drain(patience) {
      const late = setTimeout(() => stop.abort(), patience);
      await Promise.all(running);
      clearTimeout(late);
    },
    told(thrown) {
      const known = told(thrown);
      if (known.status >= 500 && !(thrown instanceof HTTPException)) onFault(toError(thrown));
      return known;
    },
  };
}

const FULL = "So many questions wait that this one could not be answered in time.";

/** A client may say how to write, and may spend and search less; it never widens what the server allows. */
function within(ceiling: Context, { instructions, citing, ...limits }: ContextInput): Context {
  const style = contextOf({ context: { instructions, citing } });
  return {
    ...contextOf({ context: limits }, ceiling),
    ...(instructions !== undefined && { instructions: style.instructions }),
    ...(citing !== undefined && { citing: style.citing }),
  };
}
