/** A score, which should be higher for positive items, and whether the item is positive. */
export interface Scored {
  score: number;
  positive: boolean;
}

/** Null without values. */
export const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;

/** The value below which a share `q` (0 to 1) of the values lies, interpolated linearly. Null without values. */
export function quantile(values: readonly number[], q: number): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * q;
  const low = sorted[Math.floor(at)];
  const high = sorted[Math.ceil(at)];
  return low === undefined || high === undefined ? null : low + (high - low) * (at - Math.floor(at));
}

/**
 * Expected calibration error: the mean distance between confidence (0 to 1) and the share of positives, over ten equal
 * ranges weighted by their number of items (Guo et al. 2017). Null without items.
 */
export function calibrationError(items: readonly Scored[]): number | null {
  if (items.length === 0) return null;
  const ranges = Map.groupBy(items, ({ score }) => Math.min(9, Math.floor(score * 10)));
  const distance = (some: readonly Scored[]) =>
    Math.abs(some.reduce((sum, { score, positive }) => sum + score - Number(positive), 0));
  return [...ranges.values()].reduce((sum, some) => sum + distance(some), 0) / items.length;
}

export interface Interval {
  low: number;
  high: number;
}

/** Samples of the indices below `n`, each of `n` indices drawn with replacement; the same samples in every run. */
export function samples(n: number): Int32Array[] {
  const next = randomFrom(1);
  return Array.from({ length: SAMPLES }, () => new Int32Array(n).map(() => Math.floor(next() * n)));
}

const SAMPLES = 1_000;

/** The interval in which a figure lies in 95 of 100 samples (percentile bootstrap). Null if it is not defined in any. */
export function bootstrap(
  drawn: readonly Int32Array[],
  figure: (places: Int32Array) => number | null,
): Interval | null {
  const found = drawn.map(figure).filter((value) => value !== null);
  const [low, high] = [quantile(found, 0.025), quantile(found, 0.975)];
  return low === null || high === null ? null : { low, high };
}

/** Pseudorandom numbers from 0 to 1 that depend on the seed alone (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** At most `limit` of the items, chosen by the seed alone and kept in their order. Without a limit, all of them. */
export function sample<T>(items: readonly T[], limit: number | undefined, seed: number): readonly T[] {
  if (limit === undefined || limit >= items.length) return items;
  const chosen = new Set(shuffled([...items.keys()], seed).slice(0, limit));
  return items.filter((_, i) => chosen.has(i));
}

/** The items in an order that depends on the seed alone (Fisher and Yates). */
export function shuffled<T>(items: readonly T[], seed: number): T[] {
  const next = randomFrom(seed);
  const rest = [...items];
  const order: T[] = [];
  while (rest.length > 0) order.push(...rest.splice(Math.floor(next() * rest.length), 1));
  return order;
}
