import { Worker } from "node:worker_threads";
import { toError } from "../../errors.js";
import { chunk } from "../ingest/chunk.js";
import { load, loadPassages } from "../ingest/load.js";
import { readSitemap } from "../ingest/sitemap.js";
import { readHtmlPage, readPdfPage } from "../web/read-page.js";

// A child process that does one job at a time. It ends if the job needs too much memory or the parent is gone.

/** Functions that run in a process of their own, because their input is untrusted. They take and return plain data. */
const JOBS = { readHtmlPage, readPdfPage, chunk, load, loadPassages, readSitemap };

export type Jobs = typeof JOBS;

/** Sent as a structured clone. */
export interface Request {
  job: keyof Jobs;
  args: readonly unknown[];
  /** The most resident memory, in bytes. */
  memory: number;
}

/** `ready` is sent once, at the start. A `spent` process must not be used again. */
export type Reply = "ready" | { result: unknown; spent: boolean } | { error: string; spent: boolean };

/** The most resident memory of the job that runs, in MB; 0 while none does. */
const busy = new Int32Array(new SharedArrayBuffer(4));

process.on("message", async ({ job, args, memory }: Request) => {
  set(Math.ceil(memory / 1_000_000));
  const reply = await done(job, args).catch((error: unknown) => ({
    error: toError(error).message,
  }));
  set(0);
  // Memory that a large job leaves behind would count against the next one.
  const spent = job === "readPdfPage" || process.memoryUsage.rss() > LEFT_BEHIND;
  process.send?.({ ...reply, spent } satisfies Reply);
});
process.on("disconnect", () => process.exit());
watch();
process.send?.("ready" satisfies Reply);

async function done(job: Request["job"], args: Request["args"]): Promise<{ result: unknown }> {
  const work: (...args: never[]) => unknown = JOBS[job];
  return { result: await work(...(args as never[])) };
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
