import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { JudgeBusyError, UsageError } from "../../errors.js";
import { aCount, check, exactly, type OptionsOf } from "../../options.js";
import { piecesIn } from "../../text/token-count.js";
import { beganAt, timeNow } from "../../waiting.js";
import type { Work } from "./model.js";
import { type ModelFile, readModelFile } from "./model-file.js";
import type { Encoder, Judged, Pair } from "./port.js";
import { type EncoderProcess, encoderProcess } from "./process.js";
import { hasRuntime, NO_RUNTIME } from "./runtime.js";
import type { EncoderSettings } from "./settings.js";
import { tokensOfPair } from "./windows.js";

export interface OnnxEncoderOptions {
  /** A folder made by `research/training/export.py` (default: the model that comes with emend). */
  folder?: string;
  /** The number of threads of all its processes together (default: all cores). */
  threads?: number;
  /** "native" (onnxruntime-node) or "wasm" (onnxruntime-web). Default: native if installed. */
  runtime?: "native" | "wasm";
}

const Given = exactly({
  folder: z.string(),
  threads: aCount(1),
  runtime: z.enum(["native", "wasm"]),
} satisfies OptionsOf<OnnxEncoderOptions>).partial();

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

/** The model that comes with emend: each file written out, so that file tracing (Next.js, Vercel) finds them. */
const OWN_FILES = [
  new URL("../../../model/model.json", import.meta.url),
  new URL("../../../model/tokenizer.json", import.meta.url),
  new URL("../../../model/words.q4", import.meta.url),
  new URL("../../../model/embed.onnx", import.meta.url),
  new URL("../../../model/judge.onnx", import.meta.url),
] as const;
const OWN = fileURLToPath(new URL(".", OWN_FILES[0]));

/**
 * Runs an encoder on this machine, in child processes that never block this one. The first starts on first use, or with
 * `prepare`, and others when work waits. Processes with one or two threads each do more than one with all of them
 * (research/RESULTS.md), so they share work that can be shared fairly, and all work while other work waits. Each serves
 * the question that began first. They do not keep the program alive.
 * @throws UsageError if the folder holds no model.
 */
export function onnxEncoder(options: OnnxEncoderOptions = {}): Encoder {
  check(Given, options);
  const { folder = OWN, threads = availableParallelism(), runtime } = options;
  const file = opened(folder);
  // Absolute, since a child process has another working directory.
  const words = [resolve(folder), runtime ?? "", JSON.stringify(file)];
  const count = threads === 1 ? 1 : Math.max(2, Math.floor(threads / 2));
  const each = Math.floor(threads / count);
  // More threads than that are idle most of the time, since the network is small.
  const alone = Math.min(threads, 4);
  const first = encoderProcess(words, `The encoder in ${folder}`);
  const others = Array.from({ length: count - 1 }, () => encoderProcess(words, `The encoder in ${folder}`));
  const queue = workQueue();
  let turnedAway = 0;
  let next = 0;

  /** The processes that are ready for work of this size. Starts others if more work waits than is worth their start. */
  function processes(tokens: number): EncoderProcess[] {
    const worth = Math.floor((queue.tokens() + tokens) / TOKENS_EACH);
    for (const other of others.slice(0, worth)) other.start();
    return [first, ...others.filter((other) => other.isReady())];
  }

  /** Divides work into parts of about the same size, one for each process. Returns the results in order. */
  async function shared<Item, Result>(
    items: readonly Item[],
    workOf: (some: readonly Item[]) => Work,
    { signal, patience = Number.POSITIVE_INFINITY, byFirst = false, most }: Sharing,
  ): Promise<Result[]> {
    if (items.length === 0) return [];
    signal?.throwIfAborted();
    const since = beganAt();
    const behind = queue.behind(since) / 1000;
    if (behind > patience && since !== Number.POSITIVE_INFINITY) {
      turnedAway += 1;
      throw new JudgeBusyError(behind);
    }
    const sizes = items.map((item) => tokensOf(workOf([item]), file));
    const among = byFirst ? [first] : processes(total(sizes));
    const { parts, isSplit } = planned(sizes, among, queue.tokens() === 0);
    const own = isSplit ? each : most;
    const id = next++;
    queue.enter(id, since, total(sizes));
    let ms: number | undefined;
    try {
      const results: Result[] = [];
      const replies = await Promise.all(
        parts.map(async ([process, part]) => {
          const work = workOf(part.flatMap((i) => items.slice(i, i + 1)));
          const tokens = total(part.map((i) => sizes[i] ?? 0));
          const reply = await process.ask(work, { since, tokens, signal, threads: own });
          for (const [at, i] of part.entries()) results[i] = (reply.result as Result[])[at] as Result;
          return reply.ms;
        }),
      );
      // Work that leaves threads idle leaves them to others.
      ms = Math.max(...replies) * Math.min(1, (parts.length * own) / (among.length * each));
      return results;
    } finally {
      queue.leave(id, ms);
    }
  }

  return {
    identity: file.identity,
    prepare: () => first.start({ prepare: { embed: each, judge: alone } }),
    embed: (texts, { as, signal }) =>
      // More threads hardly speed up embeddings, and a question is not worth loading the network in another process.
      shared<string, number[]>(texts, (some) => ({ texts: some, as }), {
        signal,
        byFirst: as === "question",
        most: each,
      }),
    judge: (pairs, options = {}) =>
      shared<Pair, Judged>(pairs, (some) => ({ pairs: some }), { ...options, most: alone }),
    load: () => ({
      behind: queue.behind(timeNow()) / 1000,
      each: queue.each() / 1000,
      turnedAway,
      isSpared: false,
    }),
    async close() {
      for (const process of [first, ...others]) process.close();
    },
  };
}

