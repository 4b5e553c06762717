import { z } from "zod";
import { type Answer, type Segment, Support } from "./answer.js";
import type { AgentEvent } from "./events.js";
import { Evidence, Span } from "./evidence.js";

/** A quote of an answer, with the statement that it supports and the place that it stands in. */
export const Cited = Span.extend({
  /** The number of the source in the answer, from 1. */
  reference: z.number(),
  claim: z.string(),
  /** The index of the statement among those of the answer. */
  claimIndex: z.number().int().min(0),
  support: Support,
  quote: z.string(),
  /** What `start` and `end` are offsets in; the passage, for a document. */
  evidenceId: z.string(),
  source: Evidence.shape.source,
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
  /** The same as data. */
  segments: Segment[];
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
