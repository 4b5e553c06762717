/** What `work` settles to, unless the signal is aborted first: then its reason, and `work` is left to itself. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const aborted = () => reject(signal.reason);
  if (signal.aborted) aborted();
  signal.addEventListener("abort", aborted);
  work.then(resolve, reject).finally(() => signal.removeEventListener("abort", aborted));
  return promise;
}

export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  try {
    await unlessAborted(new Promise<void>((done) => (timer = setTimeout(done, ms))), signal);
  } finally {
    clearTimeout(timer);
  }
}

/** What `work` settles to, unless the time is over first; `work` is then left to itself. */
export async function inTime<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(late()), ms);
  try {
    return await unlessAborted(work, stop.signal);
  } finally {
    clearTimeout(timer);
  }
}
