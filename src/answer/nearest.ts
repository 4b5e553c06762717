import type { State } from "../graph/state.js";
import { orders } from "../language/orders.js";
import type { Nearest } from "../types/answer.js";
import type { Evidence } from "../types/evidence.js";

/** The nearest of graded evidence and of what was nearest before, nearest first: each with the words that were judged nearest. */
export function nearestOf(
  before: NonNullable<State["nearest"]>,
  evidence: readonly Evidence[],
): NonNullable<State["nearest"]> {
  const fresh = evidence.filter(({ id }) => !before.some((known) => known.id === id)).flatMap(near);
  return [...before, ...fresh].toSorted((a, b) => b.relevance - a.relevance).slice(0, SHOWN);
}

const SHOWN = 3;
const QUOTED = 300;

/** Nothing of a strip that gives its reader orders. */
function near({ id, title, uri, section, text, strips }: Evidence): (Nearest & { id: string; relevance: number })[] {
  const ordered = orders(text);
  const best = strips
    .filter(({ start, end }) => !ordered.some((order) => order.start < end && order.end > start))
    .reduce<Evidence["strips"][number] | undefined>((a, b) => (a && a.relevance >= b.relevance ? a : b), undefined);
  if (!best) return [];
  const words = text.slice(best.start, best.end);
  const quote =
    words.length <= QUOTED
      ? words
      : words
          .slice(0, QUOTED)
          .replace(/(?<=\s)\S{0,40}$|[\ud800-\udbff]$/, "")
          .trimEnd();
  return [{ id, title, uri, section, quote, relevance: best.relevance }];
}
