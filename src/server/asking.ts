import type { Context as HonoContext } from "hono";
import { HTTPException } from "hono/http-exception";
import { type SSEStreamingApi, streamSSE } from "hono/streaming";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { z } from "zod";
import type { Agent, AskOptions } from "../agent.js";
import { opening } from "../answer/links.js";
import { toError, UsageError } from "../errors.js";
import { faultsIn } from "../options.js";
import { type Context, type ContextInput, contextOf, merged, mostCalls } from "../state/context.js";
import { type Answer, addUsage, type Usage } from "../types/answer.js";
import type { AgentEvent } from "../types/events.js";
import type { Field } from "../types/field.js";
import type { Condition } from "../types/filter.js";
import { metadataKey, READERS } from "../types/metadata.js";
import { deadline } from "../waiting.js";
import { type Chosen, titledIn, within } from "./collections.js";
import { filled, withoutEchoes } from "./filled.js";
import type { Meters } from "./metrics.js";

/** Asks the agent on behalf of clients: within the server's limits, metered, and stopped when a client disconnects. */
export interface Asking {
  /**
   * Yields and throws as `Agent.stream` does; throws an HTTPException if the question was stopped.
   * @param left the signal of the request, which aborts when its client disconnects.
   */
  events(question: string, options: AskedWith, left: AbortSignal): AsyncIterable<AgentEvent>;
  /** Returns the answer alone, as `Agent.ask` does. */
  answer(question: string, options: AskedWith, left: AbortSignal): Promise<Answer>;
  /** Returns an answer, and fields filled from its claims. Absent without a chat model. */
  data?(
    question: string,
    fields: Readonly<Record<string, Field>>,
    options: AskedWith,
    left: AbortSignal,
  ): Promise<{ answer: Answer; values: Record<string, unknown> }>;
  /**
   * Returns the seconds to wait before asking: 0 if a question asked now would be answered within the server's time
   * limit.
   */
  fullFor(): number;
  /** @throws HTTPException 429 unless `fullFor` is 0. */
  admit(): void;
  /** Waits until all questions are answered, and stops those that are not after `patience` milliseconds. */
  drain(patience: number): Promise<void>;
  /** Returns what a client is told about an error. An error with details withheld also goes to `onFault`. */
  told(thrown: unknown): ClientError;
}

