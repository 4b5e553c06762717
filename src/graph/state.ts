import type { BaseMessage } from "@langchain/core/messages";
import { MessagesZodMeta } from "@langchain/langgraph";
import { withLangGraph } from "@langchain/langgraph/zod";
import { z } from "zod";
import { Answer, Draft, Intent, Query, Report, Spend } from "../types/answer.js";
import { Decision } from "../types/events.js";
import { Evidence, Language, Verdict } from "../types/evidence.js";

/** What the question asks for, worked out once and used by every stage. */
export const Understood = z.object({
  /** The question, standing on its own: what is graded against, answered and checked. */
  question: z.string(),
  language: Language,
  intent: Intent,
  /** How many passages the answer may use. */
  passages: z.number().int(),
});
export type Understood = z.infer<typeof Understood>;

/** One pass: evidence gathered for a query and graded, then drafted and checked where it sufficed. A repair is a pass of its own. */
export const Attempt = z.object({
  query: z.string(),
  evidenceIds: z.array(z.string()),
  verdict: Verdict,
  repair: z.boolean(),
  draft: Draft.optional(),
  report: Report.optional(),
  spend: Spend,
});
export type Attempt = z.infer<typeof Attempt>;

const messages = withLangGraph(z.custom<BaseMessage[]>(), MessagesZodMeta);
const question = z.string().default("").describe("The question. Leave empty when the messages end with it.");

/** Where a run stands. Every field but `messages` belongs to the question at hand and is replaced, never merged. */
export const State = z.object({
  messages,
  question,
  /** The id of the message that asks the question at hand. */
  askedIn: z.string().default(""),
  /** What the user said when asked to clarify the question. */
  clarification: z.string().default(""),
  understood: Understood.optional(),
  queries: z.array(Query).default([]),
  evidence: z.array(Evidence).default([]),
  /** Ids of evidence that was irrelevant or misled an answer: not retrieved again for this question. */
  excluded: z.array(z.string()).default([]),
  verdict: Verdict.optional(),
  draft: Draft.optional(),
  report: Report.optional(),
  attempts: z.array(Attempt).default([]),
  /** Texts of the claims already streamed to the caller. */
  streamed: z.array(z.string()).default([]),
  decisions: z.array(Decision).default([]),
  spend: Spend.prefault({ calls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0, milliseconds: 0 }),
  answer: Answer.optional(),
});
export type State = z.infer<typeof State>;
export type Update = Partial<State>;

export const Input = z.object({ messages, question });
export const Output = z.object({ messages, answer: Answer.optional() });
