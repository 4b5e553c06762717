/** Waits without computing, as if the machine were asleep or busy. Runs in a separate process. */
export function sleeper(ms: number): string {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  return "rested";
}

/** Computes for this many milliseconds. */
export function worker(ms: number): string {
  const end = performance.now() + ms;
  while (performance.now() < end);
  return "done";
}
