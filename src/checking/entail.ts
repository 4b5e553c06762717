import { setImmediate } from "node:timers/promises";
import { sizeOf } from "../text/prose.js";
import { dot, inverseFrequency, invertedIndex } from "../text/similarity.js";
import { contentTerms } from "../text/tokens.js";
import type { Encoder } from "../tools/encoder/port.js";
import { overlap, type Span } from "../types/evidence.js";
import { mapWithTurns } from "../waiting.js";
import { THRESHOLDS } from "./thresholds.js";
import { closeUps, type Window } from "./windows.js";

/** The judgement of a claim against one window. */
export interface Entailed {
  /** The calibrated probability that the window states all of the claim: 0 to 1. */
  supported: number;
  /** The calibrated probability that it contradicts the claim: 0 to 1. */
  contradicted: number;
  /** Words that the window does not support, as spans of the claim. */
  wrong: readonly Span[];
  window: Window;
  /** The sentences of the window that support a short claim most, if it was looked at closely. */
  place?: Window;
  /** The rank of the window among those of this claim, from 1. */
  rank: number;
}

/** Judges each claim against the first `JUDGED` of its windows; the most supporting window comes first. */
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
  const first = pairs.map((pair, i) => {
    const { supported = 0, contradicted = 0, wrong = [] } = judged[i] ?? {};
    return { ...pair, supported, contradicted, wrong };
  });
  const all = claims.map((): Entailed[] => []);
  for (const { claim, text: _, ...one } of await lookedAtClosely(first, encoder, signal)) all[claim]?.push(one);
  return all.map((some) => some.sort((a, b) => b.supported - a.supported || a.rank - b.rank));
}

/**
 * Judges a short claim again if a window may support it, against each sentence of the window with the one before it:
 * words from all over a window can add up to a claim that no single place states. Both the window and the place have to
 * support it; the higher probability counts. A long claim is not judged again, since it says more than one sentence
 * can.
 */
async function lookedAtClosely<T extends Entailed & { text: string }>(
  all: readonly T[],
  encoder: Encoder,
  signal: AbortSignal | undefined,
): Promise<T[]> {
  const places = all.map(({ text, window, supported }) => {
    const isTentative = supported > THRESHOLDS.even && supported < THRESHOLDS.supported;
    return isTentative && sizeOf(text) <= SHORT ? closeUps(window) : [];
  });
  const pairs = all.flatMap(({ text }, i) => (places[i] ?? []).map((place) => ({ text, passage: place.text })));
  const judged = (await encoder.judge(pairs, { signal })).values();
  return all.map((one, i) => {
    const some = (places[i] ?? []).map((place) => {
      const { supported = 0, wrong = [] } = judged.next().value ?? {};
      return { place, supported, wrong };
    });
    const close = most(some, ({ supported }) => supported);
    if (!close) return one;
    const isStated = close.supported > THRESHOLDS.even;
    const isNew = (span: Span) => !one.wrong.some((known) => overlap(known, span));
    return {
      ...one,
      place: close.place,
      supported: isStated ? Math.max(one.supported, close.supported) : close.supported,
      wrong: [...one.wrong, ...close.wrong.filter(isNew)].sort((a, b) => a.start - b.start),
    };
  });
}

/** In words (docs/checking.md). */
const SHORT = 16;

/** Returns the window that supports the claim most or, if none is likely to, the one most related to it. */
export function foremost(some: readonly Entailed[]): Entailed | undefined {
  const [first] = some;
  return first && first.supported > THRESHOLDS.even ? first : most(some, (one) => one.supported + one.contradicted);
}

/** The most windows judged for one claim. */
export const JUDGED = 4;
/** The most windows embedded for one text: those that share most words with its claims. */
const EMBEDDED = 400;

/**
 * Finds for each claim the windows that could support it, best first, at most `JUDGED`. The score is the sum of shared
 * words, weighted by rarity, and cosine similarity, each scaled to 0 to 1 for each claim. Every window is embedded
 * once.
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
  const texts = kept.map((i) => windows[i]?.text ?? "");
  const asked = await encoder.embed(claims, { as: "question", signal });
  const there = await encoder.embed(texts, { as: "passage", signal });
  const best = (_: string, claim: number): Window[] => {
    const words = scaled(kept.map((i) => byWords[claim]?.[i] ?? 0));
    const meaning = scaled(there.map((vector) => dot(asked[claim] ?? [], vector)));
    return kept
      .map((i, at) => ({ window: windows[i], score: (words[at] ?? 0) + (meaning[at] ?? 0) }))
      .sort((a, b) => b.score - a.score)
      .flatMap(({ window }) => window ?? [])
      .slice(0, JUDGED);
  };
  return mapWithTurns(claims, best, signal);
}

/** Returns for each text the index of its nearest part in meaning; undefined if it has none. Embeds all at once. */
export async function nearestPart(
  some: readonly { text: string; parts: readonly string[] }[],
  encoder: Encoder,
  signal?: AbortSignal,
): Promise<(number | undefined)[]> {
  const texts = some.map(({ text }) => text);
  const parts = some.flatMap((one) => one.parts);
  const asked = await encoder.embed(texts, { as: "question", signal });
  const there = (await encoder.embed(parts, { as: "passage", signal })).values();
  return some.map((one, i) => {
    const near = one.parts.map((_, at) => ({ at, cosine: dot(asked[i] ?? [], there.next().value ?? []) }));
    return most(near, ({ cosine }) => cosine)?.at;
  });
}

/** Returns for each claim and window the sum of the weights of their shared words. */
async function sharedWords(
  claims: readonly string[],
  windows: readonly Window[],
  signal: AbortSignal | undefined,
): Promise<Float64Array[]> {
  const read: Set<string>[] = [];
  for (const [i, { text }] of windows.entries()) {
    if (i % AT_ONCE === 0) await pause(signal);
    read.push(new Set(contentTerms(text)));
  }
  const holders = invertedIndex(read.entries());
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

/** Texts read before the event loop gets a turn. */
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
