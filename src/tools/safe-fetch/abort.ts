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

/** Lets so many through at a time, first come, first served. */
export interface Gate {
  /** @throws the signal's reason when aborted while waiting; the work is then never begun. */
  through<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>;
}

export function gate(places: number): Gate {
  let free = places;
  const waiting = new Set<() => void>();
  return {
    async through(signal, work) {
      signal?.throwIfAborted();
      if (free > 0) free -= 1;
      else {
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.add(resolve);
        await (signal ? unlessAborted(promise, signal) : promise).catch((reason: unknown) => {
          // Its turn may have come in the same moment, and is then the next one's.
          if (!waiting.delete(resolve)) leave();
          throw reason;
        });
      }
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };

  function leave(): void {
    const [next] = waiting;
    if (!next) free += 1;
    else {
      waiting.delete(next);
      next();
    }
  }
}
