import { type ChildProcess, fork } from "node:child_process";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ReadingStoppedError } from "../../errors.js";
import { gate } from "../../waiting.js";
import type { JobReply, JobRequest } from "./child.js";

/** Child processes that run one job at a time each, and are kept for the next one. */
export interface ProcessPool {
  /**
   * Runs a function in a child process, which is killed if the job takes too long or too much memory: untrusted input
   * cannot block this process. Not in a thread, since a thread that runs out of memory can crash the whole program.
   * First come, first served.
   * @param module the address of the module that exports the function under its own name.
   * @param args plain data, as is what the function returns.
   * @param options.signal kills the job when aborted.
   * @param options.ms milliseconds of processor time for the job. Default 10,000. It is also killed after ten times as
   * long.
   * @param options.memory bytes that the process may use while it does the job. Default and most: 1,000,000,000.
   * @param options.isLast ends the process after the job. Default false.
   * @throws ReadingStoppedError if the job was killed, the signal's reason, or an Error with the job's error message.
   */
  run<Args extends readonly unknown[], Result>(
    module: string,
    work: (...args: Args) => Result,
    args: Args,
    options?: Limits & { signal?: AbortSignal | undefined; isLast?: boolean },
  ): Promise<Awaited<Result>>;
  /** Starts a process if there is none, and loads a module in it, so that the next job need not wait for it. */
  prepare(module: string): void;
  /** Ends the idle processes; the next job starts a new one. */
  endIdle(): void;
}

interface Limits {
  ms?: number;
  memory?: number;
}

/**
 * Returns the limits for reading a file: 5 s of processor time plus 2 s per MB, at most 60 s; and 400 MB of memory plus
 * 500 bytes per byte, at most 1 GB. A PDF of nothing but text took 1.8 s per MB. Of 16 PDF manuals of 3 kB to 1.4 MB, one
 * of 400 kB took 280 MB, and none took more than 390 MB, of which the process itself takes 190 MB.
 */
export const limitsFor = (bytes: number): Required<Limits> => ({
  ms: Math.min(60_000, 5_000 + Math.ceil((2 * bytes) / 1_000)),
  memory: Math.min(MAX_MEMORY, 400_000_000 + 500 * bytes),
});

/**
 * @param most how many jobs run at a time.
 * @param leaves bytes that a process may hold after a job; one that holds more ends.
 * @param restsFor milliseconds after which an idle process ends. Default: never.
 */
export function processPool({
  most,
  leaves,
  restsFor,
}: {
  most: number;
  leaves: number;
  restsFor?: number;
}): ProcessPool {
  const turns = gate(most);
  const living = new Set<ChildProcess>();
  const idle: ChildProcess[] = [];

  function start(): ChildProcess {
    const child = startModule(moduleAt(new URL("./child.js", import.meta.url)), {
      flags: [`--max-old-space-size=${MAX_MEMORY / 1_000_000}`],
    });
    living.add(child);
    // Without a listener, an error would be thrown. An idle process is not missed; while a job runs, `answer` listens too.
    child.on("error", () => {});
    child.on("exit", () => {
      living.delete(child);
      const at = idle.indexOf(child);
      if (at >= 0) idle.splice(at, 1);
    });
    return child;
  }

  /** Keeps a process for the next job, without keeping the program alive. */
  function rest(child: ChildProcess): void {
    idle.push(child);
    child.unref();
    child.channel?.unref?.();
    if (restsFor === undefined) return;
    const end = setTimeout(() => idle.includes(child) && child.kill("SIGKILL"), restsFor).unref();
    resting.set(child, end);
  }
  const resting = new WeakMap<ChildProcess, NodeJS.Timeout>();

  function next(): ChildProcess {
    const child = idle.pop();
    if (!child) return start();
    clearTimeout(resting.get(child));
    return child;
  }

  return {
    async run<Args extends readonly unknown[], Result>(
      module: string,
      { name }: (...args: Args) => Result,
      args: Args,
      { signal, ms = 10_000, memory = MAX_MEMORY, isLast = false }: Parameters<ProcessPool["run"]>[3] = {},
    ): Promise<Awaited<Result>> {
      const result = await turns.through(signal, () => {
        signal?.throwIfAborted();
        return answer(next(), { module, job: { name, args, ms, memory, leaves, isLast } }, { signal, rest });
      });
      return result as Awaited<Result>;
    },
    prepare(module) {
      if (living.size > 0) return;
      const child = start();
      child.send({ module } satisfies JobRequest, () => {});
      rest(child);
    },
    endIdle() {
      for (const child of idle.splice(0)) child.kill("SIGKILL");
    },
  };
}

