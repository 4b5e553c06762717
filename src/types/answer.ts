import { z } from "zod";
import { ClaimReason } from "./claim-reason.js";
import { Span } from "./evidence.js";
import { Fault } from "./fault.js";
import { Provenance } from "./knowledge.js";
import { Language } from "./language.js";
import { Computed } from "./table.js";

/** The kind of answer that is asked for. Decides its form and how many passages it may use. */
export const Intent = z.enum(["definition", "steps", "comparison", "other"]);
export type Intent = z.infer<typeof Intent>;

/**
 * Where a sentence stands in an answer: in a paragraph, in the line that introduces a list, or in an item of a list.
 * Sentences with the same `block`, a count from 0, stand in the same paragraph or item.
 */
export const Form = z.object({
  kind: z.enum(["text", "lead", "bullet", "step"]),
  block: z.number().int().min(0),
  /** Set for the last one shown of what goes on in the source. Counts the entries if it is a list. */
  cut: z.object({ shown: z.number().int().min(0).optional(), of: z.number().int().min(0).optional() }).optional(),
});
export type Form = z.infer<typeof Form>;

/**
 * What a model asks to look for before it answers: the best passages for a query, the passages with exact words, a
 * document from a place on, the headings of a document or the titles of all, a query of tables, rows of the graph, or
 * pages of the web.
 */
export const LookUp = z.object({
  by: z.enum(["search", "find", "open", "outline", "query", "graph", "web"]),
  /** In the model's words; empty for the outline of all documents. For a query of tables, its SQL. */
  words: z.string(),
});
export type LookUp = z.infer<typeof LookUp>;

/** What a look-up found, as the model is told. */
export const Finding = LookUp.extend({
  /** The evidence that it found, in order; empty if there is none. */
  evidenceIds: z.array(z.string()),
  /** What to add in words: an outline, how many passages were not shown. Empty if nothing. */
  said: z.string(),
});
export type Finding = z.infer<typeof Finding>;

/** A drafted sentence with its citations, not checked yet. */
export const DraftClaim = z.object({
  text: z.string(),
  /** Absent for a sentence that code quotes: the question then decides on the form. */
  form: Form.optional(),
  citations: z.array(
    z.object({
      evidenceId: z.string(),
      quote: z.string(),
      /** Offset of the quote in its evidence; set if code cut the quote out. */
      start: z.number().int().min(0).optional(),
    }),
  ),
});
export type DraftClaim = z.infer<typeof DraftClaim>;

export const Draft = z.object({
  claims: z.array(DraftClaim),
  /** The part of the question the draft leaves open; empty when none. */
  missing: z.string(),
  /** True if the claims are sentences of the evidence, chosen by code. Absent for a model's draft. */
  quoted: z.boolean().optional(),
  /** What the model wants to look for before it answers; absent if nothing. */
  lookUps: z.array(LookUp).optional(),
  /** A question back to the user, if the question can be read in several ways. */
  clarification: z.string().optional(),
});
export type Draft = z.infer<typeof Draft>;

/** A verbatim quote, found in its evidence by code: `evidence.text.slice(start, end) === quote`. */
export const Citation = Span.extend({
  /** The number of the reference, from 1. */
  reference: z.number().int().min(1),
  quote: z.string(),
});
export type Citation = z.infer<typeof Citation>;

/**
 * "likely": the judge finds support more probable than not, but is not sure, and neither exact code nor a model
 * confirms it.
 */
export const Support = z.enum(["supported", "likely", "contradicted", "unsupported"]);
export type Support = z.infer<typeof Support>;

/** True if a claim may be shown: supported, or likely. */
export const holds = ({ verdict }: { verdict: Support }): boolean => verdict === "supported" || verdict === "likely";

/** The stages of checking, cheapest first. */
export const CheckStage = z.enum(["citations", "statements", "entailment", "graph", "checker"]);
export type CheckStage = z.infer<typeof CheckStage>;

/** The result of checking one claim of a draft. */
export const CheckedClaim = z.object({
  text: z.string(),
  form: Form.optional(),
  verdict: Support,
  reason: ClaimReason,
  /** The stage that settled it; absent if none could, which counts against the claim. */
  settledBy: CheckStage.optional(),
  /** Calibrated probability that its sources state all of it, 0 to 1; absent if no stage measured it. */
  probability: z.number().min(0).max(1).optional(),
  /** Calibrated probability that a source contradicts it, 0 to 1; absent if the judge was not asked. */
  contradicted: z.number().min(0).max(1).optional(),
  /** Spans of the claim that its sources do not support; absent if none are known. */
  wrong: z.array(Span).optional(),
  /** The quotes that were found, with the evidence they stand in. */
  quotes: z.array(Span.extend({ evidenceId: z.string(), quote: z.string() })),
});
export type CheckedClaim = z.infer<typeof CheckedClaim>;

/** Counts for one stage of checking: claims asked about, claims settled, and the cost. */
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
  /** True if the claims are quotes and the judge is not sure that they answer. */
  unsure: z.boolean().optional(),
  /** The rejected claims with the reasons, for the next draft; empty if none. */
  correctionSuggestion: z.string(),
  /** The evidence that is missing, in words; empty if none. */
  missing: z.string(),
});
export type Report = z.infer<typeof Report>;

