import { z } from "zod";
import { type Answer, type Segment, Support } from "./answer.js";
import type { AgentEvent } from "./events.js";
import { Evidence, Span } from "./evidence.js";
import type { Computed } from "./table.js";

/** A quote in an answer, with the claim that it supports and its location in the source. */
export const Cited = Span.extend({
  /** The number of the source in the answer, from 1. */
  reference: z.number(),
  claim: z.string(),
  /** The index of the claim in the answer. */
  claimIndex: z.number().int().min(0),
  support: Support,
  quote: z.string(),
  /** The id of the evidence that `start` and `end` are offsets in; for a document, of the passage. */
  evidenceId: z.string(),
  source: Evidence.shape.source,
  title: z.string(),
  section: z.string(),
  /** For a web page, with a text fragment that makes a browser show the quote. */
  uri: z.string(),
  /** As in the reference. */
  collection: z.string().optional(),
});
export type Cited = z.infer<typeof Cited>;

/** A question of a thread, with its answer. */
export interface ConversationTurn {
  question: string;
  /** The answer, without its list of sources; empty while the question waits for a reply. */
  text: string;
  /** The same as data. */
  segments: Segment[];
  status: Answer["status"];
  /** Absent while the question waits for a reply. */
  stopReason?: Answer["stopReason"] | undefined;
  citations: Cited[];
  /** What was computed from tables for the citations, by their `evidenceId`; absent if nothing was. */
  computed?: Record<string, Computed> | undefined;
}

/** What was said in a thread. */
export interface Conversation {
  /** The questions with their answers, oldest first. */
  turns: ConversationTurn[];
  /** What the last question waits for; absent if it does not wait. */
  waiting?: AgentEvent;
}