export interface AskedWith extends Pick<AskOptions, "history" | "context" | "configurable" | "threadId"> {
  /** The collections that are asked. */
  chosen: Chosen;
  /** The server's address, for links to the sources. Without it, only web pages have links. */
  site?: string | undefined;
}

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

  async function limited(
    { context: given = {}, chosen, site: _, ...rest }: AskedWith,
    left: AbortSignal,
  ): Promise<AskOptions & { context: Context }> {
    // What is found then would tell one reader who the others are. A program that asks for its users may filter so.
    if (given.filter?.some(isByReaders) && (await agent.scopeFor(rest.configurable)).some(isByReaders))
      throw new UsageError(BY_READERS);
    const context = narrowed(within(ceiling, chosen), given);
    return { ...rest, context, signal: AbortSignal.any([left, stop.signal]) };
  }

  /** A run that its client or the server stopped may throw anything, and none of it is a fault to log. */
  const stopped = (left: AbortSignal) =>
    left.aborted || stop.signal.aborted ? new HTTPException(503, { message: "The question was stopped." }) : undefined;

  /** Counts a run as running until it is disposed of. */
  function begun() {
    const end = meters.begun();
    const { promise, resolve } = Promise.withResolvers<void>();
    running.add(promise);
    return {
      end,
      [Symbol.dispose]() {
        // Counts only without an answer: the run waits for its user or failed, or its client left.
        end("stopped");
        running.delete(promise);
        resolve();
        const lost = agent.tools.runs?.lost();
        if (lost) onFault(lost);
      },
    };
  }

  /**
   * Without a chat model every question waits for the judge to grade, including those that have not reached it yet. With
   * one, only the work that already waits counts.
   */
  function fullFor(): number {
    const load = agent.tools.encoder?.load?.();
    if (!load) return 0;
    const wait = load.isSpared ? load.behind : Math.max(load.behind, load.each * running.size);
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
        for await (const event of agent.stream(question, await limited(options, left))) {
          if (event.type === "answer") run.end(event.answer);
          yield opened(titledIn(event, options.chosen), options.site);
        }
      } catch (error) {
        throw stopped(left) ?? error;
      }
    },
    async answer(question, options, left) {
      using run = begun();
      const asked = await limited(options, left);
      const answer = await agent.ask(question, asked).catch((error: unknown) => {
        throw stopped(left) ?? error;
      });
      run.end(answer);
      return opening(titledIn(answer, options.chosen), options.site);
    },
    ...(filler && {
      async data(question, fields, options, left) {
        using run = begun();
        const { chosen, site } = options;
        const { context, ...rest } = await limited(options, left);
        // One call is kept for filling.
        const budget = { ...context.budget, calls: Math.max(0, mostCalls(context) - 1) };
        const { signal } = rest;
        try {
          const asked = await agent.ask(question, { ...rest, context: { ...context, budget } });
          const answer = withoutEchoes(asked, fields);
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
          return { answer: opening(titledIn({ ...answer, spend }, chosen), site), values };
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
      const isTold = thrown instanceof HTTPException || thrown instanceof UnavailableError;
      if (known.status >= 500 && !isTold) onFault(toError(thrown));
      return known;
    },
  };
}

/** Adds to what an event cites where it opens. */
function opened(event: AgentEvent, site: string | undefined): AgentEvent {
  if (event.type === "answer") return { ...event, answer: opening(event.answer, site) };
  if (event.type !== "claim") return event;
  const { references } = opening({ references: event.references, claims: [event.claim] }, site);
  return { ...event, references };
}

/**
 * Replies with server-sent events. The signal aborts when the client disconnects. A comment is sent every 15 s: proxies
 * close a connection that is silent for a minute, and a model may take that long.
 */
export const streamed = (c: HonoContext, work: (sse: SSEStreamingApi, left: AbortSignal) => Promise<void>): Response =>
  streamSSE(c, async (sse) => {
    const left = new AbortController();
    sse.onAbort(() => left.abort());
    const alive = setInterval(() => sse.write(": at work\n\n"), 15_000);
    try {
      await work(sse, left.signal);
    } finally {
      clearInterval(alive);
    }
  });

/** In milliseconds: filling always gets this long, even if the run used up its time. */
const LEAST_TO_FILL = 5_000;

const isByReaders = ({ key }: Condition) => metadataKey(key) === READERS;
const BY_READERS = "A filter by readers is not for readers. Leave it out: only what you may read is found.";

const FULL = "So many questions wait that this one could not be answered in time.";

/** A client may say how to write, and may spend and search less; it can never raise the server's limits. */
function narrowed(ceiling: Context, { instructions, citing, temperature, topP, ...limits }: ContextInput): Context {
  const style = contextOf({ context: { instructions, citing, temperature, topP } });
  return {
    ...contextOf({ context: limits }, ceiling),
    ...(instructions !== undefined && { instructions: style.instructions }),
    ...(citing !== undefined && { citing: style.citing }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
  };
}

/** What a client is told about an error. */
export interface ClientError {
  status: ContentfulStatusCode;
  /** Helps the client, and reveals nothing else about the server. */
  message: string;
  /** The parameter of the request that is wrong, such as `messages[0].role`; absent if none is. */
  param?: string;
  /** OpenAI's code for the error; absent if there is none. */
  code?: string;
  /** The answer that says what failed; absent for any other error. */
  answer?: Answer;
}

/** A question could not be answered because of an outage: `answer` has the status "unavailable". */
export class UnavailableError extends Error {
  override readonly name = "UnavailableError";
  readonly answer: Answer;
  constructor(answer: Answer) {
    super(answer.text);
    this.answer = answer;
  }
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

/** Returns what a client is told about an error; status 500 for one that only the operators can fix. */
function clientError(thrown: unknown): ClientError {
  const error = toError(thrown);
  if (error instanceof HTTPException) return { status: error.status as ContentfulStatusCode, message: error.message };
  if (error instanceof ParameterError) {
    const { status, message, param, code } = error;
    return { status, message, param, code };
  }
  if (error instanceof UnavailableError) return { status: 503, message: error.message, answer: error.answer };
  if (error instanceof UsageError) return { status: 400, message: error.message };
  if (error instanceof z.ZodError) return { status: 400, message: faultsIn(error, "body"), ...firstOf(error) };
  if (error instanceof SyntaxError) return { status: 400, message: "The body is not JSON." };
  const unavailable = UNAVAILABLE[error.name];
  if (unavailable !== undefined) return { status: 503, message: unavailable };
  return { status: 500, message: "Something failed. The log of the server says what." };
}

/** By error name. The errors' own messages contain addresses and paths, which belong only in the log. */
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

/** The first parameter that is wrong, and its code: OpenAI's form of error has room for one. */
function firstOf({ issues: [issue] }: z.ZodError): Pick<ClientError, "param" | "code"> {
  if (!issue || issue.path.length === 0) return {};
  const isMissing = issue.message.endsWith("received undefined");
  return {
    param: z.core.toDotPath(issue.path),
    code: isMissing ? "missing_required_parameter" : (CODES[issue.code] ?? "invalid_value"),
  };
}

/**
 * OpenAI's codes for the faults that zod finds. A literal or a refinement means that emend does not support the value.
 */
const CODES: Readonly<Record<string, string>> = {
  invalid_type: "invalid_type",
  invalid_value: "unsupported_value",
  custom: "unsupported_value",
};