/**
 * Model calls and tokens used. Token counts are the endpoint's, or estimated from lengths if it reports none.
 * `cachedTokens` are part of `inputTokens`.
 */
export const Usage = z.object({
  calls: z.number().int().min(0),
  inputTokens: z.number().int().min(0),
  cachedTokens: z.number().int().min(0),
  outputTokens: z.number().int().min(0),
});
export type Usage = z.infer<typeof Usage>;

/** Adds usage. Ignores figures that are not whole numbers, which a custom part may report. */
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

/** The reason why a run ended. */
export const StopReason = z.enum([
  "supported",
  "partly_supported",
  "unsure",
  "unanswerable",
  "unsupported",
  "needs_clarification",
  "sources_failed",
  "part_failed",
  "evidence_stagnation",
  "query_stagnation",
  "answer_stagnation",
  "rounds_spent",
  "calls_spent",
  "tokens_spent",
  "time_spent",
  "steps_spent",
  "small_talk",
]);
export type StopReason = z.infer<typeof StopReason>;

/** Why a query was sent, in the words of `src/answer/messages`. */
export const QueryReason = z.object({
  code: z.enum(["asked", "clarified", "with_previous", "standalone", "reworded", "asked_by_model"]),
  /** For "reworded": what the evidence lacked; absent if nothing relevant was found. */
  missing: z.string().optional(),
  /** True if misspelt words were replaced by words of the documents. */
  isRespelt: z.boolean().optional(),
});
export type QueryReason = z.infer<typeof QueryReason>;

/** A query that was sent to a source, and why. The first is the question itself. */
export const Query = z.object({ text: z.string(), reason: QueryReason });
export type Query = z.infer<typeof Query>;

/** A misspelt word of the question, and the word of the documents that it was read as. */
export const Misspelt = z.object({ written: z.string(), read: z.string() });
export type Misspelt = z.infer<typeof Misspelt>;

/** A claim that was checked and may be shown: supported, or likely. */
export const Claim = z.object({
  text: z.string(),
  /** Its place in a model's answer; absent for a quoted sentence. */
  form: Form.optional(),
  support: Support,
  /** Calibrated probability that its sources state all of it, 0 to 1. */
  probability: z.number().min(0).max(1).optional(),
  citations: z.array(Citation),
});
export type Claim = z.infer<typeof Claim>;

export const Reference = z.object({
  number: z.number().int().min(1),
  evidenceId: z.string(),
  source: z.enum(["document", "graph", "web", "table"]),
  title: z.string(),
  uri: z.string(),
  /** The headings above all of its quotes, outermost first, joined by " › ". */
  section: z.string(),
  /**
   * A web address that opens it at its first quote: its own, or one of the page of the server that answered. Absent if
   * neither has an address.
   */
  opens: z.string().optional(),
  /** When the source was reviewed, else retrieved: an ISO date or time. */
  date: z.string(),
  /** The first and the last day on which the source is valid, as ISO dates; absent if unknown. */
  validFrom: z.string().optional(),
  validUntil: z.string().optional(),
  /** Other locations with the same content; absent if none were found. */
  alsoIn: z.array(z.string()).optional(),
  /** For a fact of a graph: the query that found it, and its rows. */
  provenance: Provenance.optional(),
  /** For a figure or rows of tables: the query, its result, and the rows that it rests on. */
  computed: Computed.optional(),
  /** Set if the page could not be read: the quotes are from the search engine's excerpt. */
  preview: z.literal(true).optional(),
  /** The collection of the document: its title from a server with collections, else its name; absent if it is in none. */
  collection: z.string().optional(),
});
export type Reference = z.infer<typeof Reference>;

/** Two references whose sources disagree. Both are shown; neither is preferred. */
const Disagreement = z.object({ newer: z.number().int().min(1), older: z.number().int().min(1) });

/** A passage close to the question that was not judged to answer it. */
export const Nearest = z.object({
  title: z.string(),
  uri: z.string(),
  section: z.string(),
  /** The source's own words: whole sentences, or the first words of a long one; at most 300 characters. */
  quote: z.string(),
});
export type Nearest = z.infer<typeof Nearest>;

/** A document that was found but not used, because it is not valid at the time of the question. */
export const LeftOut = z.object({
  title: z.string(),
  uri: z.string(),
  /** Its first and its last day, as ISO dates; empty if unknown. */
  from: z.string(),
  until: z.string(),
  /** The document that replaced it; empty if none did. */
  successor: z.string(),
});
export type LeftOut = z.infer<typeof LeftOut>;

/**
 * The causes of a run that did not end well: a source could not be searched, nothing relevant was retrieved, relevant
 * passages ranked below irrelevant ones, a model failed, the draft said more than its sources, or no source states the answer.
 */
export const FailureTag = z.enum(["SOURCE_FAIL", "NO_RECALL", "BAD_RERANK", "PROMPT_FAIL", "OVERGEN", "NEED_CONTENT"]);
export type FailureTag = z.infer<typeof FailureTag>;