/** Never called: file tracing (Next.js, Vercel) finds by it what the child imports. */
processPool.traced = () => import("./child.js");

/** Two jobs at a time, so that one bad input does not block the others. */
export const { run: inOwnProcess, prepare, endIdle } = processPool({ most: 2, leaves: 250_000_000 });

/** Bytes that a process may use, for its heap and in total. */
const MAX_MEMORY = 1_000_000_000;

/** Milliseconds for a process to start and load a module, even on a busy machine. */
const STARTING = 60_000;

async function answer(
  child: ChildProcess,
  request: Required<JobRequest>,
  { signal, rest }: { signal: AbortSignal | undefined; rest: (child: ChildProcess) => void },
) {
  child.ref();
  // In Bun the channel has no ref(), and keeps nothing alive.
  child.channel?.ref?.();
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const end = (reason: unknown) => {
    child.kill("SIGKILL");
    reject(reason);
  };
  const aborted = () => end(signal?.reason);
  const { ms, memory } = request.job;
  const over = () => end(new ReadingStoppedError("time", `after ${Math.round(ms / 100) / 10} s`));
  const failed = (why: string) => end(new Error(`The process that reads could not be started: ${why}`));
  let ready = Number.NaN;
  // Not a ReadingStoppedError: a process that does not start says nothing about the file.
  let late = setTimeout(failed, STARTING, "it took too long. Try again when the machine is less busy.");
  const gone = (code: number | Error | null, endedBy: NodeJS.Signals | null = null) => {
    const how = code instanceof Error ? code.message : `it ended with code ${code ?? endedBy}.`;
    if (Number.isNaN(ready)) failed(isOfMemory(endedBy) ? "Is there memory left for it (0.2 GB)?" : how);
    // Windows has no signals.
    else if (endedBy === "SIGTERM" || (!endedBy && performance.now() - ready > ms)) over();
    else if (isOfMemory(endedBy) || process.platform === "win32")
      end(new ReadingStoppedError("memory", `at ${Math.round(memory / 1_000_000)} MB of memory`));
    else end(new Error(`The process that reads failed: ${how}`));
  };
  const heard = (reply: JobReply) => {
    if (reply === "ready") {
      // Neither the start nor the loading of the module counts as time of the job.
      ready = performance.now();
      clearTimeout(late);
      late = setTimeout(over, 10 * ms);
      return;
    }
    if ("error" in reply) reject(new Error(reply.error));
    else resolve(reply.result);
    if (reply.spent) child.kill("SIGKILL");
    else rest(child);
  };
  signal?.addEventListener("abort", aborted);
  child.on("message", heard).on("exit", gone).on("error", gone);
  child.send(request, (error) => error && failed(error.message));
  try {
    return await promise;
  } finally {
    clearTimeout(late);
    signal?.removeEventListener("abort", aborted);
    child.off("message", heard).off("exit", gone).off("error", gone);
  }
}

/** True if the system, or the process itself, ended the process for want of memory. */
export const isOfMemory = (signal: NodeJS.Signals | null): boolean =>
  signal === "SIGKILL" || signal === "SIGABRT" || signal === "SIGTRAP";

/**
 * Returns the address of a module. It ends in .ts if emend runs from source. Callers write `new URL(…,
 * import.meta.url)` out, so that bundlers (Next.js, Vercel) find the file.
 */
export const moduleAt = ({ href }: URL): string =>
  import.meta.url.endsWith(".ts") ? href.replace(/\.js$/, ".ts") : href;

/**
 * Starts a module in a child process that communicates by messages. The child gets an empty environment, so that an
 * exploit of a parser finds no keys. It runs in the module's folder, since the one that the program was started in may
 * be gone.
 */
export function startModule(
  module: string,
  { words = [], flags = [] }: { words?: readonly string[]; flags?: readonly string[] },
): ChildProcess {
  const path = fileURLToPath(module);
  return fork(path, words, {
    serialization: "advanced",
    cwd: dirname(path),
    env: {},
    execArgv: [...flags, ...(path.endsWith(".ts") ? ["--import", tsx()] : [])],
    stdio: "ignore",
  });
}

const tsx = () => pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
