import { isDeepStrictEqual } from "node:util";
import { AIMessageChunk } from "@langchain/core/messages";
import {
  GraphValueError,
  interrupt,
  isGraphBubbleUp,
  type LangGraphRunnableConfig,
  pushMessage,
} from "@langchain/langgraph";
import { questionBack } from "../answer/answer.js";
import { messagesIn } from "../answer/messages/index.js";
import { sanitizeMarkdown } from "../citing/sanitize-markdown.js";
import { assistantMessage } from "../conversation/messages.js";
import { inReview } from "../conversation/review.js";
import { isModelFailure, toError, UsageError } from "../errors.js";
import { faultFrom, isNote } from "../faults.js";
import { webQueries } from "../nodes/search-web.js";
import { notUnderstood } from "../nodes/understand.js";
import { readIn } from "../reading/evidence.js";
import { beginsFork, type Context, contextOf, mostCalls } from "../state/context.js";
import type { Node, Request } from "../state/node.js";
import type { State, Update } from "../state/state.js";
import { addUsage, NOTHING_SPENT } from "../types/answer.js";
import type { Call } from "../types/call.js";
import type { AgentEvent, Decision } from "../types/events.js";
import { type Fault, partOf } from "../types/fault.js";
import type { Filter } from "../types/filter.js";
import { asOf, deadline, timeNow, yieldToEventLoop } from "../waiting.js";
import type { Route } from "./routes.js";
import { type ScopeOf, scopeIn } from "./scope.js";

/**
 * Makes a LangGraph node from a step and the router that follows it. The step's tools find only what the caller may see
 * and the context's filter matches. Meters the step, holds it to the rest of the budget, and adds one decision to the
 * log. A fault becomes part of that decision; only the caller's own abort and LangGraph's interrupts pass through.
 * @param agent the agent's name, which its messages have.
 */
export function step(
  name: string,
  nodeFor: (filter: Filter) => Node,
  route: (state: State, context: Context) => Route<string>,
  limited: (context: Context, config: LangGraphRunnableConfig) => Context,
  scopeOf: ScopeOf | undefined,
  agent: string,
  onFault?: OnFault,
) {
  return async (given: State, config: LangGraphRunnableConfig): Promise<Update> => {
    await yieldToEventLoop();
    const isForked = beginsFork(config);
    // A fork writes a message of its own: a client shows both, each in its branch.
    const renamed = isForked && !isInThread(given) ? { answering: crypto.randomUUID(), said: "" } : {};
    const state = { ...given, ...renamed };
    const isFollowing = name === "understand" && !goesOn(state);
    const allowed = contextOf(config, isFollowing ? undefined : state.allowed);
    // Until a question begins, the state still has what the thread's previous question spent.
    const isNew = isFollowing || (name === "understand" && state.decisions.at(-1)?.step === "respond");
    const spent = isNew ? NOTHING_SPENT : state.spend;
    const context = limited(allowed, config);
    const scope = await scopeIn(config, scopeOf);
    if (name !== "understand" && scope.name !== (state.scope ?? "")) throw new UsageError(OTHER_SCOPE);
    const filter = [...scope.filter, ...context.filter];
    const node = nodeFor(filter);
    const emit = (event: AgentEvent) => config.writer?.(event);
    const say = (content: string) => {
      const { answering: id } = state;
      if (id) pushMessage(new AIMessageChunk({ id, content, name: agent }), { ...config, stateKey: null });
    };
    // After each step, clients show only the messages of the state, until they receive a chunk of the growing message.
    if (state.said && !isInThread(state)) say("");
    const ask = (request: Request) => asked({ ...request, ...inReview(request, askedBy(name, state, context)) });
    const thread = `${config.configurable?.thread_id ?? ""}`;
    const known = isNew ? [] : state.decisions.flatMap(({ faults }) => faults);
    const faults: Fault[] = [];
    const fail = (
      error: Error,
      part = isModelFailure(error) && MODEL_STEPS.has(name) ? "chat_model" : partOf(name),
    ) => {
      const fault = faultFrom(error, isNote(error) ? "" : part);
      if (fault.part !== "" && ![...known, ...faults].some((one) => isDeepStrictEqual(one, fault)))
        tell(onFault, fault, error);
      faults.push(fault);
    };
    let used = NOTHING_SPENT;
    const left = Math.max(1, context.budget.seconds * 1000 - spent.milliseconds);
    const time = deadline(left, config.signal);
    const modelTime = deadline(Math.max(0, left - RESERVED * context.budget.seconds * 1000), time.signal);
    const call: Call = {
      signal: time.signal,
      modelSignal: modelTime.signal,
      model: context.model,
      prompts: context.prompts,
      get calls() {
        return Math.max(0, mostCalls(context) - spent.calls - used.calls);
      },
      spent: (usage) => {
        used = addUsage(used, usage);
      },
      fault: (error, part) => fail(toError(error), part),
    };

    const started = performance.now();
    let update: Update = {};
    try {
      const work = async () =>
        node(state, { context, agent, scope: scope.name, thread, filter, isForked, call, emit, say, ask });
      update = await withTimeout(left + GRACE, () => asOf((isNew ? undefined : state.began) ?? timeNow(), work));
    } catch (error) {
      if (isGraphBubbleUp(error)) throw error;
      if (config.signal?.aborted) throw config.signal.reason;
      fail(toError(error));
      // Else the question before would be answered again.
      if (name === "understand") update = notUnderstood(state);
    } finally {
      time.clear();
      modelTime.clear();
    }
    if (config.signal?.aborted) throw config.signal.reason;

    // A node that starts a question resets spend and decisions; what it used is added to the new values.
    const before = { ...state, ...update };
    const milliseconds = performance.now() - started;
    const spend = { ...addUsage(before.spend, used), milliseconds: before.spend.milliseconds + milliseconds };
    const tokens = used.inputTokens + used.outputTokens;
    const read = readIn(before) - readIn(state);
    // The router has not chosen yet.
    const taken: Decision = {
      step: name,
      to: "",
      reason: { code: "next_step" },
      faults,
      calls: used.calls,
      tokens,
      milliseconds,
      ...(name === "grade" && read > 0 && { read }),
    };
    // The router sees the log with this step in it, as it does again when LangGraph evaluates the edge.
    const chosen = route({ ...before, spend, decisions: [...before.decisions, taken] }, context);
    const question = askedBy(chosen.to, before, context);
    const decision: Decision = { ...taken, ...chosen };
    emit({ type: "decision", decision });
    const spoken = question ? saidAhead(question, scope.name, agent) : {};
    return {
      ...renamed,
      ...update,
      ...spoken,
      scope: scope.name,
      allowed,
      spend,
      decisions: [...before.decisions, decision],
    };
  };
}

