import ora from "ora";

/** One moving line on stderr that says what is going on; nothing where stderr is piped. */
export interface Progress {
  say(text: string): void;
  stop(): void;
}

export function progress(stream: NodeJS.WriteStream = process.stderr): Progress {
  // A pipe gets nothing at all, where the library would print each text as a line.
  // A terminal without columns, as some programs open one, would be cleared by the library for ever.
  const isSilent = !stream.isTTY || !stream.columns;
  const spinner = ora({ stream, isSilent, discardStdin: false });
  return {
    say: (text) => {
      if (spinner.isSpinning) spinner.text = text;
      else spinner.start(text);
    },
    // Stopping twice would clear the line that was written since.
    stop: () => {
      if (spinner.isSpinning) spinner.stop();
    },
  };
}
