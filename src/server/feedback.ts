import { createHash } from "node:crypto";
import { appendFile, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import { StoreUnavailableError, UsageError } from "../errors.js";
import { languageOf } from "../text/language.js";
import { Answer, FailureTag } from "../types/answer.js";
import type { Conversation } from "../types/conversation.js";
import type { KeptRun } from "../types/run.js";

/** What a reader thinks of an answer. */
export const Opinion = z.object({
  threadId: z.uuid().describe("The conversation."),
  question: z.string().min(1).max(20_000).describe("The question, as it was asked there."),
  verdict: z.enum(["up", "down"]),
  reason: z.string().trim().max(2_000).default("").describe("What is right or wrong about the answer."),
  expected: z.string().trim().max(1_000).default("").describe("The words that a right answer has."),
});
export type Opinion = z.infer<typeof Opinion>;

/** A line of the file of opinions: an opinion, with the answer that it is about. */
export const Feedback = Opinion.omit({ threadId: true }).extend({
  /** The same for all opinions on one answer. The last one counts. */
  id: z.string(),
  /** ISO time. */
  at: z.string(),
  status: Answer.shape.status,
  text: z.string(),
  claims: z.array(z.string()),
  history: z.array(z.object({ question: z.string(), answer: z.string() })),
  /** What went wrong, according to an operator. */
  label: FailureTag.optional(),
  /** An operator found that the documents do not answer the question. */
  unanswerable: z.boolean().optional(),
});
export type Feedback = z.infer<typeof Feedback>;

/**
 * Appends an opinion to a JSON Lines file, with the answer that the conversation has, not one that the client sends.
 * @param thread the id under which the conversation is stored. Only its hash is written.
 * @throws UsageError if the question was not asked there, StoreUnavailableError if the file cannot be written.
 */
export async function addFeedback(path: string, opinion: Opinion, thread: string, { turns }: Conversation) {
  const { threadId: _, ...said } = opinion;
  const at = turns.findLastIndex(({ question }) => question === opinion.question);
  const turn = turns[at];
  if (!turn) throw new UsageError("This question was not asked in the conversation.");
  const feedback: Feedback = {
    ...said,
    id: createHash("sha256").update(`${thread}\n${opinion.question}`).digest("hex").slice(0, 16),
    at: new Date().toISOString(),
    status: turn.status,
    text: turn.text,
    claims: [...new Set(turn.citations.map(({ claim }) => claim))],
    history: turns.slice(Math.max(0, at - REMEMBERED), at).map(({ question, text }) => ({ question, answer: text })),
  };
  await append(path, feedback);
}

/** An operator's review of a run that did not go well: what went wrong, and what is right. */
export const Review = z
  .object({
    run: z.number().int().describe("The number of the run."),
    label: FailureTag.optional().describe("What went wrong."),
    expected: z.string().trim().max(1_000).default("").describe("The words that a right answer has."),
    unanswerable: z.boolean().default(false).describe("The documents do not answer the question."),
  })
  .refine(({ expected, unanswerable }) => (expected !== "") !== unanswerable, {
    error: "needs either `expected` or `unanswerable`",
  });
export type Review = z.infer<typeof Review>;

/**
 * Adds a review to the file of opinions.
 * @throws UsageError if the question cannot be asked again by itself, StoreUnavailableError if the file cannot be
 * written.
 */
export async function addReview(path: string, { run: _, ...review }: Review, run: KeptRun) {
  if (run.question === "") throw new UsageError("The question of this run is not kept, so it cannot be asked again.");
  if (run.isFollowUp)
    throw new UsageError("This is a follow-up, which cannot be asked again without its conversation.");
  const { id, question, status } = run;
  const at = new Date().toISOString();
  const verdict = "down" as const;
  await append(path, {
    ...{ id: `run-${id}`, at, question, verdict, reason: "", status, text: "", claims: [], history: [] },
    ...review,
  });
}

/** Appends a line in one write, so that several servers can share the file. */
async function append(path: string, feedback: Feedback) {
  try {
    await mkdir(dirname(path), { recursive: true });
    await appendFile(path, `${JSON.stringify(feedback)}\n`, { mode: 0o600 });
  } catch (error) {
    throw new StoreUnavailableError("Feedback cannot be kept here: its file cannot be written.", { cause: error });
  }
}

/** Earlier turns that are kept with an opinion. */
const REMEMBERED = 5;

/**
 * Makes questions for `emend eval` from opinions. The right answer is what the reader expected or, for an answer rated
 * up, its sentences. A refusal rated up means that there is no answer. An answer that was only rated down is left out,
 * since the right one is not known. Of several on a question that was asked by itself, such as a reader's opinion and an
 * operator's review, the last one counts: the right answer is the same.
 */
export function evaluationItems(opinions: readonly Feedback[]) {
  const newest = new Map<string, Feedback>();
  for (const opinion of opinions) {
    newest.delete(opinion.id);
    newest.set(opinion.id, opinion);
  }
  const items = [...newest.values()].flatMap(
    ({ id, question, verdict, expected, status, claims, history, ...review }) => {
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
    },
  );
  return [...new Map(items.map((item) => [item.history ? item.id : item.question, item])).values()];
}
