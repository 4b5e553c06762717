import { z } from "zod";
import { Language, Span } from "./evidence.js";
import { Provenance } from "./graph.js";

/** What an answer is asked to be; decides how many passages it may use and the form it takes. */
export const Intent = z.enum(["definition", "steps", "comparison", "other"]);
export type Intent = z.infer<typeof Intent>;

/** A sentence with the words it rests on, before anything was checked. */
export const DraftClaim = z.object({
  text: z.string(),
  citations: z.array(z.object({ evidenceId: z.string(), quote: z.string() })),
});
export type DraftClaim = z.infer<typeof DraftClaim>;

export const Draft = z.object({
  claims: z.array(DraftClaim),
  /** The part of the question the draft leaves open; empty when none. */
  missing: z.string(),
});
export type Draft = z.infer<typeof Draft>;

/** A verbatim quote, found in its evidence by code: `evidence.text.slice(start, end) === quote`. */
export const Citation = Span.extend({
  /** The number of the reference, from 1. */
  reference: z.number().int().min(1),
  quote: z.string(),
});
export type Citation = z.infer<typeof Citation>;

export const Support = z.enum(["supported", "contradicted", "unsupported"]);
export type Support = z.infer<typeof Support>;

/** What checking found for one claim of a draft. */
export const CheckedClaim = z.object({
  text: z.string(),
  verdict: Support,
  reason: z.string(),
  /** The quotes that were found, with the evidence they stand in. */
  quotes: z.array(Span.extend({ evidenceId: z.string(), quote: z.string() })),
});
export type CheckedClaim = z.infer<typeof CheckedClaim>;

/** The result of checking a draft against its evidence. */
export const Report = z.object({
  hallucinationDetected: z.boolean(),
  claims: z.array(CheckedClaim),
  contextSufficiency: z.enum(["sufficient", "partial", "insufficient"]),
  /** What to change, in words, for the next draft; empty when nothing. */
  correctionSuggestion: z.string(),
  /** What evidence would be needed; empty when nothing. */
  missing: z.string(),
});
export type Report = z.infer<typeof Report>;

/** What was used up. Tokens are as the endpoint reports them; cached ones are part of `inputTokens`. */
export const Usage = z.object({
  calls: z.number().int().min(0),
  inputTokens: z.number().int().min(0),
  cachedTokens: z.number().int().min(0),
  outputTokens: z.number().int().min(0),
});
export type Usage = z.infer<typeof Usage>;

export const Spend = Usage.extend({
  /** Time spent inside nodes; waiting for a person does not count. */
  milliseconds: z.number().min(0),
});
export type Spend = z.infer<typeof Spend>;

export const NOTHING_SPENT: Spend = { calls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0, milliseconds: 0 };

/** Why a run ended. */
export const StopReason = z.enum([
  "supported",
  "partly_supported",
  "unanswerable",
  "unsupported",
  "needs_clarification",
  "sources_failed",
  "evidence_stagnation",
  "query_stagnation",
  "answer_stagnation",
  "rounds_spent",
  "calls_spent",
  "tokens_spent",
  "time_spent",
  "steps_spent",
]);
export type StopReason = z.infer<typeof StopReason>;

/** A query that was sent to a source, and why. The first is the question itself. */
export const Query = z.object({ text: z.string(), reason: z.string() });
export type Query = z.infer<typeof Query>;

/** A claim that was checked and may be shown. */
export const Claim = z.object({ text: z.string(), support: Support, citations: z.array(Citation) });
export type Claim = z.infer<typeof Claim>;

export const Reference = z.object({
  number: z.number().int().min(1),
  evidenceId: z.string(),
  source: z.enum(["document", "graph", "web"]),
  title: z.string(),
  uri: z.string(),
  section: z.string(),
  /** When the source was reviewed, else retrieved: an ISO date or time. */
  date: z.string(),
  /** For a fact of a graph: the query that found it, and its rows. */
  provenance: Provenance.optional(),
  /** The quotes are a search engine's words on the page, which could not be read. */
  preview: z.literal(true).optional(),
});
export type Reference = z.infer<typeof Reference>;

/** Two references whose sources say different things: both are shown, and nothing is decided. */
const Disagreement = z.object({ newer: z.number().int().min(1), older: z.number().int().min(1) });

export const Confidence = z.object({
  /** Mean and maximum similarity of the claims to their quotes, 0 to 1. */
  averageSimilarity: z.number().min(0).max(1),
  maxSimilarity: z.number().min(0).max(1),
  /** The share of the question's content words that the quotes cover, 0 to 1. */
  coverage: z.number().min(0).max(1),
  /** The three and the verdicts in one number, 0 to 1. */
  score: z.number().min(0).max(1),
});
export type Confidence = z.infer<typeof Confidence>;

export const Answer = z.object({
  status: z.enum(["answered", "partial", "needs_clarification", "refused"]),
  stopReason: StopReason,
  /** The answer with [1] [2] markers, or the refusal, or the question back to the user. */
  text: z.string(),
  language: Language,
  claims: z.array(Claim),
  references: z.array(Reference),
  disagreements: z.array(Disagreement),
  /** What could not be answered, in words; empty when nothing. */
  missing: z.string(),
  confidence: Confidence,
  report: Report,
  spend: Spend,
  queries: z.array(Query),
});
export type Answer = z.infer<typeof Answer>;
