import type { Failure, Usage } from "../types/answer.js";
import type { ClaimReason } from "../types/claim-reason.js";
import type { Decision } from "../types/events.js";
import type { Question } from "./questions.js";

/** A system that answers questions: emend, or one that it is compared with. */
export type Ask = (asked: Pick<Question, "question" | "history">) => Promise<Reply>;

/** The parts of a system's reply that are judged. */
export interface Reply {
  /** Without citation markers. */
  text: string;
  /** True if the system failed and gave no reply. */
  failed: boolean;
  /** True if it said that it cannot answer, or asked back. */
  refused: boolean;
  /** True if it shows quotes and says that it is not sure that they answer. Absent if the system does not do this. */
  unsure?: boolean;
  /** What the answer states, sentence by sentence; empty for a refusal. */
  statements: Statement[];
  /** What it retrieved, in order of retrieval. */
  contexts: RetrievedContext[];
  /** Seconds from the question to the first statement that was shown as checked; null if the system shows none. */
  firstStatementSeconds: number | null;
  /** 0 to 1; null if the system gives none. */
  confidence: number | null;
  notes: Notes;
  cost: Cost;
}

export interface Statement {
  text: string;
  /** Every quote shown with it, with the name of the source that it is cited from. */
  citations: { quote: string; source: string }[];
  /** The names of the sources it was made from. */
  sources: string[];
}

export interface RetrievedContext {
  source: string;
  title: string;
  text: string;
}

/** How a system arrived at its reply; empty for a system that does not say. */
export interface Notes {
  status?: string;
  stopReason?: string;
  missing?: string;
  queries?: string[];
  /** Claims that the check rejected. */
  rejected?: { text: string; reason: ClaimReason }[];
  failures?: Failure[];
  path?: Pick<Decision, "step" | "to" | "reason" | "calls" | "tokens" | "milliseconds">[];
}

/** The cost of a reply. */
export interface Cost {
  usage: Usage;
  faults: string[];
  seconds: number;
}
