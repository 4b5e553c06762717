import { setImmediate } from "node:timers/promises";
import { inAmountsOf } from "../facts/same-amounts.js";
import { sizeOf } from "../text/prose.js";
import { dot, inverseFrequency, invertedIndex } from "../text/similarity.js";
import { overlap } from "../text/spans.js";
import { contentTerms } from "../text/tokens.js";
import { CHECKING } from "../thresholds.js";
import type { Encoder, Pair } from "../tools/encoder/port.js";
import type { Span } from "../types/evidence.js";
import { mapWithTurns } from "../waiting.js";
import { closeUp, type Place, placesIn, type Window } from "./windows.js";

/** The judgement of a claim against one window. */
export interface Entailed {
  /** The calibrated probability that the window states all of the claim: 0 to 1. */
  supported: number;
  /** The calibrated probability that it contradicts the claim: 0 to 1. */
  contradicted: number;
  /** Words that the window does not support, as spans of the claim. */
  wrong: readonly Span[];
  window: Window;
  /** The sentences of the window, and the probability that each states the claim: 0 to 1, by its tokens. */
  places: readonly (Place & { states: number })[];
  /** The sentence that states a short claim most, with the one before it, if the claim was judged against it too. */
  close?: Window;
  /** The rank of the window among those of this claim, from 1. */
  rank: number;
}

/**
 * Judges each claim against the first `JUDGED` of its windows; the most supporting window comes first.
 */
export async function entailed(
  claims: readonly { text: string; windows: readonly Window[] }[],
  encoder: Encoder,
  signal?: AbortSignal,
): Promise<Entailed[][]> {
  const pairs = claims.flatMap(({ text, windows }, claim) =>
    windows.slice(0, JUDGED).map((window, i) => ({ claim, text, window, places: placesIn(window), rank: i + 1 })),
  );
  const judged = await judgedAlike(
    pairs.map(({ text, window, places }) => ({ text, passage: window.text, units: places.map(({ at }) => at) })),
    encoder,
    signal,
  );
  const first = pairs.map((pair, i) => {
    const { supported = 0, contradicted = 0, wrong = [], units = [] } = judged[i] ?? {};
    const places = pair.places.map((place, at) => ({ ...place, states: units[at]?.states ?? 0 }));
    return { ...pair, supported, contradicted, wrong, places };
  });
  const all = claims.map((): Entailed[] => []);
  for (const { claim, text: _, ...one } of await lookedAtClosely(first, encoder, signal)) all[claim]?.push(one);
  return all.map((some) => some.sort((a, b) => b.supported - a.supported || a.rank - b.rank));
}

/**
 * Judges a short claim again if a window may support it, against the sentence that states it most, with the one before
 * it: words from all over a window can add up to a claim that no single sentence states. Both the window and the
 * sentence have to support it; the higher probability counts. A long claim is not judged again, since it says more than
 * one sentence can.
 */
async function lookedAtClosely<T extends Entailed & { text: string }>(
  all: readonly T[],
  encoder: Encoder,
  signal: AbortSignal | undefined,
): Promise<T[]> {
  const again = all.flatMap((one) => {
    const isTentative = one.supported > CHECKING.even && one.supported < CHECKING.supported;
    const place = placeOf(one);
    return isTentative && sizeOf(one.text) <= SHORT && place ? [{ one, close: closeUp(place) }] : [];
  });
  const judged = await judgedAlike(
    again.map(({ one: { text }, close }) => ({ text, passage: close.text })),
    encoder,
    signal,
  );
  const seen = new Map(again.map(({ one, close }, i) => [one, { close, ...judged[i] }]));
  return all.map((one) => {
    const near = seen.get(one);
    if (!near) return one;
    const { close, supported = 0, wrong = [] } = near;
    const isNew = (span: Span) => !one.wrong.some((known) => overlap(known, span));
    return {
      ...one,
      close,
      supported: supported > CHECKING.even ? Math.max(one.supported, supported) : supported,
      wrong: [...one.wrong, ...wrong.filter(isNew)].sort((a, b) => a.start - b.start),
    };
  });
}

/** Judges claims whose amounts are written as their passages write them. */
async function judgedAlike(pairs: readonly Pair[], encoder: Encoder, signal: AbortSignal | undefined) {
  const reworded = pairs.map(({ text, passage }) => inAmountsOf(text, passage));
  const judged = await encoder.judge(
    pairs.map((pair, i) => ({ ...pair, text: reworded[i]?.text ?? pair.text })),
    { signal },
  );
  return judged.map((one, i) => {
    const wrong = one.wrong.map((span) => reworded[i]?.spanOf(span) ?? span);
    // Two words of one amount of the source are one amount of the claim.
    return { ...one, wrong: wrong.filter((span, at) => !wrong.slice(0, at).some((other) => overlap(other, span))) };
  });
}

/** In words (docs/checking.md). */
const SHORT = 16;

/** Returns the sentence of the window that states the claim most; undefined if the window has only headings. */
export const placeOf = ({ places }: Pick<Entailed, "places">) => most(places, ({ states }) => states);

/** Returns the window that supports the claim most or, if none is likely to, the one most related to it. */
export function foremost(some: readonly Entailed[]): Entailed | undefined {
  const [first] = some;
  return first && first.supported > CHECKING.even ? first : most(some, (one) => one.supported + one.contradicted);
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
