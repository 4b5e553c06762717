import { toError } from "../../errors.js";
import { watchSelf } from "./watch.js";

// A child process that does one job at a time. It ends if the job takes too much memory or time, or the parent is gone.

/** Sent as a structured clone. */
export interface JobRequest {
  /** The module's address. */
  module: string;
  /** The function of the module to call. Without one, the module is only loaded. */
  job?: {
    name: string;
    args: readonly unknown[];
    /** The most processor time, in milliseconds. */
    ms: number;
    /** The most resident memory, in bytes. */
    memory: number;
    /** The most resident memory that the process may keep afterwards, in bytes. */
    leaves: number;
    isLast: boolean;
  };
}

/** `ready` is sent when a job's module is loaded. A `spent` process must not be used again. */
export type JobReply = "ready" | { result: unknown; spent: boolean } | { error: string; spent: boolean };

const watch = watchSelf(50);

process.on("message", async ({ module, job }: JobRequest) => {
  const loading = import(module) as Promise<Readonly<Record<string, (...args: readonly unknown[]) => unknown>>>;
  if (!job) return void loading.catch(() => {});
  const functions = await loading.catch((error: unknown) => {
    process.send?.({ error: toError(error).message, spent: true } satisfies JobReply);
  });
  if (!functions) return;
  process.send?.("ready" satisfies JobReply);
  watch.limit(job);
  const reply = await done(() => functions[job.name]?.(...job.args));
  watch.release();
  // Memory that a large job leaves behind would count against the next one.
  const spent = job.isLast || process.memoryUsage.rss() > job.leaves;
  process.send?.({ ...reply, spent } satisfies JobReply);
});
process.on("disconnect", () => process.exit());

async function done(work: () => unknown): Promise<{ result: unknown } | { error: string }> {
  try {
    return { result: await work() };
  } catch (error) {
    return { error: toError(error).message };
  }
}
