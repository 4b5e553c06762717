import type { Usage } from "./answer.js";
import type { Prompts } from "./prompts.js";

/** The budget of one task, and where the reasoner reports what it spends. */
export interface Call {
  /** Aborts when the run's time is up or the caller aborts. */
  readonly signal: AbortSignal;
  /** The model to ask, by its name at the endpoint. Default, also if empty: that of the settings. */
  readonly model?: string;
  /** True if the caller wants every judgement of a model, not only those that code and the encoder need. */
  readonly thorough?: boolean;
  /** What the model is told at each stage. Default: ours. */
  readonly prompts?: Prompts;
  /** Model calls left in the budget; a reasoner that needs more throws BudgetSpentError. */
  readonly calls: number;
  /** Must be called once for every request to a model, including failed ones. */
  spent(usage: Usage): void;
  /** Reports a failure that a fallback made up for; becomes part of the decision log. */
  fault(error: Error): void;
}
