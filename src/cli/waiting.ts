import type { Progress } from "./progress.js";
import { plain, type Screen } from "./screen.js";

/** Says once that a write waits for another process, also where stderr is piped. */
export function waiting(line: Progress, err: Screen): (message: string) => void {
  let isSaid = false;
  return (message) => {
    if (isSaid) return;
    isSaid = true;
    line.stop();
    err.write(`emend: ${plain(message)} Waiting for it; Ctrl-C stops.\n`);
  };
}