/** Tracks the work that waits for a judge, to estimate how long new work would wait. Times are in milliseconds. */
export function workQueue(now: () => number = () => performance.now()) {
  const waiting = new Map<number, { since: number; tokens: number }>();
  /** The work done so far. Older work has less weight. */
  let done = { tokens: 0, ms: 0 };
  /** When the judge began its current work. */
  let turnedAt = 0;
  /** The size of the work of each of the last questions, by when the question began. */
  const asked = new Map<number, number>();
  const perToken = () => (done.tokens === 0 ? 0 : done.ms / done.tokens);

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
      asked.set(job.since, (asked.get(job.since) ?? 0) + job.tokens);
      for (const oldest of [...asked.keys()].slice(0, -QUESTIONS)) asked.delete(oldest);
    },
    /** The size of all work that waits or is being done. */
    tokens: (): number => [...waiting.values()].reduce((sum, job) => sum + job.tokens, 0),
    /** Returns how long a question that began at `since` would wait for older ones; 0 until something is measured. */
    behind(since: number): number {
      const before = [...waiting.values()].filter((job) => job.since < since);
      const tokens = before.reduce((sum, job) => sum + job.tokens, 0);
      return Math.max(0, tokens * perToken() - (now() - turnedAt));
    },
    /**
     * Returns how long the judge works for a question of the usual size, the median of the last ones: a few large ones
     * change nothing. 0 until something is measured.
     */
    each: (): number => ([...asked.values()].sort((a, b) => a - b)[(asked.size - 1) >> 1] ?? 0) * perToken(),
  };
}

/** The factor by which older work loses weight with each new piece of work. */
const FORGET = 0.9;
const QUESTIONS = 50;

/** How work is divided. */
interface Sharing {
  signal?: AbortSignal | undefined;
  /** The most seconds that it may have to wait. */
  patience?: number | undefined;
  /** True for work that only the first process does. */
  byFirst?: boolean;
  /** The number of threads if one process does all of it alone. */
  most: number;
}

/** The indices of the items that each process works on, and whether each uses only its share of the threads. */
interface Plan {
  parts: (readonly [EncoderProcess, number[]])[];
  isSplit: boolean;
}

/** Splits work among the processes. If no other work waits and the split is not fair, the first one does all of it. */
function planned(sizes: readonly number[], among: readonly EncoderProcess[], isAlone: boolean): Plan {
  const shares = among.map((process) => ({ process, busy: process.tokens(), items: [] as number[], tokens: 0 }));
  const order = sizes.map((_, i) => i).sort((a, b) => (sizes[b] ?? 0) - (sizes[a] ?? 0));
  for (const i of order) {
    const least = shares.reduce((a, b) => (b.busy + b.tokens < a.busy + a.tokens ? b : a));
    least.tokens += sizes[i] ?? 0;
    least.items.push(i);
  }
  const [first] = shares;
  const isFair = shares.every(({ tokens }) => tokens <= FAIR * total(sizes));
  if (first && isAlone && !isFair) return { parts: [[first.process, order]], isSplit: false };
  const parts = shares.filter(({ items }) => items.length > 0).map(({ process, items }) => [process, items] as const);
  return { parts, isSplit: true };
}

/** A process starts in the time in which another one reads about this many tokens, and takes 260 MB. */
const TOKENS_EACH = 2_500;

/**
 * The largest share of work that a process may get. Twice as many threads take .61 of the time for passages of 300
 * tokens, and .72 for passages of 150 (research/RESULTS.md).
 */
const FAIR = 0.63;

const total = (sizes: readonly number[]) => sizes.reduce((sum, size) => sum + size, 0);

/** Estimates how many tokens the encoder reads, whatever the texts are made of. A run costs about as much as 20 more. */
export function tokensOf(job: Work, file: Pick<ModelFile, "longest" | "window">): number {
  const sizes =
    "pairs" in job
      ? job.pairs.map(({ as, text, passage }) =>
          tokensOfPair({ as, text: piecesIn(text), passage: piecesIn(passage) }, file),
        )
      : job.texts.map((text) => Math.min(file.longest, piecesIn(text)));
  return total(sizes.map((size) => size + 20));
}

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
