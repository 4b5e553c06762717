import type { Command } from "commander";
import { UsageError } from "../errors.js";
import type { Options } from "./program.js";
import { complain } from "./screen.js";

/** What the shell is told. */
export const EXIT = { done: 0, fault: 1, usage: 2, notAnswered: 3, interrupted: 130 } as const;

/** A command: what was typed after its name, its options, and a signal that aborts on Ctrl-C. Returns the exit code. */
export type Run = (words: readonly string[], options: Options, signal: AbortSignal) => Promise<number>;

/** Runs a command as a commander action, and ends the program. Whatever goes wrong becomes one line on stderr. */
export function running(run: Run) {
  return async (...args: unknown[]) => {
    const command = args.at(-1) as Command;
    const interrupt = new AbortController();
    // Once: a second Ctrl-C ends the program at once, whatever it is doing.
    process.once("SIGINT", () => interrupt.abort());
    process.stdout.on("error", leaveQuietly);
    process.stderr.on("error", leaveQuietly);
    const code = await run(command.processedArgs.flat() as string[], command.optsWithGlobals(), interrupt.signal).catch(
      (error: unknown) => {
        if (interrupt.signal.aborted) return EXIT.interrupted;
        complain(error instanceof Error ? error.message : String(error));
        return error instanceof UsageError ? EXIT.usage : EXIT.fault;
      },
    );
    // A connection that is kept alive, or a call that ignores its signal, must not keep the program alive.
    process.stdout.write("", () => process.stderr.write("", () => process.exit(code)));
  };
}

/** The reader of a pipe may leave before the end, as `head` does. That is no fault. */
function leaveQuietly(error: NodeJS.ErrnoException) {
  if (error.code !== "EPIPE") throw error;
  process.exit(EXIT.done);
}
