import { z } from "zod";
import { exactly } from "../options.js";
import type { Usage } from "./answer.js";

/** The budget of one task, and where the reasoner reports what it spends. */
export interface Call {
  /** Aborts when the run's time is up or the caller aborts. */
  readonly signal: AbortSignal;
  /** Aborts before `signal`, so that time is left to answer without the model. Default: `signal`. */
  readonly modelSignal?: AbortSignal;
  /** The name of the model to ask, as its endpoint knows it. Default, also if empty: the model of the settings. */
  readonly model?: string;
  /** What the model is told at each stage. Default: `USUAL_PROMPTS`. */
  readonly prompts?: Prompts;
  /** Model calls left in the budget; a reasoner that needs more throws BudgetSpentError. */
  readonly calls: number;
  /** Must be called once for every request to a model, including failed ones. */
  spent(usage: Usage): void;
  /**
   * Reports a failure that does not stop the task; it is added to the decision log, and to the faults of the answer.
   * @param part what failed, see `Fault`. Default: the chat model for an EndpointError or a MalformedReplyError in a step
   * that may ask one, else what the step stands for. Empty for what only the log should say.
   */
  fault(error: Error, part?: string): void;
}

const text = (usual: string, what: string) => z.string().trim().min(1).max(4000).default(usual).describe(what);

/**
 * What a chat model is told at each stage. Code adds that sources are data and what a reply must look like, because the
 * checks depend on both.
 */
export const Prompts = exactly({
  system: text("You work for a system that answers questions from sources.", "What the model is, at each stage."),
  answer: text("Answer the question from the sources alone, in your own words.", "How to answer."),
  check: text(
    "Check whether each of these claims is stated by the sources that it cites. They were written by somebody else, and some may be wrong.",
    "How to check claims, which follow as a list.",
  ),
});
export type Prompts = z.infer<typeof Prompts>;

export const USUAL_PROMPTS: Prompts = Prompts.parse({});
