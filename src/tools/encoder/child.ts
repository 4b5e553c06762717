import { DroppedError, openModel } from "./model.js";
import type { Pair } from "./port.js";

// The process in which a model runs. It does one job at a time, and looks between batches whether that is still wanted.

export type Work =
  | { id: number; texts: readonly string[]; as: "question" | "passage" }
  | { id: number; pairs: readonly Pair[] };
export type Job = Work | { drop: number };
export type Reply = { id: number; result: unknown } | { id: number; error: string };

const [folder = "", threads = "1", runtime] = process.argv.slice(2);
const dropped = new Set<number>();
const opened = openModel(folder, {
  threads: Number(threads),
  runtime: runtime === "native" || runtime === "wasm" ? runtime : undefined,
});
// Who waits for a job hears of it.
opened.catch(() => {});
let before: Promise<void> = Promise.resolve();

process.on("message", (job: Job) => {
  if ("drop" in job) dropped.add(job.drop);
  else before = before.then(() => answer(job));
});
// At once: a network that is still computing would not let an exit finish.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));

async function answer(job: Work): Promise<void> {
  try {
    const model = await opened;
    const isDropped = () => dropped.has(job.id);
    const result =
      "pairs" in job ? await model.judge(job.pairs, isDropped) : await model.embed(job.texts, job.as, isDropped);
    say({ id: job.id, result });
  } catch (error) {
    if (!(error instanceof DroppedError))
      say({ id: job.id, error: error instanceof Error ? error.message : String(error) });
  } finally {
    dropped.delete(job.id);
  }
}

function say(reply: Reply): void {
  process.send?.(reply);
}
