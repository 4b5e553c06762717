import type { Usage } from "./answer.js";
import type { Prompts } from "./prompts.js";

/** The budget of one task, and where the reasoner reports what it spends. */
export interface Call {
  /** Aborts when the run's time is up or the caller aborts. */
  readonly signal: AbortSignal;
  /** Aborts before `signal`, so that time is left to answer without the model. Default: `signal`. */
  readonly modelSignal?: AbortSignal;
  /** The name of the model to ask, as its endpoint knows it. Default, also if empty: the model of the settings. */
  readonly model?: string;
  /** True if the caller wants every judgement of a model, not only those that code and the encoder need. */
  readonly thorough?: boolean;
  /** What the model is told at each stage. Default: `USUAL_PROMPTS`. */
  readonly prompts?: Prompts;
  /** Model calls left in the budget; a reasoner that needs more throws BudgetSpentError. */
  readonly calls: number;
  /** Must be called once for every request to a model, including failed ones. */
  spent(usage: Usage): void;
  /** Reports a failure that does not stop the task; it is added to the decision log. */
  fault(error: Error): void;
}
