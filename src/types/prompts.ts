import { z } from "zod";

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
