import { HumanMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { type BaseCheckpointSaver, Command, INTERRUPT, isInterrupted, type StateSnapshot } from "@langchain/langgraph";
import { z } from "zod";
import { answerOf } from "./answer/answer.js";
import { messagesIn } from "./answer/messages/index.js";
import { paragraph, withText } from "./answer/segments.js";
import { sanitizeMarkdown } from "./citing/sanitize-markdown.js";
import { loadSettings, type Settings, settingsOptions } from "./config.js";
import { assistantMessage, turnsIn } from "./conversation/messages.js";
import { UsageError } from "./errors.js";
import { type AnswerGraph, createGraph, type GraphOptions, graphOptions } from "./graph/build.js";
import { restricted, type ScopeOf, scopeFrom, scopeIn } from "./graph/scope.js";
import { openTools } from "./open.js";
import { aFunction, aSignal, check, exactly, type OptionsOf } from "./options.js";
import { Context, type ContextInput, contextOf, merged } from "./state/context.js";
import type { Request } from "./state/node.js";
import type { Fields, NoFields, State } from "./state/state.js";
import { closeTools, type Tools, toolOptions } from "./state/tools.js";
import { aCheckpointer, keepsAll } from "./tools/threads/port.js";
import { tracesSent } from "./tracing.js";
import type { Answer } from "./types/answer.js";
import type { Conversation } from "./types/conversation.js";
import type { AgentEvent } from "./types/events.js";
import type { Filter } from "./types/filter.js";
import { inTurns, yieldToEventLoop } from "./waiting.js";

export interface AgentOptions<Own extends Fields = NoFields> extends Partial<Settings> {
  /** Custom parts; those left out are opened from the settings. */
  tools?: Partial<Tools>;
  /** Stores threads, so that follow-ups are understood and a run can wait for a person. */
  checkpointer?: BaseCheckpointSaver;
  /** What each user may see. Default: see `buildGraph`. */
  scope?: ScopeOf;
  /**
   * Called once for each part that fails in a run, with what the answer tells of it (`answer.faults`), and with the error
   * itself, which may hold secrets. What it throws is ignored.
   */
  onFault?: GraphOptions["onFault"];
  /** Your own nodes, sources and edges, as `buildGraph` of emend/graph takes them. */
  graph?: Omit<GraphOptions<Own>, "scope" | "onFault">;
}

/**
 * `callbacks`, `tags` and `metadata` go to LangChain's tracing. `configurable` tells the scope who asks; default: the
 * `configurable` of the run that this one is part of, if any.
 */
export interface AskOptions extends Pick<RunnableConfig, "callbacks" | "tags" | "metadata" | "configurable"> {
  /**
   * The conversation this question belongs to; needs a checkpointer. Questions of one thread are answered one after
   * another, if they come through the same agent.
   */
  threadId?: string;
  /** Earlier questions and answers, oldest first, for use without a checkpointer. */
  history?: readonly { question: string; answer: string }[];
  context?: ContextInput;
  signal?: AbortSignal;
}

const Given = exactly({
  ...settingsOptions,
  tools: exactly(toolOptions).partial(),
  checkpointer: aCheckpointer,
  scope: z.unknown(),
  onFault: aFunction,
  graph: graphOptions,
} satisfies OptionsOf<AgentOptions>).partial();

const Asked = exactly({
  callbacks: z.unknown(),
  tags: z.array(z.string()),
  metadata: z.looseObject({}),
  configurable: z.looseObject({}),
  threadId: z.string(),
  history: z.array(exactly({ question: z.string(), answer: z.string() })),
  context: Context,
  signal: aSignal,
} satisfies OptionsOf<AskOptions>)
  .partial()
  .extend({ question: z.string() });

export interface Agent {
  /**
   * Answers a question, or says what is missing. Always within the budget. In a thread it returns once the thread is
   * saved. If the run waits for a person, the answer is the question to that person.
   * @throws UsageError for an empty question or a value out of range or an unknown option. The signal's reason when aborted. The
   * checkpointer's error if the thread cannot be saved. A part that fails does not throw: see `faults` and the status
   * "unavailable" of the answer.
   */
  ask(question: string, options?: AskOptions): Promise<Answer>;
  /**
   * The same, step by step: decisions, claims as they are checked, and last the answer, or what the run waits for.
   * Either read it to its end, or leave the loop to stop the run: no other question of the thread begins before. A
   * stopped question leaves the thread when the next one begins.
   */
  stream(question: string, options?: AskOptions): AsyncIterable<AgentEvent>;
  /**
   * Returns the tools within the scope of the user that `configurable` names. `tools` has no such limits.
   * @throws what the scope's function throws, and UsageError for somebody without a readable scope.
   */
  toolsFor(configurable?: RunnableConfig["configurable"]): Promise<Tools>;
  /**
   * Returns what documents have to meet for that user to see them: the conditions of the scope, none for "all".
   * @throws as `toolsFor` does.
   */
  scopeFor(configurable?: RunnableConfig["configurable"]): Promise<Filter>;
  /**
   * Returns the part of a thread that the user may see, and what its last question waits for. Empty for an unknown
   * thread, and without a checkpointer.
   * @throws what the checkpointer and the scope's function throw.
   */
  conversation(threadId: string, configurable?: RunnableConfig["configurable"]): Promise<Conversation>;
  /** Deletes a thread, once its running question has ended. Does nothing without a checkpointer. */
  forget(threadId: string): Promise<void>;
  /** The compiled LangGraph graph. */
  graph: AnswerGraph;
  tools: Tools;
  /** The default context of runs. */
  context: ContextInput;
  /** Sends pending traces to LangSmith, then closes the tools. */
  close(): Promise<void>;
}

/**
 * Creates an agent over a store of documents. Nothing is connected to before the first question.
 * @throws UsageError for an invalid setting or an unknown option, which it names.
 */
export function createAgent<Own extends Fields = NoFields>(options: AgentOptions<Own> = {}): Agent {
  check(Given, options);
  const { tools: given, checkpointer, scope: _, onFault, graph: additions, ...named } = options;
  const scope = scopeFrom({ ...additions, ...options });
  const settings = loadSettings(named);
  const { context } = settings;
  const { encoder, ...parts } = given ?? {};
  const { tables, ...opened } = openTools(settings, { encoder });
  // Other documents have other tables.
  const tools = { ...opened, ...(tables && !parts.documents && { tables }), ...parts };
  // The cast is safe: the state has the fields that these nodes read.
  const built = { ...additions, ...(scope && { scope }), ...(onFault && { onFault }) } as unknown as GraphOptions;
  const graph = createGraph(tools, { ...built, ...(checkpointer && { checkpointer }) });
  /** For runs without a thread, which a checkpointer could not store. */
  const alone = checkpointer ? createGraph(tools, built) : graph;

  const turnIn = inTurns();

  /** Yields events, and returns the answer once its thread is saved. A waiting run returns what it waits for. */
  async function* run(question: string, asked: AskOptions = {}): AsyncGenerator<AgentEvent, Answer> {
    check(Asked, { ...asked, question });
    if (!question.trim()) throw new UsageError("The question is empty.");
    const given = merged(context, asked.context);
    contextOf({ context: given });
    const { threadId } = asked;
    const isKept = checkpointer !== undefined && threadId !== undefined;
    const thread = isKept ? { configurable: { thread_id: threadId } } : {};
    const who = askerIn(asked.configurable ?? AsyncLocalStorageProviderSingleton.getRunnableConfig()?.configurable);
    const end = isKept ? await turnIn(threadId, asked.signal) : () => {};
    const stop = new AbortController();
    try {
      const chunks = await start();
      let last: AgentEvent | undefined;
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
        const [mode, chunk] = next.value;
        const waited = mode === "updates" && isInterrupted<Request>(chunk) ? chunk[INTERRUPT][0]?.value : undefined;
        const event = mode === "custom" ? (chunk as AgentEvent) : waited && asEvent(waited);
        if (event?.type === "answer" || waited) last = event;
        else if (event) yield event;
      }
      if (isKept && keepsAll(checkpointer)) await checkpointer.written(threadId);
      // The thread is saved by now, so the answer can be given and the next question may begin.
      const answer = last?.type === "answer" ? last.answer : whileWaiting(last, (await graph.getState(thread)).values);
      end();
      if (last) yield last;
      return answer;
    } finally {
      // Stops the run if the caller leaves early. Leaving LangGraph's stream would not stop it.
      stop.abort();
      end();
    }

    async function start() {
      const before = isKept ? await graph.getState(thread) : undefined;
      // A run that waits for a user of another scope does not take this reply.
      const { name } = await scopeIn({ configurable: who }, scope);
      const earlier = (asked.history ?? []).flatMap((turn) => [
        new HumanMessage(turn.question),
        // In the scope of the user: the caller is responsible for the history that it gives.
        assistantMessage(turn.answer, name),
      ]);
      const isMine = ((before?.values as Partial<State> | undefined)?.scope ?? "") === name;
      const waits = isMine && before !== undefined && (await waitsFor(before)) !== undefined;
      await yieldToEventLoop();
      const { callbacks, tags, metadata } = asked;
      return inOwnRun(() =>
        (isKept ? graph : alone).stream(
          waits
            ? new Command({ resume: question })
            : before && hasUnansweredMessage(before.values as State)
              ? { messages: [...earlier, new HumanMessage(question)] }
              : { messages: earlier, question },
          {
            configurable: { ...who, ...thread.configurable },
            ...(callbacks && { callbacks }),
            ...(tags && { tags }),
            ...(metadata && { metadata }),
            streamMode: ["custom", "updates"],
            context: given,
            signal: asked.signal ? AbortSignal.any([asked.signal, stop.signal]) : stop.signal,
          },
        ),
      );
    }
  }

  async function* stream(question: string, asked?: AskOptions): AsyncIterable<AgentEvent> {
    yield* run(question, asked);
  }

  async function ask(question: string, asked?: AskOptions): Promise<Answer> {
    const events = run(question, asked);
    let next = await events.next();
    while (!next.done) next = await events.next();
    return next.value;
  }

  /**
   * Returns what a run waits for. A run that got its reply and was then stopped still has the interrupt, but no longer
   * waits.
   */
  async function waitsFor({ tasks, config }: StateSnapshot): Promise<Request | undefined> {
    const [asked] = tasks.flatMap(({ interrupts }) => interrupts);
    const { pendingWrites = [] } = (asked && (await checkpointer?.getTuple(config))) ?? {};
    return pendingWrites.some(([, channel]) => channel === RESUME) ? undefined : (asked?.value as Request | undefined);
  }

  async function toolsFor(configurable: RunnableConfig["configurable"] = {}): Promise<Tools> {
    const { filter, name } = await scopeIn({ configurable }, scope);
    return name === "" ? tools : restricted(tools, filter);
  }

  const scopeFor = async (configurable: RunnableConfig["configurable"] = {}) =>
    (await scopeIn({ configurable }, scope)).filter;

  async function conversation(threadId: string, configurable: RunnableConfig["configurable"] = {}) {
    if (!checkpointer) return { turns: [] };
    const found = await graph.getState({ configurable: { thread_id: threadId } });
    const { name } = await scopeIn({ configurable }, scope);
    const { messages: newest = [], scope: begunIn = "" } = found.values as Partial<State>;
    const messages = keepsAll(checkpointer) ? await checkpointer.conversation(threadId) : newest;
    const waited = begunIn === name ? await waitsFor(found) : undefined;
    const turns = turnsIn(messages, name, waited !== undefined);
    return { turns, ...(waited && { waiting: asEvent(waited) }) };
  }

  async function forget(threadId: string) {
    const end = await turnIn(threadId, undefined);
    try {
      await checkpointer?.deleteThread(threadId);
    } finally {
      end();
    }
  }

  return {
    ask,
    stream,
    toolsFor,
    scopeFor,
    conversation,
    forget,
    graph,
    tools,
    context: context ?? {},
    async close() {
      await tracesSent();
      await closeTools(tools);
    },
  };
}

