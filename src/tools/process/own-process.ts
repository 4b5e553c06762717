import type { ChildProcess } from "node:child_process";
import { ReadingStoppedError } from "../../errors.js";
import { gate } from "../../waiting.js";
import type { Jobs, Reply, Request } from "../documents/ingest/child.js";
import { startBeside } from "./start.js";

export interface OwnProcessOptions {
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
export async function inOwnProcess<K extends keyof Jobs>(
  job: K,
  args: Parameters<Jobs[K]>,
  { signal, ms = 10_000 }: OwnProcessOptions = {},
): Promise<Awaited<ReturnType<Jobs[K]>>> {
  const result = await turns.through(signal, () => {
    signal?.throwIfAborted();
    return answer(idle.pop() ?? start(), { job, args }, signal, ms);
  });
  return result as Awaited<ReturnType<Jobs[K]>>;
}

/** Starts a process where none is there, so that the next job finds it ready. */
export function prepare(): void {
  if (living.size === 0) rest(start());
}

/** Ends the processes that do nothing; the next job starts one again. */
export function endIdle(): void {
  for (const child of idle.splice(0)) child.kill("SIGKILL");
}

/** Enough that one bad input does not keep everything else waiting. */
const MOST = 2;

const turns = gate(MOST);
const living = new Set<ChildProcess>();
const idle: ChildProcess[] = [];
/** Those that have said so. */
const ready = new WeakSet<ChildProcess>();

/** Bytes that a process may hold, whatever for; its heap alone no more than this either. */
const MOST_MEMORY = 1_000_000_000;
/** Milliseconds that a process may take to start, on a machine that is busy. */
const STARTING = 60_000;

function start(): ChildProcess {
  const child = startBeside(import.meta.url, "../documents/ingest/child", {
    words: [String(MOST_MEMORY)],
    flags: [`--max-old-space-size=${MOST_MEMORY / 1_000_000}`],
  });
  living.add(child);
  child.once("message", () => ready.add(child));
  // Who waits for it hears; an idle one is missed by nobody.
  child.on("error", () => {});
  child.on("exit", () => {
    living.delete(child);
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
  const over = () => end(new ReadingStoppedError("time", `after ${ms / 1000} s`));
  let late = setTimeout(over, ready.has(child) ? ms : STARTING);
  const gone = () => end(new ReadingStoppedError("memory", `at ${MOST_MEMORY / 1_000_000} MB of memory`));
  const heard = (reply: Reply) => {
    if (reply === "ready") {
      // The time it takes to start is not the job's.
      clearTimeout(late);
      late = setTimeout(over, ms);
      return;
    }
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
