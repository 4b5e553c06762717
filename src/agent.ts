import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { type BaseCheckpointSaver, Command, INTERRUPT, isInterrupted } from "@langchain/langgraph";
import { answerOf } from "./answer/answer.js";
import { loadSettings, type Settings } from "./config.js";
import { UsageError } from "./errors.js";
import { createGraph } from "./graph/build.js";
import { type ContextInput, contextOf } from "./graph/context.js";
import type { State } from "./graph/state.js";
import type { Request } from "./graph/step.js";
import { openTools } from "./tools/open.js";
import type { Tools } from "./tools/tools.js";
import { turn } from "./turn.js";
import type { Answer } from "./types/answer.js";
import type { AgentEvent } from "./types/events.js";

export interface AgentOptions extends Partial<Settings> {
  /** Parts of your own; those left out are opened from the settings. */
  tools?: Partial<Tools>;
  /** Keeps threads, so that follow-ups are understood and a clarification can be waited for. */
  checkpointer?: BaseCheckpointSaver;
  /** How runs decide, unless a call says otherwise. */
  context?: ContextInput;
}

export interface AskOptions {
  /** The conversation this question belongs to; needs a checkpointer. */
  threadId?: string;
  /** Earlier questions and answers, oldest first, where there is no checkpointer. */
  history?: readonly { question: string; answer: string }[];
  context?: ContextInput;
  signal?: AbortSignal;
}

export interface Agent {
  /**
   * Answers a question, or says what is missing. Always within the budget.
   * @throws UsageError for an empty question or a context out of range. The signal's reason when aborted. Nothing else for a fault of a source or a model.
   */
  ask(question: string, options?: AskOptions): Promise<Answer>;
  /** The same, step by step: decisions, claims as they are checked, and last the answer. */
  stream(question: string, options?: AskOptions): AsyncIterable<AgentEvent>;
  /** The compiled LangGraph graph. */
  graph: ReturnType<typeof createGraph>;
  tools: Tools;
  close(): Promise<void>;
}

/**
 * An agent over a store of documents. Nothing is opened before the first question.
 * @throws UsageError when a setting cannot be right.
 */
export function createAgent(options: AgentOptions = {}): Agent {
  const { tools: given, checkpointer, context, ...settings } = options;
  const tools = { ...openTools(loadSettings(settings)), ...given };
  const graph = createGraph(tools, checkpointer ? { checkpointer } : {});

  async function* stream(question: string, asked: AskOptions = {}): AsyncIterable<AgentEvent> {
    if (!question.trim()) throw new UsageError("The question is empty.");
    const thread = asked.threadId === undefined ? {} : { configurable: { thread_id: asked.threadId } };
    const isWaiting = checkpointer && asked.threadId !== undefined && (await graph.getState(thread)).next.some(waits);
    const earlier = (asked.history ?? []).flatMap((turn) => [
      new HumanMessage(turn.question),
      new AIMessage(turn.answer),
    ]);
    await turn();
    const chunks = await graph.stream(
      isWaiting ? new Command({ resume: question }) : { messages: [...earlier, new HumanMessage(question)] },
      {
        ...thread,
        streamMode: ["custom", "updates"],
        context: contextOf({ context: merged(context, asked.context) }),
        ...(asked.signal && { signal: asked.signal }),
      },
    );
    for await (const [mode, chunk] of chunks) {
      if (mode === "custom") yield chunk as AgentEvent;
      else if (isInterrupted<Request>(chunk)) for (const { value } of chunk[INTERRUPT]) if (value) yield asEvent(value);
    }
  }

  async function ask(question: string, asked?: AskOptions): Promise<Answer> {
    for await (const event of stream(question, asked)) if (event.type === "answer") return event.answer;
    const waiting = await graph.getState({ configurable: { thread_id: asked?.threadId } });
    return answerOf(waiting.values as State, "needs_clarification");
  }

  const close = async () => {
    // Documents on Neo4j share the graph's connection, which the graph closes.
    await tools.documents.close();
    await Promise.all([tools.knowledge?.close(), tools.pageReader?.close()]);
  };
  return { ask, stream, graph, tools, close };
}

/** The nodes that may wait for a person. */
const waits = (node: string) => node === "clarify" || node === "searchWeb";

const asEvent = ({ question, reason, queries }: Request): AgentEvent =>
  queries ? { type: "approve", queries: [...queries], reason } : { type: "clarify", question, reason };

const merged = (usual: ContextInput = {}, now: ContextInput = {}): ContextInput => ({
  ...usual,
  ...now,
  sources: { ...usual.sources, ...now.sources },
  web: { ...usual.web, ...now.web },
  budget: { ...usual.budget, ...now.budget },
});
