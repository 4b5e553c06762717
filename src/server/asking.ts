import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { z } from "zod";
import type { Agent, AskOptions } from "../agent.js";
import { toError, UsageError } from "../errors.js";
import { type Context, type ContextInput, contextOf, merged, mostCalls } from "../state/context.js";
import { type Answer, addUsage, type Usage } from "../types/answer.js";
import type { AgentEvent } from "../types/events.js";
import type { Field } from "../types/field.js";
import { deadline } from "../waiting.js";
import { filled } from "./filled.js";
import type { Meters } from "./metrics.js";

/** Asks the agent for clients: within the server's limits, counted, and stopped where a client leaves. */
export interface Asking {
  /**
   * Yields what `Agent.stream` does, and throws what it throws; an HTTPException where it was stopped.
   * @param left the signal of the request, aborted when its client leaves.
   */
  events(question: string, options: AskedWith, left: AbortSignal): AsyncIterable<AgentEvent>;
  /** The answer alone, as `Agent.ask` gives it. */
  answer(question: string, options: AskedWith, left: AbortSignal): Promise<Answer>;
  /** An answer, and fields filled from its claims. Absent without a chat model. */
  data?(
    question: string,
    fields: Readonly<Record<string, Field>>,
    options: AskedWith,
    left: AbortSignal,
  ): Promise<{ answer: Answer; values: Record<string, unknown> }>;
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
  told(thrown: unknown): ClientError;
}

export type AskedWith = Pick<AskOptions, "history" | "context" | "configurable" | "threadId">;

export function asking(
  agent: Agent,
  meters: Meters,
  context: ContextInput = {},
  onFault: (error: Error) => void = () => {},
): Asking {
  const ceiling = contextOf({ context: merged(agent.context, context) });
  const { filler, encoder } = agent.tools;
  const stop = new AbortController();
  const running = new Set<Promise<void>>();

  const limited = ({ context: given = {}, ...rest }: AskedWith, left: AbortSignal): AskOptions => ({
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
    ...(filler && {
      async data(question, fields, { context: given = {}, ...rest }, left) {
        using run = begun();
        const context = within(ceiling, given);
        // One call is kept for filling.
        const budget = { ...context.budget, calls: Math.max(0, mostCalls(context) - 1) };
        const signal = AbortSignal.any([left, stop.signal]);
        try {
          const answer = await agent.ask(question, { ...rest, context: { ...context, budget }, signal });
          let spend = answer.spend;
          const time = deadline(Math.max(LEAST_TO_FILL, budget.seconds * 1000 - spend.milliseconds), signal);
          const call = {
            signal: time.signal,
            model: context.model,
            get calls() {
              return mostCalls(context) - spend.calls;
            },
            spent: (usage: Usage) => {
              spend = addUsage(spend, usage);
            },
            fault: onFault,
          };
          const values = await filled(fields, question, answer, { filler, encoder }, call).finally(time.clear);
          run.end({ ...answer, spend });
          return { answer: { ...answer, spend }, values };
        } catch (error) {
          throw stopped(left) ?? error;
        }
      },
    }),
    async drain(patience) {
      const late = setTimeout(() => stop.abort(), patience);
      await Promise.all(running);
      clearTimeout(late);
    },
    told(thrown) {
      const known = clientError(thrown);
      if (known.status >= 500 && !(thrown instanceof HTTPException)) onFault(toError(thrown));
      return known;
    },
  };
}

/** In milliseconds: filling may take that long after the run used up its time. */
const LEAST_TO_FILL = 5_000;

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

/** What a client is told about an error. */
export interface ClientError {
  status: ContentfulStatusCode;
  /** In words that help the client, and that tell nothing else of the server. */
  message: string;
  /** The parameter of the request that is wrong, such as `messages[0].role`; absent if it is not one. */
  param?: string;
  /** The kind of error, by OpenAI's name for it; absent if there is none. */
  code?: string;
}

/** A parameter of a request cannot be honoured. The message says how to put it right. */
export class ParameterError extends UsageError {
  readonly status: 400 | 404;
  readonly param: string;
  readonly code: string;
  constructor(param: string, code: string, message: string, status: 400 | 404 = 400) {
    super(message);
    this.status = status;
    this.param = param;
    this.code = code;
  }
}

/** Returns what a client is told about an error; status 500 for one that only the server's own people can mend. */
function clientError(thrown: unknown): ClientError {
  const error = toError(thrown);
  if (error instanceof HTTPException) return { status: error.status as ContentfulStatusCode, message: error.message };
  if (error instanceof ParameterError) {
    const { status, message, param, code } = error;
    return { status, message, param, code };
  }
  if (error instanceof UsageError) return { status: 400, message: error.message };
  if (error instanceof z.ZodError) return { status: 400, message: inWords(error), ...firstOf(error) };
  if (error instanceof SyntaxError) return { status: 400, message: "The body is no JSON." };
  const unavailable = UNAVAILABLE[error.name];
  if (unavailable !== undefined) return { status: 503, message: unavailable };
  return { status: 500, message: "Something failed. The log of the server says what." };
}

/** The errors' own messages name addresses and paths, which are for the log. */
const UNAVAILABLE: Readonly<Record<string, string>> = {
  StoreUnavailableError:
    "The documents or the conversations cannot be reached. Try again later. The log of the server says why.",
  EmptyStoreError: "There are no documents to search yet.",
  EndpointError: "A model or service that this needs does not answer. Try again later. The log of the server says why.",
  MalformedReplyError: "The chat model gave no usable data. Try again, or ask for fewer properties.",
  BudgetSpentError: "No call of the chat model is left for this. Allow more calls (budget.calls).",
  TimeoutError: "The time was up before the data was filled. Allow more (budget.seconds), or ask for fewer properties.",
  AbortError: "The question was stopped.",
};

/** Names a few of the faults: a body of 100,000 wrong messages has as many. */
const inWords = ({ issues }: z.ZodError) =>
  issues
    .slice(0, 5)
    .map(({ path, message }) => `${z.core.toDotPath(path) || "body"}: ${message}.`)
    .join(" ");

/** The parameter that is wrong, and how. A client shows the first one alone. */
function firstOf({ issues: [issue] }: z.ZodError): Pick<ClientError, "param" | "code"> {
  if (!issue || issue.path.length === 0) return {};
  const isMissing = issue.code === "invalid_type" && issue.message.endsWith("received undefined");
  return {
    param: z.core.toDotPath(issue.path),
    code: isMissing ? "missing_required_parameter" : (CODES[issue.code] ?? "invalid_value"),
  };
}

/** OpenAI's names for the faults that zod finds. A literal or a refinement of a schema says what emend can do. */
const CODES: Readonly<Record<string, string>> = {
  invalid_type: "invalid_type",
  invalid_value: "unsupported_value",
  custom: "unsupported_value",
};
