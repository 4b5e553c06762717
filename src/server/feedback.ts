import { createHash } from "node:crypto";
import { z } from "zod";
import { UsageError } from "../errors.js";
import { exactly } from "../options.js";
import { languageOf } from "../text/language.js";
import type { Runs } from "../tools/runs/port.js";
import { FailureTag } from "../types/answer.js";
import type { Conversation } from "../types/conversation.js";
import type { Feedback } from "../types/feedback.js";
import type { KeptRun } from "../types/run.js";

/** What a reader thinks of an answer. */
export const Opinion = exactly({
  threadId: z.uuid().describe("The conversation."),
  question: z.string().min(1).max(20_000).describe("The question, as it was asked there."),
  verdict: z.enum(["up", "down"]),
  reason: z.string().trim().max(2_000).default("").describe("What is right or wrong about the answer."),
  expected: z.string().trim().max(1_000).default("").describe("The words that a right answer has."),
});
export type Opinion = z.infer<typeof Opinion>;

/**
 * Stores an opinion with the answer that the conversation has, not one that the client sends.
 * @param thread the id under which the conversation is stored.
 * @throws UsageError if the question was not asked there, StoreUnavailableError if the store cannot be written.
 */
export async function addOpinion(runs: Runs, opinion: Opinion, thread: string, { turns }: Conversation) {
  const { threadId: _, ...said } = opinion;
  const at = turns.findLastIndex(({ question }) => question === opinion.question);
  const turn = turns[at];
  if (!turn) throw new UsageError("This question was not asked in the conversation.");
  const feedback: Feedback = {
    ...said,
    // A hash, so that the id does not tell the conversation where it is printed.
    id: createHash("sha256").update(`${thread}\n${opinion.question}`).digest("hex").slice(0, 16),
    at: new Date().toISOString(),
    status: turn.status,
    text: turn.text,
    claims: [...new Set(turn.citations.map(({ claim }) => claim))],
    history: turns.slice(Math.max(0, at - REMEMBERED), at).map(({ question, text }) => ({ question, answer: text })),
  };
  await runs.addFeedback(feedback, { thread });
}

/** Earlier turns that are kept with an opinion. */
const REMEMBERED = 5;

/** An operator's review of a run that did not go well: what went wrong, and what is right. */
export const Review = exactly({
  run: z.number().int().describe("The number of the run."),
  label: FailureTag.optional().describe("What went wrong."),
  expected: z.string().trim().max(1_000).default("").describe("The words that a right answer has."),
  unanswerable: z.boolean().default(false).describe("The documents do not answer the question."),
}).refine(({ expected, unanswerable }) => (expected !== "") !== unanswerable, {
  error: "needs either `expected` or `unanswerable`",
});
export type Review = z.infer<typeof Review>;

/**
 * Stores a review of a run.
 * @throws UsageError if the question cannot be asked again by itself, StoreUnavailableError if the store cannot be
 * written.
 */
export async function addReview(runs: Runs, { run: _, ...review }: Review, run: KeptRun) {
  if (run.question === "") throw new UsageError("The question of this run is not kept, so it cannot be asked again.");
  if (run.isFollowUp)
    throw new UsageError("This is a follow-up, which cannot be asked again without its conversation.");
  const { id, question, status } = run;
  const at = new Date().toISOString();
  const verdict = "down" as const;
  const feedback: Feedback = {
    ...{ id: `run-${id}`, at, question, verdict, reason: "", status, text: "", claims: [], history: [] },
    ...review,
  };
  await runs.addFeedback(feedback, { run: id });
}

/**
 * Makes questions for `emend eval` from opinions, the newest last. The right answer is what the reader expected or, for
 * an answer rated up, its sentences. A refusal rated up means that there is no answer. An answer that was only rated
 * down is left out, since the right one is not known. Of several on a question that was asked by itself, such as a
 * reader's opinion and an operator's review, the last one counts: the right answer is the same.
 */
export function evaluationItems(opinions: readonly Feedback[]) {
  const items = opinions.flatMap(({ id, question, verdict, expected, status, claims, history, ...review }) => {
    const item = {
      ...{ id, question, language: languageOf(question) },
      ...(history.length > 0 && { history }),
      ...(review.label && { tags: [review.label] }),
    };
    if (review.unanswerable) return [{ ...item, answerable: false }];
    if (expected !== "") return [{ ...item, answerable: true, answers: [expected] }];
    if (verdict === "down") return [];
    if (status === "refused") return [{ ...item, answerable: false }];
    const [first, ...also] = claims;
    return first === undefined ? [] : [{ ...item, answerable: true, answers: [first], also }];
  });
  return [...new Map(items.map((item) => [item.history ? item.id : item.question, item])).values()];
}
