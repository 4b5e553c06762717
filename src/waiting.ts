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

/** A limit on time as an abort signal. */
export interface Deadline {
  /** Aborts with a TimeoutError when the time is up, or with the reason of the signal it was made from. */
  readonly signal: AbortSignal;
  isOver(): boolean;
  /** To be called when the work is done: until then, or until the time is up, the timer keeps all that the work held. */
  clear(): void;
}

/** @param milliseconds from now. */
export function deadline(milliseconds: number, signal?: AbortSignal): Deadline {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new DOMException("The time is up.", "TimeoutError")), milliseconds);
  return {
    signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
    isOver: () => late.signal.aborted,
    clear: () => clearTimeout(timer),
  };
}

/** Lets one caller at a time do something under a name; the others wait, in the order they came. */
export function inTurns() {
  const last = new Map<string, Promise<void>>();

  /**
   * Waits for the name's turn, and returns what ends it.
   * @throws the signal's reason when aborted before; the turn then goes to the next.
   */
  return async (name: string, signal?: AbortSignal): Promise<() => void> => {
    const before = last.get(name) ?? Promise.resolve();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const turn = before.then(() => ended);
    last.set(name, turn);
    void turn.then(() => last.get(name) === turn && last.delete(name));
    try {
      await (signal ? unlessAborted(before, signal) : before);
    } catch (error) {
      end();
      throw error;
    }
    return end;
  };
}

let last: Promise<void> = Promise.resolve();

/**
 * Resolves when it is one's turn, in the order of asking, one a round of the event loop. What many runs would do at once
 * is then done with timers and connections served in between, so that no burst of questions stops the process.
 */
export function turn(): Promise<void> {
  last = last.then(() => new Promise((done) => setImmediate(done)));
  return last;
}
