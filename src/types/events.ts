import { z } from "zod";
import { type Answer, type Claim, type Reference, StopReason } from "./answer.js";
import type { ClaimReason } from "./claim-reason.js";
import { Fault } from "./fault.js";

const count = z.number().int().min(0);

/** Why an edge is taken: a code, and the values that its sentence names. The sentences are in `src/answer/messages`. */
export const Reason = z.discriminatedUnion("code", [
  z.object({
    code: z.enum([
      "search_first",
      "small_talk",
      "compute",
      "query_failed",
      "query_empty",
      "graph_failed",
      "graph_empty",
      "web_failed",
      "no_query_approved",
      "readable_pages_silent",
      "pages_silent",
      "done",
      "another_answer",
      "evidence_answers",
      "evidence_answers_partly",
      "evidence_may_answer",
      "model_reads",
      "ambiguous",
      "more_passages",
      "rephrase",
      "search_web",
      "draft_supported",
      "evidence_quoted",
      "repair",
      "best_quotes_shown",
      "partly_supported",
      "budget_spent",
      "same_draft",
      "draft_empty_again",
      "nothing_supported",
      "details_added",
      "nobody_to_ask",
      "question_failed",
      "nothing_new_found",
      "rounds_spent",
      "nothing_answers",
      "no_documents",
      "documents_failed",
      "grade_found",
      "next_step",
    ]),
  }),
  z.object({
    code: z.enum([
      "passages_to_grade",
      "results_to_grade",
      "facts_to_grade",
      "page_sections_to_grade",
      "claims_to_check",
    ]),
    count,
  }),
  z.object({ code: z.literal("pages_found"), count, queries: z.array(z.string()) }),
  z.object({ code: z.literal("no_pages_found"), queries: z.array(z.string()) }),
  z.object({ code: z.literal("new_query"), query: z.string() }),
  /** The model wants to look for more before it answers. */
  z.object({ code: z.literal("model_asks"), queries: z.array(z.string()) }),
  /** What is missing, which another rung of the ladder may find. `label` is set if that rung was added from outside. */
  z.object({
    code: z.enum(["documents_silent", "no_new_wording", "draft_open", "draft_empty"]),
    label: z.string().optional(),
  }),
  /** The reason given by a router that was added from outside, in its own words. */
  z.object({ code: z.literal("own"), words: z.string() }),
]);
export type Reason = z.infer<typeof Reason>;
export type ReasonCode = Reason["code"];

/** One step of a run, and the edge taken after it. */
export const Decision = z.object({
  step: z.string(),
  to: z.string(),
  reason: Reason,
  /** Set where this edge ends the run. */
  stop: StopReason.optional(),
  /** What went wrong in this step. */
  faults: z.array(Fault),
  calls: z.number().int().min(0),
  /** Tokens in and out. */
  tokens: z.number().int().min(0),
  milliseconds: z.number().min(0),
  /** How many passages, facts and parts of pages were read and judged in this step; absent if none were. */
  read: z.number().int().min(1).optional(),
});
export type Decision = z.infer<typeof Decision>;

/** An event of a running question, sent through LangGraph's `custom` stream. */
export type AgentEvent =
  | { type: "decision"; decision: Decision }
  /** A claim whose citations hold. References are those the claim's citations name. */
  | { type: "claim"; claim: Claim; references: Reference[] }
  /** A sentence of the draft that waits for its check, as the model wrote it. It becomes a claim, or is left out. */
  | { type: "pending"; text: string }
  /** A claim that was sent and is not part of the answer, and why. Nothing sent is ever withdrawn without this. */
  | { type: "retracted"; text: string; reason: ClaimReason }
  /** The run waits: the next question asked in the same thread is taken as the reply. */
  | { type: "clarify"; question: string; reason?: Reason | undefined }
  /**
   * The run waits: these queries would go to a web search. The next text asked in the same thread is taken as the
   * reply: "yes" approves them, "no" rejects them, and other lines replace them.
   */
  | { type: "approve"; queries: string[]; reason?: Reason | undefined }
  | { type: "answer"; answer: Answer };

/** True if the documents were searched since the evidence was last graded. */
export const wasSearched = (decisions: readonly Decision[]) =>
  decisions.findLast(({ step }) => step === "retrieve" || step === "grade")?.step === "retrieve";