const isInThread = ({ messages, answering }: State) => messages.some(({ id }) => id === answering);

/**
 * Adds a message with the question that the next step will ask: a step that waits stores nothing itself, and chat
 * clients show only messages.
 */
function saidAhead(question: string, scope: string, name: string): Update {
  const id = crypto.randomUUID();
  const told = { emend: { status: "needs_clarification" } };
  return {
    messages: [assistantMessage(question, scope, { id, name, additional_kwargs: told })],
    answering: id,
    said: question,
  };
}

const OTHER_SCOPE = "This question was started with access to other documents. Please ask it again.";

/** True if the run waits for a person or has just been answered, so that this call continues it. */
function goesOn({ decisions, allowed }: State): boolean {
  const to = decisions.at(-1)?.to;
  return to === "clarify" || to === "understand" || (to === "searchWeb" && allowed?.web.approve === true);
}

/** The share of the time that a model may not use: if it is slow, quotes still answer in time. */
const RESERVED = 0.1;

/** Milliseconds after the deadline until a part that ignores its abort signal is abandoned. */
const GRACE = 1000;

async function withTimeout<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("It did not end when its time was up.")), milliseconds);
  try {
    return await Promise.race([work(), promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Only a run with a checkpointer can wait for a person. Without one, LangGraph refuses the interrupt and nobody is asked. */
function asked(request: Request): unknown {
  try {
    return interrupt(request);
  } catch (error) {
    if (error instanceof GraphValueError && error.lc_error_code === "MISSING_CHECKPOINTER") return undefined;
    throw error;
  }
}

/** Called with every fault of a run once, and with the whole error, which is for logs alone. */
export type OnFault = (fault: Fault, error: Error) => unknown;

/** A listener that throws or rejects changes nothing. */
function tell(onFault: OnFault | undefined, fault: Fault, error: Error): void {
  void (async () => onFault?.(fault, error))().catch(() => {});
}

/** The steps in which a chat model may be asked. */
const MODEL_STEPS = new Set(["understand", "grade", "queryGraph", "rewriteQuery", "generate", "checkAnswer"]);

/** Returns what a node will ask a person, in the language of the question. Empty if it asks nothing. */
function askedBy(node: string, state: State, { web }: Context): string {
  if (node === "clarify") return questionBack(state);
  if (node !== "searchWeb" || !web.approve) return "";
  return sanitizeMarkdown(messagesIn(state.understood?.language ?? "en").mayBeSent(webQueries(state)));
}
