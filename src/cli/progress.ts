import ora from "ora";
import { complain, plain } from "./screen.js";

/** One moving line on stderr that says what is going on; nothing where stderr is piped. */
export interface Progress extends Disposable {
  say(text: string): void;
  stop(): void;
}

export function progress(stream: NodeJS.WriteStream = process.stderr): Progress {
  // A pipe gets nothing at all, where the library would print each text as a line.
  // A terminal without columns, as some programs open one, would be cleared by the library for ever.
  const isSilent = !stream.isTTY || !stream.columns;
  const spinner = ora({ stream, isSilent, discardStdin: false });
  const stop = () => {
    // Stopping twice would clear the line that was written since.
    if (spinner.isSpinning) spinner.stop();
  };
  return {
    say: (text) => {
      if (spinner.isSpinning) spinner.text = plain(text);
      else spinner.start(plain(text));
    },
    stop,
    [Symbol.dispose]: stop,
  };
}

/** Says once that a write waits for another process, also where stderr is piped. */
export function waiting(line: Progress): (message: string) => void {
  let isSaid = false;
  return (message) => {
    if (isSaid) return;
    isSaid = true;
    line.stop();
    complain(`${message} Waiting for it; Ctrl-C stops.`);
  };
}
