let last: Promise<void> = Promise.resolve();

/**
 * Resolves when it is one's turn, in the order of asking, one a round of the event loop. What many runs would do at once
 * is then done with timers and connections served in between, so that no burst of questions stops the process.
 */
export function turn(): Promise<void> {
  last = last.then(() => new Promise((done) => setImmediate(done)));
  return last;
}
