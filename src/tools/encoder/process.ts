import type { ChildProcess } from "node:child_process";
import { UsageError } from "../../errors.js";
import { isOfMemory, moduleAt, startModule } from "../process/own-process.js";
import type { EncoderJob, EncoderReply, Work } from "./model.js";

/** A child process that runs a model. It starts on first use, and again after it ended. */
export interface EncoderProcess {
  /** Starts it, and loads the networks for these numbers of threads. Default: none of them before they are used. */
  start(options?: { prepare?: { embed: number; judge: number } }): void;
  /** True once it takes work without delay. */
  isReady(): boolean;
  /** The size of the work that it has not done yet. */
  tokens(): number;
  /** Returns the result of some work, and the milliseconds that it took without waiting. */
  ask(
    work: Work,
    options: { since: number; tokens: number; threads: number; signal?: AbortSignal | undefined },
  ): Promise<{ result: unknown; ms: number }>;
  /** Ends the process and rejects its work. */
  close(): void;
}

/** Never called: file tracing (Next.js, Vercel) finds by it what the child imports. */
encoderProcess.traced = () => import("./child.js");

/**
 * @param words the arguments of `child.ts`.
 * @param name names the encoder in errors.
 */
export function encoderProcess(words: readonly string[], name: string): EncoderProcess {
  const waiting = new Map<number, PromiseWithResolvers<{ result: unknown; ms: number }> & { tokens: number }>();
  let child: ChildProcess | undefined;
  let isReady = false;
  let next = 0;

  const fail = (error: Error) => {
    child = undefined;
    isReady = false;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };

  function started(): ChildProcess {
    if (child) return child;
    const made = startModule(moduleAt(new URL("./child.js", import.meta.url)), { words });
    made.on("message", (reply: EncoderReply) => {
      if ("isReady" in reply) {
        isReady = child === made;
        return;
      }
      const job = waiting.get(reply.id);
      waiting.delete(reply.id);
      rest(made);
      if ("error" in reply) job?.reject(new UsageError(`${name}: ${reply.error}`));
      else job?.resolve(reply);
    });
    const ended = (why: string) => {
      if (child === made) fail(new UsageError(`${name} ${why}`));
    };
    made.on("exit", (code, signal) =>
      ended(isOfMemory(signal) ? "was stopped. Is there memory left for it (0.5 GB)?" : `ended with code ${code}.`),
    );
    made.on("error", ({ message }) => ended(`could not be started: ${message}`));
    child = made;
    return made;
  }

  /** Lets the program end if no job is left. */
  function rest(made: ChildProcess): void {
    if (waiting.size > 0) return;
    made.unref();
    made.channel?.unref?.();
  }

  return {
    start({ prepare } = {}) {
      if (child) return;
      const made = started();
      if (prepare) made.send({ prepare } satisfies EncoderJob);
      rest(made);
    },
    isReady: () => isReady,
    tokens: () => [...waiting.values()].reduce((sum, job) => sum + job.tokens, 0),
    async ask(work, { since, tokens, threads, signal }) {
      const id = next++;
      const made = started();
      const reply = Object.assign(Promise.withResolvers<{ result: unknown; ms: number }>(), { tokens });
      waiting.set(id, reply);
      made.ref();
      made.channel?.ref?.();
      made.send({ ...work, id, since, threads } satisfies EncoderJob);
      const leave = () => {
        if (!waiting.delete(id)) return;
        if (made.connected) made.send({ drop: id } satisfies EncoderJob);
        rest(made);
        reply.reject(signal?.reason);
      };
      signal?.addEventListener("abort", leave);
      return await reply.promise.finally(() => signal?.removeEventListener("abort", leave));
    },
    close() {
      const made = child;
      fail(new UsageError("The encoder was closed."));
      made?.kill("SIGKILL");
    },
  };
}
