import { z } from "zod";
import { Answer, FailureTag, Spend } from "./answer.js";
import { Decision } from "./events.js";
import { Language } from "./language.js";

/** The least value, the first quartile, the median, the third quartile and the greatest; null without values. */
const Distribution = z.array(z.number()).length(5).nullable();

/**
 * The stored record of a run: its route, its result and its cost. It holds no text of documents, no error messages, and
 * no query but the question.
 */
export const RunRecord = z.object({
  /** ISO time of the answer. */
  at: z.string(),
  /** As it was asked; empty if questions are not kept. */
  question: z.string(),
  /** Equal for equal questions. */
  questionHash: z.string(),
  language: Language,
  /** True if the question was rewritten to stand on its own, or is read together with the previous one. */
  isFollowUp: z.boolean(),
  /** The name of the asker's scope; empty if the asker may see everything. */
  scope: z.string(),
  /** The names of the collections that were asked; absent if all documents were. */
  collections: z.array(z.string()).optional(),
  status: Answer.shape.status,
  stopReason: Answer.shape.stopReason,
  confidence: z.number().min(0).max(1),
  /** The evidence at the end of the run: its search scores, and the relevance that grading gave it. */
  retrieved: z.object({ pieces: z.number().int(), score: Distribution, relevance: Distribution }),
  /** The ids of the evidence that the answer cites. */
  used: z.array(z.string()),
  /** The documents that the answer shows to disagree with each other. */
  disagreements: z.array(z.object({ newer: z.string(), older: z.string() })),
  /**
   * The number of claims: in all drafts, with a quote that was found, in the answer, and dropped because they did not
   * hold.
   */
  claims: z.object({
    drafted: z.number().int(),
    quoted: z.number().int(),
    shown: z.number().int(),
    dropped: z.number().int(),
  }),
  failures: z.array(FailureTag),
  spend: Spend,
  /** The steps, with the names of their errors. */
  route: z.array(Decision),
});
export type RunRecord = z.infer<typeof RunRecord>;

/** A record in the store. */
export const KeptRun = RunRecord.extend({
  /** Later runs have higher ids. */
  id: z.number().int(),
  /** A reader's rating of the answer; empty if there is none. */
  feedback: z.enum(["up", "down", ""]),
});
export type KeptRun = z.infer<typeof KeptRun>;

const sum = z.number().default(0);

/** The sums of many runs. */
export const RunTotals = z.object({
  runs: sum,
  refused: sum,
  /** Runs that a failed part left without an answer. */
  unavailable: sum,
  /** Runs that were answered in part. */
  partial: sum,
  /** Runs that were answered with quotes that may not answer. */
  unsure: sum,
  /** Runs in which a source or a model failed, even if they were answered without it. */
  faults: sum,
  followUps: sum,
  /** Claims: drafted, with a quote that was found, and dropped because they did not hold. */
  drafted: sum,
  quoted: sum,
  dropped: sum,
  /** Readers' ratings. */
  up: sum,
  down: sum,
  calls: sum,
  inputTokens: sum,
  outputTokens: sum,
  milliseconds: sum,
});
export type RunTotals = z.infer<typeof RunTotals>;

/** The sums of a day. */
export const RunDay = RunTotals.extend({
  /** ISO date, in UTC. */
  day: z.string(),
  /** The median time of a run, and the 95th percentile. */
  medianMilliseconds: z.number(),
  p95Milliseconds: z.number(),
});
export type RunDay = z.infer<typeof RunDay>;

/** The quality of the answers in a period. */
export const RunQuality = z.object({
  /** The days with runs, oldest first. */
  days: z.array(RunDay),
  /** The failure tags, most frequent first. */
  tags: z.array(z.object({ tag: FailureTag, runs: z.number() })),
  /**
   * Questions that no document answered and that were not answered later, most asked first. Empty if questions are not
   * kept.
   */
  unanswered: z.array(z.object({ question: z.string(), runs: z.number(), at: z.string() })),
  /** Documents that no answer cites: how many there are, and the first of them by name. */
  neverCited: z.object({ count: z.number(), documents: z.array(z.string()) }),
  /** Documents cited in answers that readers call wrong, the most frequent first. */
  disliked: z.array(z.object({ document: z.string(), runs: z.number() })),
  /** Documents that disagree with each other in answers, by how many answers show it. */
  disagreeing: z.array(z.object({ newer: z.string(), older: z.string(), runs: z.number() })),
  /** Documents last reviewed more than a year ago: how many there are, and the oldest of them, with ISO dates. */
  stale: z.object({
    count: z.number(),
    documents: z.array(z.object({ document: z.string(), reviewedAt: z.string() })),
  }),
});
export type RunQuality = z.infer<typeof RunQuality>;

/** The quality of the last days, with the runs that failed. */
export const QualityReply = RunQuality.extend({
  /** ISO date of the first day, in UTC. */
  since: z.string(),
  /** The newest failed runs, at most 50; only those with the tag if one was asked for. */
  failed: z.array(KeptRun),
  /**
   * Documents that are no longer valid: how many there are, and the first of them, those without a successor first.
   * `until` is the last day as an ISO date; it and `successor` are empty if unknown.
   */
  expired: z.object({
    count: z.number(),
    documents: z.array(z.object({ document: z.string(), until: z.string(), successor: z.string() })),
  }),
  /** True if the server has a file of generated questions to go through. */
  hasQuestions: z.boolean(),
  /** What a million tokens cost in US dollars; null if that is not set. */
  price: z.object({ input: z.number(), output: z.number() }).nullable(),
});
export type QualityReply = z.infer<typeof QualityReply>;
