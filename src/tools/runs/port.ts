import { createHash } from "node:crypto";
import type { KeptRun, RunQuality, RunRecord, RunTotals } from "../../types/run.js";

/** Which runs are wanted. Conditions left out are none; all of them hold. */
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
  /** It was refused, has a failure tag, or a reader calls its answer wrong. */
  failed?: true | undefined;
}

/** Keeps a record of every run for a while. What the nodes and the server have of it tells them nothing of other runs. */
export interface RunRecorder {
  /**
   * Records a run in the background, so that no answer waits for it. Never throws: `lost` tells what failed.
   * @param thread the conversation, with which the record is deleted; empty for none.
   */
  add(run: RunRecord, thread: string): void;
  /** Marks the newest run of this question in a conversation, in the background too. Ignores one that is not kept. */
  flag(thread: string, question: string, feedback: "up" | "down"): void;
  /** Returns why something was not written, if it was not since this was asked last. */
  lost(): Error | undefined;
  /** Waits until what was added is written. */
  close(): Promise<void>;
}

/** The records, for whoever runs the program. */
export interface Runs extends RunRecorder {
  /** Returns runs, the newest first. @throws StoreUnavailableError if the store cannot be read. */
  find(filter: RunFilter, limit: number): Promise<KeptRun[]>;
  get(id: number): Promise<KeptRun | undefined>;
  totals(filter: RunFilter): Promise<RunTotals>;
  /** Returns sums of the runs since a time by day, by tag and by document; lists have at most 50 entries. */
  quality(since: Date): Promise<RunQuality>;
}

/** Returns what tells whether two questions are the same. It does not tell the question, but whether a guess is right. */
export const questionHash = (question: string) =>
  createHash("sha256").update(question.trim()).digest("hex").slice(0, 16);
