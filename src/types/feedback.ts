import { z } from "zod";
import { Answer, FailureTag } from "./answer.js";

/** A reader's opinion of an answer, or an operator's review of a run, as it is stored. */
export const Feedback = z.object({
  /** The same for all opinions on one answer, or all reviews of one run. The last one counts. */
  id: z.string(),
  /** ISO time. */
  at: z.string(),
  question: z.string(),
  verdict: z.enum(["up", "down"]),
  /** What is right or wrong about the answer; empty if nobody said. */
  reason: z.string(),
  /** The words that a right answer has; empty if nobody said. */
  expected: z.string(),
  status: Answer.shape.status,
  /** The answer, and the claims that it cites; empty in a review. */
  text: z.string(),
  claims: z.array(z.string()),
  /** At most five turns before the question, oldest first. */
  history: z.array(z.object({ question: z.string(), answer: z.string() })),
  /** What went wrong, according to an operator. */
  label: FailureTag.optional(),
  /** An operator found that the documents do not answer the question. */
  unanswerable: z.boolean().optional(),
});
export type Feedback = z.infer<typeof Feedback>;
