import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { unlessAborted } from "../../waiting.js";
import type { WorkerFault, WorkerReply, WorkerRequest } from "./sqlite-worker.js";

type Question<T = WorkerRequest> = T extends WorkerRequest ? Omit<T, "id"> : never;

/** SQLite failed in the reading thread. `errcode` is its result code. */
class ReadingError extends Error {
  readonly errcode: number | undefined;
  constructor({ message, code }: WorkerFault) {
    super(message);
    this.errcode = code;
  }
}

interface Thread {
  worker: Worker;
  waiting: Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>;
}

let thread: Thread | undefined;
let last = 0;

/**
 * Sends a request to the one thread of this program that reads SQLite files. It starts with the first request and does
 * not keep the program running.
 * @throws ReadingError, or the signal's reason; the reply is then ignored.
 */
export async function askThread(question: Question, signal?: AbortSignal): Promise<unknown> {
  signal?.throwIfAborted();
  thread ??= start();
  const { worker, waiting } = thread;
  const id = ++last;
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  waiting.set(id, { resolve, reject });
  worker.ref();
  worker.postMessage({ ...question, id });
  return signal ? unlessAborted(promise, signal) : promise;
}

/** True if the thread is running. If not, it has no files open. */
export const isThreadRunning = () => thread !== undefined;

function start(): Thread {
  const isSource = new URL(import.meta.url).pathname.endsWith(".ts");
  const worker = new Worker(new URL(`./sqlite-worker.${isSource ? "ts" : "js"}`, import.meta.url), {
    execArgv: isSource ? ["--import", pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href] : [],
    // The thread does not need the environment.
    env: {},
  });
  const waiting: Thread["waiting"] = new Map();
  const started = { worker, waiting };
  const settle = (id: number) => {
    const one = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) worker.unref();
    return one;
  };
  worker.on("message", (reply: WorkerReply) => {
    const asked = settle(reply.id);
    if ("error" in reply) asked?.reject(new ReadingError(reply.error));
    else asked?.resolve(reply.result);
  });
  const end = (message: string) => {
    if (thread === started) thread = undefined;
    for (const id of waiting.keys()) settle(id)?.reject(new ReadingError({ message, code: undefined }));
  };
  worker.on("error", (error) => end(`its thread ended: ${error.message}`));
  worker.on("exit", () => end("its thread ended"));
  return started;
}
