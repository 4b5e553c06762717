import { z } from "zod";
import { Answer, FailureTag, Spend } from "./answer.js";
import { Decision } from "./events.js";
import { Language } from "./evidence.js";

/** The least value, the first quartile, the median, the third quartile and the greatest; null without values. */
const Distribution = z.array(z.number()).length(5).nullable();

/** What is kept of a run: how it went and what it took. No text of a document, no error's message, no query but the question. */
export const RunRecord = z.object({
  /** ISO time of the answer. */
  at: z.string(),
  /** As it was asked; empty where questions are not kept. */
  question: z.string(),
  /** The same for the same question. */
  questionHash: z.string(),
  language: Language,
  /** It was made to stand on its own, or is read beside the question before. */
  isFollowUp: z.boolean(),
  /** The name of the scope of who asked; empty for everything. */
  scope: z.string(),
  status: Answer.shape.status,
  stopReason: Answer.shape.stopReason,
  confidence: z.number().min(0).max(1),
  /** What was found last: the scores of the search, and the relevance that grading gave. */
  retrieved: z.object({ pieces: z.number().int(), score: Distribution, relevance: Distribution }),
  /** The ids of the evidence that the answer cites. */
  used: z.array(z.string()),
  /** Claims of all drafts: how many there were, of how many a quote was found, how many are in the answer, how many did not hold. */
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
  /** Grows with time. */
  id: z.number().int(),
  /** What a reader thinks of the answer; empty if none has said. */
  feedback: z.enum(["up", "down", ""]),
});
export type KeptRun = z.infer<typeof KeptRun>;

const sum = z.number().default(0);

/** The sums of many runs. */
export const RunTotals = z.object({
  runs: sum,
  refused: sum,
  followUps: sum,
  /** Claims that were drafted; those of them of which a quote was found, and those that did not hold. */
  drafted: sum,
  quoted: sum,
  dropped: sum,
  /** Readers' opinions. */
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
  /** The time that half of the runs took at most, and 95 of 100. */
  medianMilliseconds: z.number(),
  p95Milliseconds: z.number(),
});
export type RunDay = z.infer<typeof RunDay>;

/** How good the answers of a time were. */
export const RunQuality = z.object({
  /** The days on which there were runs, the oldest first. */
  days: z.array(RunDay),
  /** The tags of what went wrong, the most frequent first. */
  tags: z.array(z.object({ tag: FailureTag, runs: z.number() })),
  /**
   * Questions that no document answered and that were not answered later, the most asked first. They are empty where
   * questions are not kept.
   */
  unanswered: z.array(z.object({ question: z.string(), runs: z.number(), at: z.string() })),
  /** Documents that no answer cites: how many there are, and the first by name. */
  neverCited: z.object({ count: z.number(), documents: z.array(z.string()) }),
  /** Documents cited in answers that readers call wrong, the most frequent first. */
  disliked: z.array(z.object({ document: z.string(), runs: z.number() })),
});
export type RunQuality = z.infer<typeof RunQuality>;

/** The same for the last days, with what failed. */
export const QualityReply = RunQuality.extend({
  /** ISO date of the first day, in UTC. */
  since: z.string(),
  /** The newest runs that did not go well, at most 50. If a tag was asked for, those that have it. */
  failed: z.array(KeptRun),
});
export type QualityReply = z.infer<typeof QualityReply>;