/**
 * Detaches the run from a graph in which a node asked the question: LangGraph would otherwise use that graph's thread,
 * stream and context. Its callbacks are kept, so that tracing shows the run inside the other one.
 */
function inOwnRun<T>(run: () => T): T {
  const { callbacks } = AsyncLocalStorageProviderSingleton.getRunnableConfig() ?? {};
  return AsyncLocalStorageProviderSingleton.runWithConfig({ ...(callbacks && { callbacks }) }, run, true);
}

/** Leaves out the thread's id and LangGraph's own entries, which belong to the run around this one. */
const askerIn = (configurable: Readonly<Record<string, unknown>> = {}) =>
  Object.fromEntries(Object.entries(configurable).filter(([name]) => !/^__|^thread_id$|^checkpoint/.test(name)));

/** The channel to which LangGraph writes the reply to an interrupt. */
const RESUME = "__resume__";

/** True if a thread ends with a message that no run has handled: the next run would take it for its question. */
const hasUnansweredMessage = ({ messages, askedIn }: Partial<State>) =>
  messages?.at(-1)?.getType() === "human" && messages.at(-1)?.id !== askedIn;

const asEvent = ({ question, reason, queries }: Request): AgentEvent =>
  queries ? { type: "approve", queries: [...queries], reason } : { type: "clarify", question, reason };

/** The answer of a waiting run: the question to the user, or the queries to be approved. */
function whileWaiting(event: AgentEvent | undefined, state: State): Answer {
  const answer = answerOf(state, "needs_clarification");
  return event?.type === "approve"
    ? { ...answer, ...withText([paragraph(sanitizeMarkdown(messagesIn(answer.language).mayBeSent(event.queries)))]) }
    : answer;
}
