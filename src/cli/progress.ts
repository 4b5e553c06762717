import ora from "ora";
import { warn, withoutControls } from "./screen.js";

/** A progress line on stderr, silent if stderr is piped. */
export interface Progress extends Disposable {
  say(text: string): void;
  stop(): void;
}

export function progress(stream: NodeJS.WriteStream = process.stderr): Progress {
  // Otherwise ora prints each text as a line into a pipe, and clears a terminal without columns in an endless loop.
  const isSilent = !stream.isTTY || !stream.columns;
  const spinner = ora({ stream, isSilent, discardStdin: false });
  const stop = () => {
    // A second stop would clear a line written since.
    if (spinner.isSpinning) spinner.stop();
  };
  return {
    say: (text) => {
      if (spinner.isSpinning) spinner.text = withoutControls(text);
      else spinner.start(withoutControls(text));
    },
    stop,
    [Symbol.dispose]: stop,
  };
}

/** Reports once, even if stderr is piped, that a write waits for another process. */
export function waiting(line: Progress): (message: string) => void {
  let isSaid = false;
  return (message) => {
    if (isSaid) return;
    isSaid = true;
    line.stop();
    warn(`${message} Waiting for it; Ctrl-C stops.`);
  };
}

/** Reports every such wait, for commands that write only now and then. */
export const warnOfWait = (message: string) => warn(`${message} Waiting for it.`);
