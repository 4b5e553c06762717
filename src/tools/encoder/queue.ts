/** Tracks the work that waits for a judge, to estimate how long new work would wait. Times are in milliseconds. */
export function workQueue(now: () => number = () => performance.now()) {
  const waiting = new Map<number, { since: number; tokens: number }>();
  /** The work done so far. Older work has less weight. */
  let done = { tokens: 0, ms: 0 };
  /** When the judge began its current work. */
  let turnedAt = 0;
  /** The size of the work of each of the last questions, by when the question began. */
  const asked = new Map<number, number>();
  const perToken = () => (done.tokens === 0 ? 0 : done.ms / done.tokens);

  return {
    /** @param since when the question began; infinite for work that belongs to no question. */
    enter(id: number, since: number, tokens: number): void {
      if (waiting.size === 0) turnedAt = now();
      waiting.set(id, { since, tokens });
    },
    /** @param ms the time that the judge spent on it; undefined for work that was dropped. */
    leave(id: number, ms?: number): void {
      const job = waiting.get(id);
      if (!job || !waiting.delete(id) || ms === undefined) return;
      turnedAt = now();
      done = { tokens: FORGET * done.tokens + job.tokens, ms: FORGET * done.ms + ms };
      if (job.since === Number.POSITIVE_INFINITY) return;
      asked.set(job.since, (asked.get(job.since) ?? 0) + job.tokens);
      for (const oldest of [...asked.keys()].slice(0, -QUESTIONS)) asked.delete(oldest);
    },
    /** The size of all work that waits or is being done. */
    tokens: (): number => [...waiting.values()].reduce((sum, job) => sum + job.tokens, 0),
    /** Returns how long a question that began at `since` would wait for older ones; 0 until something is measured. */
    behind(since: number): number {
      const before = [...waiting.values()].filter((job) => job.since < since);
      const tokens = before.reduce((sum, job) => sum + job.tokens, 0);
      return Math.max(0, tokens * perToken() - (now() - turnedAt));
    },
    /**
     * Returns how long the judge works for a question of the usual size, the median of the last ones: a few large ones
     * change nothing. 0 until something is measured.
     */
    each: (): number => ([...asked.values()].sort((a, b) => a - b)[(asked.size - 1) >> 1] ?? 0) * perToken(),
  };
}

/** The factor by which older work loses weight with each new piece of work. */
const FORGET = 0.9;
const QUESTIONS = 50;
