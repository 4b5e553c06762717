import ora from "ora";

/** One moving line on stderr that says what is going on; nothing where stderr is piped. */
export interface Progress {
  say(text: string): void;
  stop(): void;
}

export function progress(): Progress {
  // A pipe gets nothing at all, where the library would print each text as a line.
  const spinner = ora({ isSilent: !process.stderr.isTTY, discardStdin: false });
  return {
    say: (text) => {
      if (spinner.isSpinning) spinner.text = text;
      else spinner.start(text);
    },
    stop: () => {
      spinner.stop();
    },
  };
}
