import { fstatSync, writeSync } from "node:fs";
import type { Command } from "commander";
import { StoreUnavailableError, toError, UsageError } from "../errors.js";
import type { Options } from "./options.js";
import { warn } from "./screen.js";

/** Exit codes. */
export const EXIT = { done: 0, fault: 1, usage: 2, notAnswered: 3, interrupted: 130 } as const;

/** A command with its arguments, its options, and a signal that aborts on Ctrl-C. Returns the exit code. */
export type CommandRun = (words: readonly string[], options: Options, signal: AbortSignal) => Promise<number>;

/** Adds a command, whose code is loaded when it runs, so that help is fast. */
export const command = (parent: Command, name: string, load: () => Promise<CommandRun>): Command =>
  parent.command(name).action(running(async (...args) => (await load())(...args)));

/** Wraps a command as a commander action that ends the program. An error becomes one line on stderr. */
function running(run: CommandRun) {
  return async (...args: unknown[]) => {
    const command = args.at(-1) as Command;
    const interrupt = new AbortController();
    // Only once: a second Ctrl-C kills the program.
    process.once("SIGINT", () => interrupt.abort());
    if (!process.listeners("unhandledRejection").includes(leaveToItsRun)) {
      process.on("unhandledRejection", leaveToItsRun);
      process.on("rejectionHandled", () => {});
    }
    process.stdout.on("error", leave);
    process.stderr.on("error", leave);
    writeWhole(process.stdout);
    const code = await run(command.processedArgs.flat() as string[], command.optsWithGlobals(), interrupt.signal).catch(
      (error: unknown) => {
        if (interrupt.signal.aborted) return EXIT.interrupted;
        warn(toError(error).message);
        return error instanceof UsageError ? EXIT.usage : EXIT.fault;
      },
    );
    // Open connections and calls that ignore their signal must not keep the program alive.
    process.stdout.write("", (error) => {
      // If the write failed, the stream's error event ends the program.
      if (!error) process.stderr.write("", () => process.exit(code));
    });
  };
}

/**
 * LangGraph stores a step while the next one runs, and handles its error only at the end. Until then the rejection
 * counts as unhandled, for which Node.js would end the program and with it all other questions.
 */
function leaveToItsRun(error: unknown) {
  if (!(error instanceof StoreUnavailableError)) throw error;
}

/** A reader such as `head` may close the pipe early, which is not an error. */
function leave(error: NodeJS.ErrnoException) {
  if (error.code === "EPIPE") process.exit(EXIT.done);
  // If stderr failed, nothing can be reported.
  if (!process.stderr.errored)
    warn(`stdout cannot be written, so the output is incomplete (${error.message}). Run the command again.`);
  process.stderr.write("", () => process.exit(EXIT.fault));
}

/**
 * Makes writes to a file complete, or fail. Node.js writes once and ignores how much was written: on a full disk, the
 * rest would be lost without an error.
 */
function writeWhole(stream: NodeJS.WriteStream & { fd: number }) {
  if (stream.fd !== 1 || !fstatSync(stream.fd).isFile()) return;
  stream._write = (chunk: Uint8Array, _encoding, done) => {
    try {
      for (let at = 0; at < chunk.length; ) at += writeSync(stream.fd, chunk, at);
    } catch (error) {
      return done(toError(error));
    }
    done();
  };
}
