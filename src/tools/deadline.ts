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
