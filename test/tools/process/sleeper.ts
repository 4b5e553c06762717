/** Waits without computing, as a program does while the machine sleeps or serves others. Runs in a process of its own. */
export function sleeper(ms: number): string {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  return "rested";
}

/** Computes for some milliseconds. */
export function worker(ms: number): string {
  const end = performance.now() + ms;
  while (performance.now() < end);
  return "done";
}
