import type { State } from "../state/state.js";
import { orders } from "../text/orders.js";
import { overlap } from "../text/spans.js";
import type { Evidence } from "../types/evidence.js";

type Passages = NonNullable<State["nearest"]>;

/** Returns the most relevant passages so far, best first, each with its most relevant words. */
export function nearestOf(before: Passages, evidence: readonly Evidence[]): Passages {
  const fresh = evidence.filter(({ id }) => !before.some((known) => known.id === id)).flatMap(near);
  return [...before, ...fresh].toSorted((a, b) => b.relevance - a.relevance).slice(0, SHOWN);
}

const SHOWN = 3;

/** In characters. */
const QUOTED = 120;

/** Strips with orders to the assistant are left out. */
function near({ id, title, uri, section, text, strips }: Evidence): Passages {
  const ordered = orders(text);
  const best = strips
    .filter((strip) => !ordered.some((order) => overlap(order, strip)))
    .reduce<Evidence["strips"][number] | undefined>((a, b) => (a && a.relevance >= b.relevance ? a : b), undefined);
  if (!best) return [];
  const quote = beginningOf(text.slice(best.start, best.end).trim());
  return [{ id, title, uri, section, quote, relevance: best.relevance }];
}

/** Cuts words where a sentence ends or, if that leaves little, between two words. */
function beginningOf(words: string): string {
  if (words.length <= QUOTED) return words;
  const room = words.slice(0, QUOTED).replace(/[\ud800-\udbff]$/, "");
  const [whole = ""] = /^[\s\S]*(?:[.!?](?=\s)|[。！？])/u.exec(room) ?? [];
  if (whole.length >= QUOTED / 3) return whole;
  const isWithin = /\S/.test(words.charAt(room.length));
  return (isWithin ? room.replace(/(?<=\s)\S{0,40}$/, "") : room).trimEnd();
}
