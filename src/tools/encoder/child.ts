import { setPriority } from "node:os";
import { toError } from "../../errors.js";
import type { EncoderJob, EncoderReply, RunBatch } from "./model.js";
import type { ModelFile } from "./model-file.js";

// A child process that runs a model. The batches of all jobs take turns: embeddings of questions first, then the jobs of
// the question that began first. A dropped job ends before its next batch.

class DroppedError extends Error {}
type Doing = Extract<EncoderJob, { id: number }>;

const [folder = "", runtime = "", file = "{}"] = process.argv.slice(2);
/** The jobs that are not done and not dropped. */
const wanted = new Set<number>();
const waiting: { job: Doing; start: () => void }[] = [];
let isBusy = false;
const kind = runtime === "native" || runtime === "wasm" ? runtime : undefined;
// The process that started this one has checked model.json.
const opened = import("./model.js").then(({ openModel }) =>
  openModel(folder, { file: JSON.parse(file) as ModelFile, kind }),
);
// A failure is reported to each job, also that of a module that is missing.
opened.then(() => process.send?.({ isReady: true } satisfies EncoderReply)).catch(() => {});

process.on("message", (job: EncoderJob) => {
  if ("prepare" in job) void opened.then((model) => model.prepare(job.prepare)).catch(() => {});
  else if ("drop" in job) wanted.delete(job.drop);
  else void answer(job);
});
// Not `exit`, which would wait for a running network.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));

async function answer(job: Doing): Promise<void> {
  wanted.add(job.id);
  try {
    const model = await opened;
    let ms = 0;
    const inTurn: RunBatch = (batch) =>
      takeTurn(job, async () => {
        const started = performance.now();
        const done = await batch();
        ms += performance.now() - started;
        return done;
      });
    const { threads } = job;
    const result =
      "pairs" in job
        ? await model.judge(job.pairs, threads, inTurn)
        : await model.embed(job.texts, job.as, threads, inTurn);
    process.send?.({ id: job.id, result, ms } satisfies EncoderReply);
  } catch (error) {
    if (error instanceof DroppedError) return;
    const message = toError(error).message;
    process.send?.({ id: job.id, error: message } satisfies EncoderReply);
  } finally {
    wanted.delete(job.id);
    giveWay();
  }
}

/**
 * Once the model is loaded, lets the program go first when both want the processor: else the program, which prepares the
 * next work and streams answers, would stand still for up to half a second. Not much lower than normal, since other
 * programs would then starve it.
 */
function giveWay(): void {
  try {
    setPriority(PRIORITY);
  } catch {
    // Where this is not allowed, it only takes longer.
  }
}

/** As `nice` counts. On Windows, which has fewer classes, it is normal. */
const PRIORITY = 3;

async function takeTurn<T>(job: Doing, batch: () => Promise<T>): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.push({ job, start: resolve });
  if (!isBusy) startSoon();
  await promise;
  try {
    if (!wanted.has(job.id)) throw new DroppedError();
    return await batch();
  } finally {
    startSoon();
  }
}

/**
 * Lets messages in between two batches, which the native runtime alone does not: a job of an older question, or one to
 * drop.
 */
function startSoon(): void {
  isBusy = true;
  setImmediate(startNext);
}

function startNext(): void {
  waiting.sort(
    (a, b) => Number(isLookup(b.job)) - Number(isLookup(a.job)) || a.job.since - b.job.since || a.job.id - b.job.id,
  );
  const next = waiting.shift();
  isBusy = next !== undefined;
  next?.start();
}

/** True for the embedding of a question: it takes milliseconds, and the question can then be searched for. */
const isLookup = (job: Doing) => "texts" in job && job.as === "question" && job.since < Number.POSITIVE_INFINITY;
