import { Worker } from "node:worker_threads";
import { toError } from "../../errors.js";

// A child process that does one job at a time. It ends if the job needs too much memory or the parent is gone.

/** Sent as a structured clone. */
export interface JobRequest {
  /** The module's address. */
  module: string;
  /** The function of the module to call. Without one, the module is only loaded. */
  job?: {
    name: string;
    args: readonly unknown[];
    /** The most resident memory, in bytes. */
    memory: number;
    isLast: boolean;
  };
}

/** `ready` is sent when a job's module is loaded. A `spent` process must not be used again. */
export type JobReply = "ready" | { result: unknown; spent: boolean } | { error: string; spent: boolean };

/** The most resident memory of the job that runs, in MB; 0 while none does. */
const busy = new Int32Array(new SharedArrayBuffer(4));

process.on("message", async ({ module, job }: JobRequest) => {
  const loading = import(module) as Promise<Readonly<Record<string, (...args: readonly unknown[]) => unknown>>>;
  if (!job) return void loading.catch(() => {});
  const functions = await loading;
  process.send?.("ready" satisfies JobReply);
  set(Math.ceil(job.memory / 1_000_000));
  const reply = await done(() => functions[job.name]?.(...job.args));
  set(0);
  // Memory that a large job leaves behind would count against the next one.
  const spent = job.isLast || process.memoryUsage.rss() > LEFT_BEHIND;
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

/** In bytes. */
const LEFT_BEHIND = 250_000_000;

/** Watches from a thread, since this one may be blocked. Watches resident memory, since V8's heap limit excludes buffers. */
function watch(): void {
  const source = `
    const { busy, parent } = require("node:worker_threads").workerData;
    const isAlone = () => { try { return !process.kill(parent, 0); } catch (error) { return error.code === "ESRCH"; } };
    for (;;) {
      Atomics.wait(busy, 0, 0);
      const most = Atomics.load(busy, 0);
      if (most === 0) continue;
      Atomics.wait(busy, 0, most, 50);
      if (process.memoryUsage.rss() > most * 1e6 || isAlone()) process.kill(process.pid, "SIGKILL");
    }`;
  new Worker(source, { eval: true, workerData: { busy, parent: process.ppid } }).unref();
}

function set(value: number): void {
  Atomics.store(busy, 0, value);
  Atomics.notify(busy, 0);
}
