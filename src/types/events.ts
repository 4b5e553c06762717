import { z } from "zod";
import { type Answer, type Claim, type Reference, StopReason } from "./answer.js";

/** One step of a run, and the edge taken after it. */
export const Decision = z.object({
  step: z.string(),
  to: z.string(),
  /** The reason for the edge, in words. */
  reason: z.string(),
  /** How many passages, facts, parts of pages or claims go to the next step, if it is known. */
  count: z.number().int().min(0).optional(),
  /** Set where this edge ends the run. */
  stop: StopReason.optional(),
  /** Faults of this step, each in one sentence. */
  faults: z.array(z.string()),
  calls: z.number().int().min(0),
  /** Tokens in and out. */
  tokens: z.number().int().min(0),
  milliseconds: z.number().min(0),
});
export type Decision = z.infer<typeof Decision>;

/** An event of a running question, sent through LangGraph's `custom` stream. */
export type AgentEvent =
  | { type: "decision"; decision: Decision }
  /** A claim whose citations hold. References are those the claim's citations name. */
  | { type: "claim"; claim: Claim; references: Reference[] }
  /** A claim that was sent and is not part of the answer. Nothing sent is ever withdrawn without this. */
  | { type: "retracted"; text: string; reason: string }
  /** The run waits: the next question asked in the same thread is taken as the reply. */
  | { type: "clarify"; question: string; reason: string }
  /**
   * The run waits: these queries would go to a web search. The next text asked in the same thread is taken as the reply:
   * "yes" lets them through, "no" none, other lines go in their place.
   */
  | { type: "approve"; queries: string[]; reason: string }
  | { type: "answer"; answer: Answer };

/** True if the documents were searched since the evidence was last graded. */
export const wasSearched = (decisions: readonly Decision[]) =>
  decisions.findLast(({ step }) => step === "retrieve" || step === "grade")?.step === "retrieve";
