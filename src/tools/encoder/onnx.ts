import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { JudgeBusyError, UsageError } from "../../errors.js";
import { tokensIn } from "../../text/token-count.js";
import { beganAt, timeNow } from "../../waiting.js";
import { moduleAt, startModule } from "../process/own-process.js";
import type { EncoderJob, EncoderReply, Work } from "./child.js";
import type { Encoder, Judged } from "./port.js";
import { hasRuntime, NO_RUNTIME } from "./runtime.js";
import type { EncoderSettings } from "./settings.js";

export interface OnnxEncoderOptions {
  /** A folder made by `research/training/export.py` (default: the model that comes with emend). */
  folder?: string;
  /** The number of threads (default: all cores, at most four). */
  threads?: number;
  /** "native" (onnxruntime-node) or "wasm" (onnxruntime-web). Default: native if installed. */
  runtime?: "native" | "wasm";
}

/**
 * Opens the encoder that the settings name: emend's own, one in a folder, or none. If nothing on this machine can run
 * emend's own, returns none, and a warning says what to install.
 * @throws UsageError if the folder holds no model, or nothing can run it.
 */
export function openEncoder({ encoder, encoderThreads: threads }: EncoderSettings): Encoder | undefined {
  if (encoder === "off") return undefined;
  if (hasRuntime()) return onnxEncoder({ ...(encoder && { folder: encoder }), ...(threads && { threads }) });
  if (encoder) throw new UsageError(NO_RUNTIME);
  if (!hasWarned) process.emitWarning(`${NO_RUNTIME} Until then words alone are used.`);
  hasWarned = true;
  return undefined;
}

let hasWarned = false;

/** The model that comes with emend. */
const OWN = fileURLToPath(new URL("../../../model", import.meta.url));

/**
 * Runs an encoder on this machine, in a child process that never blocks this one. The process starts on first use, or
 * with `prepare`, serves the question that began first, and does not keep the program alive.
 * @throws UsageError if the folder holds no model.
 */
export function onnxEncoder({ folder = OWN, threads = cores(), runtime }: OnnxEncoderOptions = {}): Encoder {
  const file = opened(folder);
  // Absolute, since the child process has another working directory.
  const place = resolve(folder);
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const queue = workQueue();
  let turnedAway = 0;
  let child: ChildProcess | undefined;
  let next = 0;

  const fail = (error: Error) => {
    child = undefined;
    for (const [id, { reject }] of waiting) {
      queue.leave(id);
      reject(error);
    }
    waiting.clear();
  };

  function started(): ChildProcess {
    if (child) return child;
    const made = startModule(moduleAt(new URL("./child.js", import.meta.url)), {
      words: [place, String(threads), runtime ?? "", JSON.stringify(file)],
    });
    made.on("message", (reply: EncoderReply) => {
      const job = waiting.get(reply.id);
      waiting.delete(reply.id);
      queue.leave(reply.id, "error" in reply ? undefined : reply.ms);
      rest(made);
      if ("error" in reply) job?.reject(new UsageError(`The encoder in ${folder}: ${reply.error}`));
      else job?.resolve(reply.result);
    });
    const ended = () => {
      if (child === made) fail(new UsageError(`The encoder in ${folder} ended. Is there memory left for it (0.5 GB)?`));
    };
    made.on("exit", ended).on("error", ended);
    child = made;
    return made;
  }

  /** Lets the program end if no job is left. */
  function rest(made: ChildProcess): void {
    if (waiting.size > 0) return;
    made.unref();
    made.channel?.unref?.();
  }

  async function ask(
    job: Work,
    signal: AbortSignal | undefined,
    patience = Number.POSITIVE_INFINITY,
  ): Promise<unknown> {
    signal?.throwIfAborted();
    const since = beganAt();
    const behind = queue.behind(since) / 1000;
    if (behind > patience && since !== Number.POSITIVE_INFINITY) {
      turnedAway += 1;
      throw new JudgeBusyError(behind);
    }
    const id = next++;
    const made = started();
    const reply = Promise.withResolvers<unknown>();
    waiting.set(id, reply);
    queue.enter(id, since, tokensOf(job));
    made.ref();
    made.channel?.ref?.();
    made.send({ ...job, id, since } satisfies EncoderJob);
    const leave = () => {
      if (!waiting.delete(id)) return;
      queue.leave(id);
      if (made.connected) made.send({ drop: id } satisfies EncoderJob);
      rest(made);
      reply.reject(signal?.reason);
    };
    signal?.addEventListener("abort", leave);
    return await reply.promise.finally(() => signal?.removeEventListener("abort", leave));
  }

  return {
    identity: file.identity,
    prepare() {
      const made = started();
      made.send({ prepare: true } satisfies EncoderJob);
      rest(made);
    },
    embed: async (texts, { as, signal }) =>
      texts.length === 0 ? [] : ((await ask({ texts, as }, signal)) as number[][]),
    judge: async (pairs, { signal, patience } = {}) =>
      pairs.length === 0 ? [] : ((await ask({ pairs }, signal, patience)) as Judged[]),
    load: () => ({
      behind: queue.behind(timeNow()) / 1000,
      each: queue.each() / 1000,
      turnedAway,
      isSpared: false,
    }),
    async close() {
      const made = child;
      fail(new UsageError("The encoder was closed."));
      made?.kill("SIGKILL");
    },
  };
}

