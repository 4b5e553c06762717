import type { Call } from "../types/call.js";
import type { AgentEvent, Reason } from "../types/events.js";
import type { Filter } from "../types/filter.js";
import type { Context } from "./context.js";
import type { State, Update } from "./state.js";

/** A question to a person while the run waits. */
export interface Request {
  question: string;
  /** Why the run came to ask. */
  reason?: Reason | undefined;
  /** Outgoing queries, to be approved, changed or refused. */
  queries?: readonly string[];
}

/** The arguments of a node besides its tools and the state. */
export interface Run {
  context: Context;
  /** The name of the agent, which its messages have. */
  agent: string;
  /** The name of the asker's scope; empty if the asker may see everything. */
  scope: string;
  /** The conversation; empty for a run without one. */
  thread: string;
  /** The conditions of that scope and of the context. Evidence from a source that you add must meet them too. */
  filter: Filter;
  /** The rest of the budget, and a way to report use of it. */
  call: Call;
  emit: (event: AgentEvent) => void;
  /** Appends text to the message that will answer, for clients that show messages while they grow. */
  say: (text: string) => void;
  /** True in the first step of a run that goes back to an earlier step of its thread. */
  isForked: boolean;
  /** Interrupts the run until a person answers, and returns the answer. Undefined if the run cannot be resumed. */
  ask: (request: Request) => unknown;
}

/** A node: a function of the state and the run, with its tools already bound. */
export type Node = (state: State, run: Run) => Promise<Update> | Update;
