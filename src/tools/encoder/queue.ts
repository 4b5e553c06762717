/** Keeps count of the work that waits for a judge, to tell how long more of it would wait. Times are in milliseconds. */
export function workQueue(now: () => number = () => performance.now()) {
  const waiting = new Map<number, { since: number; tokens: number }>();
  /** Of the work done so far, with less weight the longer ago. */
  let done = { tokens: 0, ms: 0 };
  /** When the judge last went on to other work. */
  let turnedAt = 0;
  /** What each of the last questions took, by when it began. */
  const taken = new Map<number, number>();

  return {
    /** @param since when the question began; infinite for work of no question. */
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
      taken.set(job.since, (taken.get(job.since) ?? 0) + ms);
      for (const oldest of [...taken.keys()].slice(0, -QUESTIONS)) taken.delete(oldest);
    },
    /** Returns how long the work of a question that began at `since` would wait for that of older ones: 0 until something is measured. */
    behind(since: number): number {
      const before = [...waiting.values()].filter((job) => job.since < since);
      const tokens = before.reduce((sum, job) => sum + job.tokens, 0);
      if (tokens === 0 || done.tokens === 0) return 0;
      return Math.max(0, tokens * (done.ms / done.tokens) - (now() - turnedAt));
    },
    /** Returns what a question takes in all, on average of the last ones: 0 until something is measured. */
    each: (): number => (taken.size === 0 ? 0 : [...taken.values()].reduce((sum, ms) => sum + ms, 0) / taken.size),
  };
}

/** The weight of what was done before, at every further piece of work. */
const FORGET = 0.9;
const QUESTIONS = 50;
