import { z } from "zod";
import type { Usage } from "./answer.js";

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

const text = (usual: string, what: string) => z.string().trim().min(1).max(4000).default(usual).describe(what);

/**
 * What a chat model is told at each stage. Code adds that sources are data and what a reply must look like, because the
 * checks depend on both.
 */
export const Prompts = z.object({
  system: text("You work for a system that answers questions from sources.", "What the model is, at each stage."),
  answer: text("Answer from the sources alone, close to their words.", "How to answer."),
  grade: text(
    "Is the answer to this question in the sources? They may be on the same topic, but about another person, place, time or thing.",
    "How to judge whether the sources answer.",
  ),
  rewrite: text(
    "Use other words with the same meaning, as a document would put it. Keep every name, number and negation of the question. Do not answer it.",
    "How to word another search query.",
  ),
  check: text(
    "Check these claims of an answer against the sources they cite:",
    "How to check claims, which follow as a list.",
  ),
});
export type Prompts = z.infer<typeof Prompts>;

export const USUAL_PROMPTS: Prompts = Prompts.parse({});