/** Estimates how much the encoder reads. Every text costs about as much as 20 more tokens. */
export function tokensOf(job: Work): number {
  const texts = "pairs" in job ? job.pairs.map(({ text, passage }) => `${text}\n${passage}`) : job.texts;
  return texts.reduce((sum, text) => sum + tokensIn(text) + 20, 0);
}

/**
 * At most four: the network is small, and its speed was measured on two cores only. More threads than physical cores
 * would slow it down, and Node counts logical ones.
 */
const cores = () => Math.min(4, availableParallelism());

function opened(folder: string): ModelFile {
  try {
    return readModelFile(folder);
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : error instanceof Error ? error.message : "";
    throw new UsageError(
      `${folder} holds no encoder (${why}). Set EMEND_ENCODER to a folder made by research/training/export.py, or to "off".`,
      { cause: error },
    );
  }
}

/** Tracks the work that waits for a judge, to estimate how long new work would wait. Times are in milliseconds. */
export function workQueue(now: () => number = () => performance.now()) {
  const waiting = new Map<number, { since: number; tokens: number }>();
  /** The work done so far. Older work has less weight. */
  let done = { tokens: 0, ms: 0 };
  /** When the judge began its current work. */
  let turnedAt = 0;
  /** The time that the judge spent on each of the last questions, by when the question began. */
  const taken = new Map<number, number>();

  return {
    /** @param since when the question began; infinite for work that belongs to no question. */
    enter(id: number, since: number, tokens: number): void {
      if (waiting.size === 0) turnedAt = now();
      waiting.set(id, { since, tokens });
    },
    /** @param ms the time that the judge spent on it; undefined for work that was dropped. */
    leave(id: number, ms?: number): void {
      const job = waiting.get(id);
      if (!job || !waiting.delete(id) || ms === undefined) return;
      turnedAt = now();
      done = { tokens: FORGET * done.tokens + job.tokens, ms: FORGET * done.ms + ms };
      if (job.since === Number.POSITIVE_INFINITY) return;
      taken.set(job.since, (taken.get(job.since) ?? 0) + ms);
      for (const oldest of [...taken.keys()].slice(0, -QUESTIONS)) taken.delete(oldest);
    },
    /** Returns how long a question that began at `since` would wait for older ones; 0 until something is measured. */
    behind(since: number): number {
      const before = [...waiting.values()].filter((job) => job.since < since);
      const tokens = before.reduce((sum, job) => sum + job.tokens, 0);
      if (tokens === 0 || done.tokens === 0) return 0;
      return Math.max(0, tokens * (done.ms / done.tokens) - (now() - turnedAt));
    },
    /**
     * Returns how long the judge works for a question, on average over the last ones; 0 until something is measured.
     */
    each: (): number => (taken.size === 0 ? 0 : [...taken.values()].reduce((sum, ms) => sum + ms, 0) / taken.size),
  };
}

/** The factor by which older work loses weight with each new piece of work. */
const FORGET = 0.9;
const QUESTIONS = 50;

const Line = z.object({ scale: z.number(), shift: z.number() });

/** The contents of model.json. `calibration` maps raw scores to probabilities (Platt, 1999). */
export const ModelFile = z.object({
  identity: z.string(),
  width: z.number().int().positive(),
  /** The number of tokens of a text that are embedded; the rest is ignored. */
  longest: z.number().int().min(64),
  /** The number of tokens of a pair that the judge reads at once, as in training. */
  window: z.number().int().min(64),
  /** The weight of the answer span's log odds, beside those of the answerability head, in answerability. */
  spanShare: z.number(),
  calibration: z.object({
    relevance: Line,
    answerability: Line,
    support: Line,
    span: Line,
    wrong: Line,
    answers: Line,
    states: Line,
  }),
});
export type ModelFile = z.infer<typeof ModelFile>;

/** Reads model.json alone, without loading the tokenizer or a runtime. */
const readModelFile = (folder: string): ModelFile =>
  ModelFile.parse(JSON.parse(readFileSync(join(folder, "model.json"), "utf8")));
