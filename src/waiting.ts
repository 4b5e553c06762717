import { AsyncLocalStorage } from "node:async_hooks";

/** Settles as `work` does, or rejects with the signal's reason if that aborts first; `work` then runs on unobserved. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const aborted = () => reject(signal.reason);
  if (signal.aborted) aborted();
  signal.addEventListener("abort", aborted);
  work.then(resolve, reject).finally(() => signal.removeEventListener("abort", aborted));
  return promise;
}

/** Waits. @throws the signal's reason, once it is aborted. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  try {
    await unlessAborted(new Promise<void>((done) => (timer = setTimeout(done, ms))), signal);
  } finally {
    clearTimeout(timer);
  }
}

/** Settles as `work` does, or rejects with `late()` after `ms` milliseconds; `work` then runs on unobserved. */
export async function inTime<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(late()), ms);
  try {
    return await unlessAborted(work, stop.signal);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A semaphore: lets a number of callers through at a time, in order of arrival. p-queue 10 will not do: it gives the
 * place of aborted work to the next caller before that work has ended.
 */
export interface Gate {
  /** @throws the signal's reason if it aborts while waiting; the work then never starts. */
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
          // If its turn came at the same moment, the turn passes to the next one.
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
  /** Restarts the time, unless it is up. */
  extend(): void;
  /** Must be called when the work is done: the timer holds references until then, or until the time is up. */
  clear(): void;
}

/** @param milliseconds from now. */
export function deadline(milliseconds: number, signal?: AbortSignal): Deadline {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new DOMException("The time is up.", "TimeoutError")), milliseconds);
  let isCleared = false;
  return {
    signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
    isOver: () => late.signal.aborted,
    extend: () => {
      // A timer that was cleared would start again.
      if (!isCleared) timer.refresh();
    },
    clear: () => {
      isCleared = true;
      clearTimeout(timer);
    },
  };
}

/** True if a deadline aborted the signal, and not a person. */
export const isTimeUp = ({ aborted, reason }: AbortSignal): boolean =>
  aborted && reason instanceof Error && reason.name === "TimeoutError";

/** A lock per name: one caller at a time, the others wait in order of arrival. */
export function inTurns() {
  const last = new Map<string, Promise<void>>();

  /**
   * Waits for the lock, and returns a function that releases it.
   * @throws the signal's reason if it aborts before; the lock then passes to the next caller.
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

let lastTurn: Promise<void> = Promise.resolve();

/**
 * Resolves in order of calling, one call per round of the event loop. Timers and connections are served in between, so
 * that a burst of questions does not block the process.
 */
export function yieldToEventLoop(): Promise<void> {
  lastTurn = lastTurn.then(() => new Promise((done) => setImmediate(done)));
  return lastTurn;
}

/** Maps items in order, with a turn for the event loop before each. @throws the signal's reason, once it is aborted. */
export async function mapWithTurns<T, R>(
  items: readonly T[],
  work: (item: T, i: number) => R,
  signal?: AbortSignal,
): Promise<R[]> {
  const results: R[] = [];
  for (const [i, item] of items.entries()) {
    await yieldToEventLoop();
    signal?.throwIfAborted();
    results.push(work(item, i));
  }
  return results;
}

/** Milliseconds since 1970, with fractions: questions that arrive together differ in them. */
export const timeNow = (): number => performance.timeOrigin + performance.now();

const beginnings = new AsyncLocalStorage<number>();

/**
 * Runs the work of a question that began at this time (`timeNow`). A part that many questions share serves the oldest
 * question first: if it served all at the same pace, even the first would end late.
 */
export const asOf = <T>(began: number, work: () => T): T => beginnings.run(began, work);

/** Returns when the current question began. Infinity for work outside a question, which can wait. */
export const beganAt = (): number => beginnings.getStore() ?? Number.POSITIVE_INFINITY;

/** Runs work that pauses with `yield` to its end, without a pause. */
export function atOnce<T>(work: Generator<void, T>): T {
  for (let next = work.next(); ; next = work.next()) if (next.done) return next.value;
}

/** The same with a turn for the event loop at every pause. @throws the signal's reason, once it is aborted. */
export async function withPauses<T>(work: Generator<void, T>, signal?: AbortSignal): Promise<T> {
  for (let next = work.next(); ; next = work.next()) {
    if (next.done) return next.value;
    await yieldToEventLoop();
    signal?.throwIfAborted();
  }
}