/** The tags of a source and a model that failed. */
export const FAULT_TAGS: readonly FailureTag[] = ["SOURCE_FAIL", "PROMPT_FAIL"];

/** True if another document could have helped. A partial answer may only leave out a statement that did not pass the check. */
export function lacksContent(status: Answer["status"], tags: readonly FailureTag[]): boolean {
  if (FAULT_TAGS.some((tag) => tags.includes(tag))) return false;
  return (
    status === "refused" || (status === "partial" && (tags.includes("NEED_CONTENT") || tags.includes("NO_RECALL")))
  );
}

/** A failure with its evidence and its remedy, both in the question's language. */
export const Failure = z.object({ tag: FailureTag, evidence: z.string(), remedy: z.string() });
export type Failure = z.infer<typeof Failure>;

export const Confidence = z.object({
  /** Mean and maximum similarity of the claims to their quotes, 0 to 1. */
  averageSimilarity: z.number().min(0).max(1),
  maxSimilarity: z.number().min(0).max(1),
  /** The share of the question's content words that the quotes cover, 0 to 1. */
  coverage: z.number().min(0).max(1),
  /** The probability that the answer is right, 0 to 1: that the evidence answers, times that the draft is supported. */
  score: z.number().min(0).max(1),
});
export type Confidence = z.infer<typeof Confidence>;

/** A piece of a line: words, or the marker of a reference (" [1]"). */
export const Piece = z.object({
  text: z.string(),
  /** The number of the reference that the marker names; absent for words. */
  reference: z.number().int().min(1).optional(),
  /** The index of the claim that the marker belongs to; absent for words, and for markers in emend's own sentences. */
  claimIndex: z.number().int().min(0).optional(),
});
export type Piece = z.infer<typeof Piece>;

/** A paragraph or an item of a list, as pieces that follow each other without a gap. */
export const Segment = z.object({
  /**
   * - `text`: a paragraph.
   * - `lead`: a line that introduces what follows, usually a list.
   * - `bullet`, `step`: an item of a list; adjacent items form one list, and steps are numbered from 1.
   * - `note`: a paragraph by emend about the answer: what is missing, what is old, how the question was read.
   */
  kind: z.enum(["text", "lead", "bullet", "step", "note"]),
  pieces: z.array(Piece),
});
export type Segment = z.infer<typeof Segment>;

export const Answer = z.object({
  /**
   * "partial": a part of the question is answered, and `missing` says which is not. "unsure": up to three quotes that
   * may answer, best first. "refused": everything was searched and read, and nothing answers. "unavailable": a part
   * failed, so it is unknown whether the documents answer; `faults` says which.
   */
  status: z.enum(["answered", "partial", "unsure", "needs_clarification", "refused", "unavailable"]),
  stopReason: StopReason,
  /** The answer, or the refusal, or the question back to the user. */
  segments: z.array(Segment),
  /** The same as one text: Markdown with [1] [2] markers. */
  text: z.string(),
  language: Language,
  claims: z.array(Claim),
  references: z.array(Reference),
  disagreements: z.array(Disagreement),
  /** The part of the question that is not answered, in words; empty if none. */
  missing: z.string(),
  /** Why an answer is incomplete, worst first, with what would help; empty for a complete one. */
  failures: z.array(Failure),
  /** The parts that failed, each failure once, in order; also those that a complete answer did without. */
  faults: z.array(Fault).default([]),
  /** With a refusal: the passages nearest to the question, nearest first, at most three. None of them answers it. */
  nearest: z.array(Nearest).optional(),
  /** The misspelt words of the question; absent if there are none. */
  misspelt: z.array(Misspelt).optional(),
  /** The content types of attachments to the question, which are not read; absent if there are none. */
  unread: z.array(z.string()).optional(),
  /** The documents that were found but are not valid at the time of the question; absent if there are none. */
  leftOut: z.array(LeftOut).optional(),
  /**
   * The numbers of old references (context `staleAfter`) of claims that cite no newer one; absent if there are none.
   */
  stale: z.array(z.number().int().min(1)).optional(),
  confidence: Confidence,
  report: Report,
  spend: Spend,
  queries: z.array(Query),
});
export type Answer = z.infer<typeof Answer>;

/**
 * How an answer gets its citations. In every style, code finds the quotes in the sources and checks the claims against
 * them.
 * - `inline`, the default: the model writes prose with [1][2]; code reads the markers and finds the quotes.
 * - `quote`: the model writes claims and copies the words they rest on.
 * - `document`: the model writes claims and names their sources; code finds the quotes.
 * - `sources`: the model writes prose and lists what it used; the answer has no markers, and the list follows it.
 * - `compress`: the model writes claims and names the parts of sources that state them.
 * - `annotate`: the model writes prose first; then the model, or text similarity, finds the support for each sentence.
 */
export const Citing = z.enum(["inline", "quote", "document", "sources", "compress", "annotate"]);
export type Citing = z.infer<typeof Citing>;
