import type { ChildProcess } from "node:child_process";
import { ReadingStoppedError } from "../errors.js";
import type { Jobs } from "./jobs.js";
import { MOST_MEMORY, type Reply, type Request } from "./protocol.js";
import { startBeside } from "./start.js";

export interface ApartOptions {
  /** Ends the job at once. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for the job itself, not for its turn. Default 10,000. */
  ms?: number;
}

/**
 * Does a job in a process of its own, which is killed when the job takes too long or too much memory: what others wrote
 * cannot hold this process up. A process and not a thread, since a thread that runs out of memory can take the whole
 * program with it. At most `MOST` jobs are done at a time, in the order they were asked for; the others wait.
 * @throws ReadingStoppedError for a job that was killed; the signal's reason; else an Error that says what the job said.
 */
export async function apart<K extends keyof Jobs>(
  job: K,
  args: Parameters<Jobs[K]>,
  { signal, ms = 10_000 }: ApartOptions = {},
): Promise<Awaited<ReturnType<Jobs[K]>>> {
  await turn(signal);
  try {
    signal?.throwIfAborted();
    return (await answer(idle.pop() ?? start(), { job, args }, signal, ms)) as Awaited<ReturnType<Jobs[K]>>;
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

/** Starts a process where none is there, so that the next job finds it ready. */
export function prepare(): void {
  if (running === 0 && idle.length === 0) rest(start());
}

/** Ends the processes that do nothing; the next job starts one again. */
export function endIdle(): void {
  for (const child of idle.splice(0)) child.kill("SIGKILL");
}

/** Enough that one bad input does not keep everything else waiting. */
const MOST = 2;

const idle: ChildProcess[] = [];
const waiting: (() => void)[] = [];
let running = 0;

/** Waits until fewer than `MOST` jobs are done, and counts one more. */
async function turn(signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  if (running < MOST) {
    running += 1;
    return;
  }
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const leave = () => {
    const at = waiting.indexOf(resolve);
    // Its turn has come already, which `apart` passes on.
    if (at < 0) return;
    waiting.splice(at, 1);
    reject(signal?.reason);
  };
  waiting.push(resolve);
  signal?.addEventListener("abort", leave);
  await promise.finally(() => signal?.removeEventListener("abort", leave));
}

function start(): ChildProcess {
  const child = startBeside(import.meta.url, "child", { flags: [`--max-old-space-size=${MOST_MEMORY / 1_000_000}`] });
  // Who waits for it hears; an idle one is missed by nobody.
  child.on("error", () => {});
  child.on("exit", () => {
    const at = idle.indexOf(child);
    if (at >= 0) idle.splice(at, 1);
  });
  return child;
}

/** Keeps a process for the next job. It does not keep the program alive. */
function rest(child: ChildProcess): void {
  idle.push(child);
  child.unref();
  child.channel?.unref();
}

async function answer(child: ChildProcess, request: Request, signal: AbortSignal | undefined, ms: number) {
  child.ref();
  child.channel?.ref();
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const end = (reason: unknown) => {
    child.kill("SIGKILL");
    reject(reason);
  };
  const aborted = () => end(signal?.reason);
  const late = setTimeout(() => end(new ReadingStoppedError("time", `after ${ms / 1000} s`)), ms);
  const gone = () => end(new ReadingStoppedError("memory", `at ${MOST_MEMORY / 1_000_000} MB of memory`));
  const heard = (reply: Reply) => {
    // The time it takes to start is not the job's.
    if (reply === "ready") return void late.refresh();
    if ("error" in reply) reject(new Error(reply.error));
    else resolve(reply.result);
    if (reply.spent) child.kill("SIGKILL");
    else rest(child);
  };
  signal?.addEventListener("abort", aborted);
  child.on("message", heard).on("exit", gone).on("error", gone);
  child.send(request, (error) => error && gone());
  try {
    return await promise;
  } finally {
    clearTimeout(late);
    signal?.removeEventListener("abort", aborted);
    child.off("message", heard).off("exit", gone).off("error", gone);
  }
}
