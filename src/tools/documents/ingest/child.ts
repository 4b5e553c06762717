import { Worker } from "node:worker_threads";
import { readHtmlPage, readPdfPage } from "../../web/page/read-page.js";
import { chunk } from "./chunk.js";
import { load, loadPassages } from "./load.js";

// The process that `inOwnProcess` starts. It does one job at a time, and ends where that needs too much memory, or its parent is gone.

/** What is done in a process of its own, since its input was written by others. Takes and gives plain data. */
const JOBS = { readHtmlPage, readPdfPage, chunk, load, loadPassages };

export type Jobs = typeof JOBS;

/** What the process is asked, and what it says. Sent as structured clones. */
export interface Request {
  job: keyof Jobs;
  args: readonly unknown[];
}

/** `ready` comes once, before anything is done. A `spent` process is of no more use. */
export type Reply = "ready" | { result: unknown; spent: boolean } | { error: string; spent: boolean };

/** Bytes that it may hold, whatever for. */
const most = Number(process.argv[2]);
/** 1 while a job is done. */
const busy = new Int32Array(new SharedArrayBuffer(4));

process.on("message", async ({ job, args }: Request) => {
  set(1);
  const reply = await done(job, args).catch((error: unknown) => ({
    error: error instanceof Error ? error.message : String(error),
  }));
  set(0);
  // What a large job leaves behind would count as the next one's.
  const spent = job === "readPdfPage" || process.memoryUsage.rss() > most / 3;
  say({ ...reply, spent });
});
process.on("disconnect", () => process.exit());
watch();
say("ready");

async function done(job: Request["job"], args: Request["args"]): Promise<{ result: unknown }> {
  const work: (...args: never[]) => unknown = JOBS[job];
  return { result: await work(...(args as never[])) };
}

/** A thread of its own is heard however busy this one is. It sees all memory; the heap's own limit leaves buffers out. */
function watch(): void {
  const source = `
    const { busy, most, parent } = require("node:worker_threads").workerData;
    const isAlone = () => { try { return !process.kill(parent, 0); } catch (error) { return error.code === "ESRCH"; } };
    for (;;) {
      Atomics.wait(busy, 0, 0);
      Atomics.wait(busy, 0, 1, 50);
      if (process.memoryUsage.rss() > most || isAlone()) process.kill(process.pid, "SIGKILL");
    }`;
  new Worker(source, { eval: true, workerData: { busy, most, parent: process.ppid } }).unref();
}

function set(value: 0 | 1): void {
  Atomics.store(busy, 0, value);
  Atomics.notify(busy, 0);
}

function say(reply: Reply): void {
  process.send?.(reply);
}
