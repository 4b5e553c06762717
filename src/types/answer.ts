import { z } from "zod";
import { Language, Span } from "./evidence.js";
import { Provenance } from "./graph.js";

/** What an answer is asked to be; decides how many passages it may use and the form it takes. */
export const Intent = z.enum(["definition", "steps", "comparison", "other"]);
export type Intent = z.infer<typeof Intent>;

/** A sentence with the words it rests on, before anything was checked. */
export const DraftClaim = z.object({
  text: z.string(),
  citations: z.array(
    z.object({
      evidenceId: z.string(),
      quote: z.string(),
      /** Where the quote starts, where code took it from there. */
      start: z.number().int().min(0).optional(),
    }),
  ),
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

/** "likely": more likely than not, and neither exact code, nor a judge that is sure, nor a model says so. */
export const Support = z.enum(["supported", "likely", "contradicted", "unsupported"]);
export type Support = z.infer<typeof Support>;

/** Whether a claim may be shown, as what it is: supported, or likely. */
export const holds = ({ verdict }: { verdict: Support }): boolean => verdict === "supported" || verdict === "likely";

/** How a claim was settled, cheapest first. */
export const CheckStage = z.enum(["citations", "statements", "entailment", "graph", "checker"]);
export type CheckStage = z.infer<typeof CheckStage>;

/** What checking found for one claim of a draft. */
export const CheckedClaim = z.object({
  text: z.string(),
  verdict: Support,
  reason: z.string(),
  /** The stage that settled it; absent where none could, and doubt was decided against it. */
  settledBy: CheckStage.optional(),
  /** How probable it is that its sources state all of it, 0 to 1; absent where nobody could tell. */
  probability: z.number().min(0).max(1).optional(),
  /** How probable it is that a source says otherwise, 0 to 1; absent where the judge was not asked. */
  contradicted: z.number().min(0).max(1).optional(),
  /** Words of the claim that its sources do not carry, as places in it; absent where none are known. */
  wrong: z.array(Span).optional(),
  /** The quotes that were found, with the evidence they stand in. */
  quotes: z.array(Span.extend({ evidenceId: z.string(), quote: z.string() })),
});
export type CheckedClaim = z.infer<typeof CheckedClaim>;

/** How often a stage of checking settled a claim, of those it was asked about, and at what cost. */
export const StageCount = z.object({
  stage: CheckStage,
  asked: z.number().int().min(0),
  settled: z.number().int().min(0),
  /** Model calls. */
  calls: z.number().int().min(0),
  milliseconds: z.number().min(0),
});
export type StageCount = z.infer<typeof StageCount>;

/** The result of checking a draft against its evidence. */
export const Report = z.object({
  hallucinationDetected: z.boolean(),
  claims: z.array(CheckedClaim),
  /** The stages that were asked, in order. */
  stages: z.array(StageCount).default([]),
  contextSufficiency: z.enum(["sufficient", "partial", "insufficient"]),
  /** How probable it is that the claims that hold answer the question, 0 to 1 (Self-RAG, arXiv 2310.11511); absent where nothing measures it. */
  usefulness: z.number().min(0).max(1).optional(),
  /** What to change, in words, for the next draft; empty when nothing. */
  correctionSuggestion: z.string(),
  /** What evidence would be needed; empty when nothing. */
  missing: z.string(),
});
export type Report = z.infer<typeof Report>;

/** What was used up. Tokens are as the endpoint reports them, or estimated by length where it does not; cached ones are part of `inputTokens`. */
export const Usage = z.object({
  calls: z.number().int().min(0),
  inputTokens: z.number().int().min(0),
  cachedTokens: z.number().int().min(0),
  outputTokens: z.number().int().min(0),
});
export type Usage = z.infer<typeof Usage>;

/** A figure that is no whole number, as a part of somebody's own may pass on, adds nothing. */
export function addUsage<T extends Usage>(total: T, usage: Usage): T {
  return {
    ...total,
    calls: sum(total.calls, usage.calls),
    inputTokens: sum(total.inputTokens, usage.inputTokens),
    cachedTokens: sum(total.cachedTokens, usage.cachedTokens),
    outputTokens: sum(total.outputTokens, usage.outputTokens),
  };
}

const sum = (total: number, used: number) =>
  Number.isSafeInteger(used) && used >= 0 ? Math.min(total + used, Number.MAX_SAFE_INTEGER) : total;

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

/** A claim that was checked and may be shown: supported, or likely. */
export const Claim = z.object({
  text: z.string(),
  support: Support,
  /** How probable it is that its sources state all of it, 0 to 1. */
  probability: z.number().min(0).max(1).optional(),
  citations: z.array(Citation),
});
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

/** A passage that came near the question and was not judged to answer it. */
export const Nearest = z.object({
  title: z.string(),
  uri: z.string(),
  section: z.string(),
  /** The source's own words, at most 300 characters of them. */
  quote: z.string(),
});
export type Nearest = z.infer<typeof Nearest>;

/**
 * What went wrong in a run that did not end well: a source could not be searched, nothing relevant was found, the relevant
 * stood below the irrelevant, a model failed, the draft said more than its sources, or nothing found was judged to state it.
 */
export const FailureTag = z.enum(["SOURCE_FAIL", "NO_RECALL", "BAD_RERANK", "PROMPT_FAIL", "OVERGEN", "NEED_CONTENT"]);
export type FailureTag = z.infer<typeof FailureTag>;

/** Both in words of the question's language. */
export const Failure = z.object({ tag: FailureTag, evidence: z.string(), remedy: z.string() });
export type Failure = z.infer<typeof Failure>;

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
  /** What kept the run from ending well, worst first; empty for an answer that leaves nothing open. */
  failures: z.array(Failure),
  /** With a refusal: what was found nearest to the question, nearest first, at most three. None of it is an answer. */
  nearest: z.array(Nearest).optional(),
  confidence: Confidence,
  report: Report,
  spend: Spend,
  queries: z.array(Query),
});
export type Answer = z.infer<typeof Answer>;
