import { z } from "zod";
import { type Answer, Support } from "./answer.js";
import type { AgentEvent } from "./events.js";
import { Evidence, Span } from "./evidence.js";

/** A quote of an answer, with the statement that it supports and the place that it stands in. */
export const Cited = Span.extend({
  /** The number of the source in the answer, from 1. */
  reference: z.number(),
  claim: z.string(),
  support: Support,
  quote: z.string(),
  /** What `start` and `end` are offsets in; the passage, for a document. Empty if an older version did not keep it. */
  evidenceId: z.string().default(""),
  source: Evidence.shape.source.default("document"),
  title: z.string(),
  section: z.string(),
  /** Of a web page: with a fragment that shows the quote. */
  uri: z.string(),
});
export type Cited = z.infer<typeof Cited>;

/** A question of a thread, with its answer. */
export interface ConversationTurn {
  question: string;
  /** The answer, without its list of sources; empty while the question waits. */
  text: string;
  status: Answer["status"];
  citations: Cited[];
}

/** What was said in a thread. */
export interface Conversation {
  /** The questions with their answers, oldest first. */
  turns: ConversationTurn[];
  /** What the last question waits for; absent if it does not wait. */
  waiting?: AgentEvent;
}
