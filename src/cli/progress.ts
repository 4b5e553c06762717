import stringWidth from "fast-string-width";
import { cutToWidth, oneLine, warn } from "./screen.js";

/** A progress line on stderr, silent if stderr is piped. */
export interface Progress extends Disposable {
  say(text: string): void;
  stop(): void;
}

export function progress(stream: NodeJS.WriteStream = process.stderr): Progress {
  let shown = 0;
  /** Returns to the start of the line, which every terminal can, and writes over what is there. */
  const show = (text: string) => {
    const width = stringWidth(text);
    stream.write(`\r${text}${" ".repeat(Math.max(0, shown - width))}`);
    shown = width;
  };
  const stop = () => {
    if (shown === 0) return;
    show("");
    stream.write("\r");
  };
  return {
    say: (text) => {
      if (stream.isTTY && stream.columns) show(cutToWidth(oneLine(text), stream.columns - 1));
    },
    stop,
    [Symbol.dispose]: stop,
  };
}

/** What is said while claims are checked. */
export const CHECKING = "Checking every sentence";

/** Reports once, even if stderr is piped, that a write waits for another process. */
export function warnOnceOfWait(line: Progress): (message: string) => void {
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
