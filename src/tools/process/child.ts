import { Worker } from "node:worker_threads";
import { toError } from "../../errors.js";

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

/**
 * The limits of the running job: its resident memory in MB, which is 0 while no job runs, and the `cpuTime` by which it
 * must end.
 */
const limits = new Int32Array(new SharedArrayBuffer(8));

process.on("message", async ({ module, job }: JobRequest) => {
  const loading = import(module) as Promise<Readonly<Record<string, (...args: readonly unknown[]) => unknown>>>;
  if (!job) return void loading.catch(() => {});
  const functions = await loading.catch((error: unknown) => {
    process.send?.({ error: toError(error).message, spent: true } satisfies JobReply);
  });
  if (!functions) return;
  process.send?.("ready" satisfies JobReply);
  // Set before the memory limit, which starts the watch: a job must never be held to the time limit of another.
  Atomics.store(limits, 1, cpuTime() + job.ms);
  setMemory(Math.ceil(job.memory / 1_000_000));
  const reply = await done(() => functions[job.name]?.(...job.args));
  setMemory(0);
  // Memory that a large job leaves behind would count against the next one.
  const spent = job.isLast || process.memoryUsage.rss() > job.leaves;
  process.send?.({ ...reply, spent } satisfies JobReply);
});
process.on("disconnect", () => process.exit());
watch();

async function done(work: () => unknown): Promise<{ result: unknown } | { error: string }> {
  try {
    return { result: await work() };
  } catch (error) {
    return { error: toError(error).message };
  }
}

/**
 * Watches from a thread, since this one may be blocked. Watches resident memory, since V8's heap limit excludes
 * buffers, and processor time, since a busy or sleeping machine is not the job's fault. Ends the process with SIGTERM
 * if time is up, and with SIGKILL for memory or if the parent is gone.
 */
function watch(): void {
  const source = `
    const { limits, parent } = require("node:worker_threads").workerData;
    const isAlone = () => { try { return !process.kill(parent, 0); } catch (error) { return error.code === "ESRCH"; } };
    const cpuTime = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1e3; };
    for (;;) {
      Atomics.wait(limits, 0, 0);
      for (let most; (most = Atomics.load(limits, 0)) > 0; Atomics.wait(limits, 0, most, 50)) {
        if (process.memoryUsage.rss() > most * 1e6 || isAlone()) process.kill(process.pid, "SIGKILL");
        if (cpuTime() > Atomics.load(limits, 1)) process.kill(process.pid, "SIGTERM");
      }
    }`;
  new Worker(source, { eval: true, workerData: { limits, parent: process.ppid } }).unref();
}

function setMemory(megabytes: number): void {
  Atomics.store(limits, 0, megabytes);
  Atomics.notify(limits, 0);
}

/** The processor time of this process, in milliseconds. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return Math.ceil((user + system) / 1_000);
}
