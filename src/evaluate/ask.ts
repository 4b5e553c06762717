import type { Failure, Usage } from "../types/answer.js";
import type { Decision } from "../types/events.js";
import type { Question } from "./questions.js";

/** A system that answers questions: emend, or what it is compared with. */
export type Ask = (asked: Pick<Question, "question" | "history">) => Promise<Reply>;

/** What a system said to a question, as far as it is judged. */
export interface Reply {
  /** Without citation markers. */
  text: string;
  /** The system broke and said nothing. */
  failed: boolean;
  /** It said that it cannot answer, or asked back. */
  refused: boolean;
  /** It shows quotes and says that it is not sure that they answer. Absent where a system cannot. */
  unsure?: boolean;
  /** What the answer states, sentence by sentence; empty for a refusal. */
  statements: Statement[];
  /** What it retrieved, in the order in which it came. */
  contexts: RetrievedContext[];
  /** From asking to the first statement that was shown as checked; null where a system shows none. */
  firstStatementSeconds: number | null;
  /** 0 to 1; null where a system does not say. */
  confidence: number | null;
  notes: Notes;
  cost: Cost;
}

export interface Statement {
  text: string;
  /** Every quote shown with it, with the name of the source it is said to stand in. */
  citations: { quote: string; source: string }[];
  /** The names of the sources it was made from. */
  sources: string[];
}

export interface RetrievedContext {
  source: string;
  title: string;
  text: string;
}

/** How a system came to its reply; empty for one that does not say. */
export interface Notes {
  status?: string;
  stopReason?: string;
  missing?: string;
  queries?: string[];
  /** Claims that the check did not let through. */
  rejected?: { text: string; reason: string }[];
  failures?: Failure[];
  path?: Pick<Decision, "step" | "to" | "reason" | "calls" | "tokens" | "milliseconds">[];
}

/** What a reply took. */
export interface Cost {
  usage: Usage;
  faults: string[];
  seconds: number;
}
