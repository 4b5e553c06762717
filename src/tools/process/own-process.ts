import { type ChildProcess, fork } from "node:child_process";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ReadingStoppedError } from "../../errors.js";
import { gate } from "../../waiting.js";
import type { JobReply, JobRequest } from "./child.js";

/**
 * Runs a function in a child process, which is killed if the job takes too long or too much memory: untrusted input
 * cannot block this process. Not in a thread, since a thread that runs out of memory can crash the whole program. At
 * most `MAX_JOBS` jobs run at a time, first come, first served.
 * @param module the address of the module that exports the function under its own name.
 * @param args plain data, as is what the function returns.
 * @param signal kills the job when aborted.
 * @param ms milliseconds of processor time for the job. Default 10,000. It is also killed after ten times as long.
 * @param memory bytes that the process may use while it does the job. Default and most: 1,000,000,000.
 * @param isLast ends the process after the job. Default false.
 * @throws ReadingStoppedError if the job was killed, the signal's reason, or an Error with the job's error message.
 */
export async function inOwnProcess<Args extends readonly unknown[], Result>(
  module: string,
  { name }: (...args: Args) => Result,
  args: Args,
  {
    signal,
    ms = 10_000,
    memory = MAX_MEMORY,
    isLast = false,
  }: Limits & { signal?: AbortSignal | undefined; isLast?: boolean } = {},
): Promise<Awaited<Result>> {
  const result = await turns.through(signal, () => {
    signal?.throwIfAborted();
    return answer(idle.pop() ?? start(), { module, job: { name, args, ms, memory, isLast } }, signal);
  });
  return result as Awaited<Result>;
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

/** Starts a process if there is none, and loads a module in it, so that the next job need not wait for it. */
export function prepare(module: string): void {
  if (living.size > 0) return;
  const child = start();
  child.send({ module } satisfies JobRequest, () => {});
  rest(child);
}

/** Ends the idle processes; the next job starts a new one. */
export function endIdle(): void {
  for (const child of idle.splice(0)) child.kill("SIGKILL");
}

/** More than one, so that one bad input does not block the others. */
const MAX_JOBS = 2;

const turns = gate(MAX_JOBS);
const living = new Set<ChildProcess>();
const idle: ChildProcess[] = [];

/** Bytes that a process may use, for its heap and in total. */
const MAX_MEMORY = 1_000_000_000;

/** Milliseconds for a process to start and load a module, even on a busy machine. */
const STARTING = 60_000;

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
}

async function answer(child: ChildProcess, request: Required<JobRequest>, signal: AbortSignal | undefined) {
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
