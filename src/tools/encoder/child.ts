import { toError } from "../../errors.js";
import { DroppedError, openModel } from "./model.js";
import type { Pair } from "./port.js";

// A child process that runs a model. It does one job at a time and checks between batches whether the job was dropped.

export type Work = { texts: readonly string[]; as: "question" | "passage" } | { pairs: readonly Pair[] };
export type Job = (Work & { id: number }) | { drop: number };
export type Reply = { id: number; result: unknown } | { id: number; error: string };

const [folder = "", threads = "1", runtime] = process.argv.slice(2);
const dropped = new Set<number>();
const kind = runtime === "native" || runtime === "wasm" ? runtime : undefined;
const opened = openModel(folder, { threads: Number(threads), kind });
// A failure is reported to each job.
opened.catch(() => {});
let last: Promise<void> = Promise.resolve();

process.on("message", (job: Job) => {
  if ("drop" in job) dropped.add(job.drop);
  else last = last.then(() => answer(job));
});
// Not `exit`, which would wait for a network that is computing.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));

async function answer(job: Work & { id: number }): Promise<void> {
  try {
    const model = await opened;
    const isDropped = () => dropped.has(job.id);
    const result =
      "pairs" in job ? await model.judge(job.pairs, isDropped) : await model.embed(job.texts, job.as, isDropped);
    process.send?.({ id: job.id, result } satisfies Reply);
  } catch (error) {
    if (error instanceof DroppedError) return;
    const message = toError(error).message;
    process.send?.({ id: job.id, error: message } satisfies Reply);
  } finally {
    dropped.delete(job.id);
  }
}
