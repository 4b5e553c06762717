import type { Command } from "commander";
import { StoreUnavailableError, toError, UsageError } from "../errors.js";
import type { Options } from "./options.js";
import { complain } from "./screen.js";

/** Exit codes. */
export const EXIT = { done: 0, fault: 1, usage: 2, notAnswered: 3, interrupted: 130 } as const;

/** A command with its arguments, its options, and a signal that aborts on Ctrl-C. Returns the exit code. */
export type Run = (words: readonly string[], options: Options, signal: AbortSignal) => Promise<number>;

/** Wraps a command as a commander action that ends the program. An error becomes one line on stderr. */
export function running(run: Run) {
  return async (...args: unknown[]) => {
    const command = args.at(-1) as Command;
    const interrupt = new AbortController();
    // Only once: a second Ctrl-C kills the program.
    process.once("SIGINT", () => interrupt.abort());
    if (!process.listeners("unhandledRejection").includes(leaveToItsRun)) {
      process.on("unhandledRejection", leaveToItsRun);
      process.on("rejectionHandled", () => {});
    }
    process.stdout.on("error", leaveQuietly);
    process.stderr.on("error", leaveQuietly);
    const code = await run(command.processedArgs.flat() as string[], command.optsWithGlobals(), interrupt.signal).catch(
      (error: unknown) => {
        if (interrupt.signal.aborted) return EXIT.interrupted;
        complain(toError(error).message);
        return error instanceof UsageError ? EXIT.usage : EXIT.fault;
      },
    );
    // Open connections and calls that ignore their signal must not keep the program alive.
    process.stdout.write("", () => process.stderr.write("", () => process.exit(code)));
  };
}

/**
 * LangGraph stores a step while the next one runs, and looks at the end whether it could: until then nobody has taken the
 * error, for which Node.js would end the program, and with it everybody else's questions.
 */
function leaveToItsRun(error: unknown) {
  if (!(error instanceof StoreUnavailableError)) throw error;
}

/** A reader such as `head` may close the pipe early, which is not an error. */
function leaveQuietly(error: NodeJS.ErrnoException) {
  if (error.code !== "EPIPE") throw error;
  process.exit(EXIT.done);
}
