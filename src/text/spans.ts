import type { Span } from "../types/evidence.js";

/** True if two spans of one text have a character in common. */
export const overlap = (one: Span, other: Span): boolean => one.start < other.end && other.start < one.end;

/** Returns the index of the last item that begins at or before an offset, or -1. The items are in the order of the text. */
export function lastAtOrBefore<T>(items: readonly T[], offset: number, startOf: (item: T) => number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (startOf(items[middle] as T) <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
