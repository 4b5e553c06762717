import { setImmediate } from "node:timers/promises";
import { dot, inverseFrequency } from "../language/similarity.js";
import { contentTerms } from "../language/tokens.js";
import type { Encoder } from "../tools/encoder/port.js";
import type { Span } from "../types/evidence.js";
import type { Window } from "./windows.js";

/** What the judge says of a claim and one window. */
export interface Entailed {
  /** That the window states all of it, and that it says otherwise: calibrated probabilities, 0 to 1. */
  supported: number;
  contradicted: number;
  /** Words of the claim that the window does not carry, as places in it. */
  wrong: readonly Span[];
  window: Window;
  /** Its place among the windows that were judged for this claim, from 1. */
  rank: number;
}

/** Claims, each judged in the windows given for it, the first `JUDGED` of them; what supports it most comes first. */
export async function entailed(
  claims: readonly { text: string; windows: readonly Window[] }[],
  encoder: Encoder,
  signal?: AbortSignal,
): Promise<Entailed[][]> {
  const pairs = claims.flatMap(({ text, windows }, claim) =>
    windows.slice(0, JUDGED).map((window, i) => ({ claim, text, window, rank: i + 1 })),
  );
  const judged = await encoder.judge(
    pairs.map(({ text, window }) => ({ text, passage: window.text })),
    { signal },
  );
  const all = claims.map((): Entailed[] => []);
  for (const [i, { claim, window, rank }] of pairs.entries()) {
    const { supported = 0, contradicted = 0, wrong = [] } = judged[i] ?? {};
    all[claim]?.push({ supported, contradicted, wrong, window, rank });
  }
  return all.map((some) => some.sort((a, b) => b.supported - a.supported || a.rank - b.rank));
}

/**
 * The window that counts: the one that supports the claim most, or where none does more likely than not, the one that
 * speaks of it most. Undefined where there is none.
 */
export function foremost(some: readonly Entailed[]): Entailed | undefined {
  const [first] = some;
  return first && first.supported > 0.5 ? first : most(some, (one) => one.supported + one.contradicted);
}

/** Pairs that are judged for one claim, at most. */
export const JUDGED = 4;
/** Windows that are embedded for one text, at most: those that share most words with its claims. */
const EMBEDDED = 400;

/**
 * For each claim the windows that could carry it, best first, `JUDGED` at most: by the words they share, rare ones above
 * all, and by meaning (the cosine of their vectors), each scaled to what there is for the claim. Every window is embedded
 * once, however many claims there are.
 */
export async function likeliest(
  claims: readonly string[],
  windows: readonly Window[],
  encoder: Encoder,
  signal?: AbortSignal,
): Promise<Window[][]> {
  if (windows.length <= JUDGED || claims.length === 0) return claims.map(() => [...windows]);
  const byWords = await sharedWords(claims, windows, signal);
  const top = windows.map((_, i) => byWords.reduce((best, scores) => Math.max(best, scores[i] ?? 0), 0));
  const kept = windows
    .map((_, i) => i)
    .sort((a, b) => (top[b] ?? 0) - (top[a] ?? 0) || a - b)
    .slice(0, EMBEDDED);
  const [asked, there] = [
    await encoder.embed(claims, { as: "question", signal }),
    await encoder.embed(
      kept.map((i) => windows[i]?.text ?? ""),
      { as: "passage", signal },
    ),
  ];
  return claims.map((_, claim) => {
    const words = scaled(kept.map((i) => byWords[claim]?.[i] ?? 0));
    const meaning = scaled(there.map((vector) => dot(asked[claim] ?? [], vector)));
    return kept
      .map((i, at) => ({ window: windows[i], score: (words[at] ?? 0) + (meaning[at] ?? 0) }))
      .sort((a, b) => b.score - a.score)
      .flatMap(({ window }) => window ?? [])
      .slice(0, JUDGED);
  });
}

/** For each of these texts its nearest part in meaning, by place; undefined where it has none. All are embedded at once. */
export async function nearestPart(
  some: readonly { text: string; parts: readonly string[] }[],
  encoder: Encoder,
  signal?: AbortSignal,
): Promise<(number | undefined)[]> {
  const asked = await encoder.embed(
    some.map(({ text }) => text),
    { as: "question", signal },
  );
  const there = (
    await encoder.embed(
      some.flatMap(({ parts }) => parts),
      { as: "passage", signal },
    )
  ).values();
  return some.map(({ parts }, i) => {
    const near = parts.map((_, at) => ({ at, cosine: dot(asked[i] ?? [], there.next().value ?? []) }));
    return most(near, ({ cosine }) => cosine)?.at;
  });
}

/** For each claim and window, what words they share weigh. */
async function sharedWords(
  claims: readonly string[],
  windows: readonly Window[],
  signal: AbortSignal | undefined,
): Promise<Float64Array[]> {
  const holders = new Map<string, number[]>();
  const read: Set<string>[] = [];
  for (const [i, { text }] of windows.entries()) {
    if (i % AT_ONCE === 0) await pause(signal);
    const terms = new Set(contentTerms(text));
    read.push(terms);
    for (const term of terms) {
      const held = holders.get(term);
      if (held) held.push(i);
      else holders.set(term, [i]);
    }
  }
  const weight = inverseFrequency(read);
  const all: Float64Array[] = [];
  for (const [i, claim] of claims.entries()) {
    if (i % AT_ONCE === 0) await pause(signal);
    const scores = new Float64Array(windows.length);
    for (const term of new Set(contentTerms(claim)))
      for (const at of holders.get(term) ?? []) scores[at] = (scores[at] ?? 0) + weight(term);
    all.push(scores);
  }
  return all;
}

/** How many texts are read before others get their turn. */
const AT_ONCE = 8;

async function pause(signal: AbortSignal | undefined): Promise<void> {
  await setImmediate();
  signal?.throwIfAborted();
}

function scaled(values: readonly number[]): number[] {
  const least = values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const range = values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY) - least;
  return values.map((value) => (range > 0 ? (value - least) / range : 0));
}

const most = <T>(some: readonly T[], of: (one: T) => number) =>
  some.reduce<T | undefined>((a, b) => (a !== undefined && of(a) >= of(b) ? a : b), undefined);
