import { sentences } from "../../text/sentences.js";
import { inverseFrequency, type Weight } from "../../text/similarity.js";
import { contentTerms } from "../../text/tokens.js";

/** The sources of a claim, read once: their sentences, and where each term stands. */
export interface Ground {
  text: string;
  sentences: readonly { text: string; terms: readonly string[]; has: ReadonlySet<string> }[];
  /** All content terms in order, and for each its sentence. */
  terms: readonly string[];
  sentenceOf: Int32Array;
  /** For each term its places in `terms`, ascending. */
  places: ReadonlyMap<string, readonly number[]>;
  /** Runs of three terms of one sentence. */
  runs: ReadonlySet<string>;
  /** Terms that begin alike: the first four letters, and the terms behind them. */
  beginnings: ReadonlyMap<string, readonly string[]>;
  /** How rare a term is among the sentences. */
  weight: Weight;
  /** What a reading of the whole text says, made once for all claims. */
  once: <T>(reading: (text: string) => T) => T;
}

export function readGround(sources: readonly string[]): Ground {
  const read = sources.flatMap((text) =>
    sentences(text).map(({ start, end }) => {
      const sentence = text.slice(start, end);
      const terms = contentTerms(sentence);
      return { text: sentence, terms, has: new Set(terms) };
    }),
  );
  const all = read.flatMap((sentence) => sentence.terms);
  const places = new Map<string, number[]>();
  for (const [i, term] of all.entries()) {
    const known = places.get(term);
    if (known) known.push(i);
    else places.set(term, [i]);
  }
  const beginnings = new Map<string, string[]>();
  for (const term of places.keys()) {
    if (term.length < 4) continue;
    const key = term.slice(0, 4);
    const known = beginnings.get(key);
    if (known) known.push(term);
    else beginnings.set(key, [term]);
  }
  const text = sources.join("\n");
  const readings = new Map<unknown, unknown>();
  return {
    text,
    once: <T>(reading: (text: string) => T) => {
      if (!readings.has(reading)) readings.set(reading, reading(text));
      return readings.get(reading) as T;
    },
    sentences: read,
    terms: all,
    sentenceOf: Int32Array.from(read.flatMap((sentence, i) => sentence.terms.map(() => i))),
    places,
    runs: new Set(read.flatMap((sentence) => runsOf(sentence.terms))),
    beginnings,
    weight: inverseFrequency(read.map((sentence) => sentence.terms)),
  };
}

/** Every three neighbours as one string. */
export const runsOf = (some: readonly string[]): string[] =>
  some.slice(2).map((term, i) => `${some[i]} ${some[i + 1]} ${term}`);

/**
 * How near a second term stands behind a first in one sentence: 1 for the next, negative where it only stands before it;
 * undefined where no sentence has both. Linear in their places, and told once for each two.
 */
export function distances(ground: Ground): (a: string, b: string) => number | undefined {
  const known = new Map<string, number | undefined>();
  return (a, b) => {
    const key = `${a} ${b}`;
    if (!known.has(key)) known.set(key, distance(ground, a, b));
    return known.get(key);
  };
}

function distance(ground: Ground, a: string, b: string): number | undefined {
  const [here, there] = [ground.places.get(a), ground.places.get(b)];
  if (!here || !there) return undefined;
  let best: number | undefined;
  const consider = (i: number | undefined, j: number | undefined) => {
    if (i === undefined || j === undefined || i === j || ground.sentenceOf[i] !== ground.sentenceOf[j]) return;
    if (best === undefined || Math.abs(j - i) < Math.abs(best) || (j - i === -best && j > i)) best = j - i;
  };
  let j = 0;
  for (const i of here) {
    while (j < there.length && (there[j] ?? 0) <= i) j += 1;
    consider(i, there[j]);
    consider(i, there[j - 1]);
  }
  return best;
}
