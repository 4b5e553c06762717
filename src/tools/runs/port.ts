import { createHash } from "node:crypto";
import type { Feedback } from "../../types/feedback.js";
import type { KeptRun, RunQuality, RunRecord, RunTotals } from "../../types/run.js";

/** Conditions on runs. A run must meet all that are given. */
export interface RunFilter {
  since?: Date | undefined;
  /** Before this time. */
  until?: Date | undefined;
  status?: string | undefined;
  /** A failure tag. */
  tag?: string | undefined;
  feedback?: string | undefined;
  /** The name of a scope. */
  scope?: string | undefined;
  /** Only runs that were refused, have a failure tag, or were marked wrong by a reader. */
  failed?: true | undefined;
}

/**
 * Keeps a record of every run for a while. This part is write-only: it gives no access to the records of other runs.
 */
export interface RunRecorder {
  /**
   * Records a run in the background, so that no answer waits for it. Never throws: `lost` reports failures.
   * @param thread the conversation, with which the record is deleted; empty for none.
   */
  add(run: RunRecord, thread: string): void;
  /** Marks the newest run of this question in a conversation, also in the background. Ignores unknown runs. */
  flag(thread: string, question: string, feedback: "up" | "down"): void;
  /** Returns the error of the last write that failed since the previous call, if any. */
  lost(): Error | undefined;
  /** Waits until all pending records are written. */
  close(): Promise<void>;
}

/** Access to the records, for operators, and to the opinions of readers. */
export interface Runs extends RunRecorder {
  /** Returns runs, the newest first. @throws StoreUnavailableError if the store cannot be read. */
  find(filter: RunFilter, limit: number): Promise<KeptRun[]>;
  get(id: number): Promise<KeptRun | undefined>;
  totals(filter: RunFilter): Promise<RunTotals>;
  /** Returns sums of the runs since a time by day, by tag and by document; lists have at most 50 entries. */
  quality(since: Date): Promise<RunQuality>;
  /**
   * Stores an opinion in place of an earlier one with the same id. It is deleted with the conversation that it is about,
   * or that the run belongs to; an opinion about a run without a conversation is deleted by its age, as runs are. An
   * opinion about an unknown run is ignored.
   * @throws StoreUnavailableError if the store cannot be written. Then the earlier opinion is still stored.
   */
  addFeedback(feedback: Feedback, about: { thread: string } | { run: number }): Promise<void>;
  /**
   * Returns all stored opinions and reviews, the newest last, and how many rows are damaged and left out.
   * @throws StoreUnavailableError if the store cannot be read.
   */
  feedback(): Promise<{ opinions: Feedback[]; damaged: number }>;
  /**
   * Notes that an alert is raised or resolved. Returns true if that is new: of several callers at once, in any process,
   * only one gets true. An alert that was never noted is resolved.
   * @throws StoreUnavailableError if the store cannot be read or written. Then nothing is noted.
   */
  noteAlert(name: string, isRaised: boolean): Promise<boolean>;
}

/** Returns the id of a passage's document. The passage's own id adds a number to it. */
export const documentOf = (passage: string) => passage.replace(/#\d+$/, "");

/** Returns a hash that tells whether two questions are the same. It hides the question, but a guess can be verified. */
export const questionHash = (question: string) =>
  createHash("sha256").update(question.trim()).digest("hex").slice(0, 16);
