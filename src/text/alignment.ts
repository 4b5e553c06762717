import type { Span } from "../types/evidence.js";
import { CHINESE_FUNCTION_WORDS, ENGLISH_FUNCTION_WORDS } from "./function-words.js";
import { quantities } from "./numbers.js";
import { remembered } from "./remembered.js";
import { contentTerms, plain } from "./tokens.js";

/** A word, a Chinese character, or a whole amount, with the key by which it equals another. */
export interface Token extends Span {
  key: string;
  kind: "amount" | "han" | "word";
  /** How much it says: 1 for a word or an amount, half for a Chinese character, little for a function word. */
  weight: number;
}

/** What a claim has where its source has something else, or nothing; either side may be empty, not both. */
export interface Difference {
  claim: Token[];
  source: Token[];
}

export interface Alignment {
  /** The share of the claim, by weight, that stands in the source in the same order: 0 to 1. */
  share: number;
  /** In the claim's order. What the source has before and behind all of it is left out. */
  differences: Difference[];
  /** Which token of the claim equals which of the source; both rise. */
  pairs: readonly (readonly [claim: number, source: number])[];
  /** The weight of the claim and of what of it is aligned. */
  weight: number;
  aligned: number;
}

/**
 * Lays a claim along one sentence of its source, word by word, so that what was changed shows as a difference between
 * two places that agree (Needleman and Wunsch, with a bonus for runs). Undefined where either is longer than 400 tokens.
 */
export function align(claim: readonly Token[], source: readonly Token[]): Alignment | undefined {
  if (claim.length === 0 || claim.length > MOST || source.length > MOST) return undefined;
  const pairs = withoutStrays(bestPairs(claim, source), claim);
  const differences: Difference[] = [];
  let [i, j] = [0, -1];
  for (const [a, b] of pairs) {
    // What stands at the claim's edge is held against as much of the source, and a little more.
    const from = j < 0 ? Math.max(0, b - EDGE - a) : j;
    if (a > i || (j >= 0 && b > j))
      differences.push({ claim: claim.slice(i, a), source: a > i || j >= 0 ? source.slice(from, b) : [] });
    [i, j] = [a + 1, b + 1];
  }
  if (i < claim.length)
    differences.push({ claim: claim.slice(i), source: j < 0 ? [] : source.slice(j, j + claim.length - i + EDGE) });
  const weight = weightOf(claim);
  const aligned = pairs.reduce((sum, [a]) => sum + (claim[a]?.weight ?? 0), 0);
  return { share: weight === 0 ? 0 : aligned / weight, differences, pairs, weight, aligned };
}

const MOST = 400;
const EDGE = 2;
/** What each step of a run adds, so that a phrase stays together. */
const RUN = 0.3;

export const weightOf = (tokens: readonly Token[]) => tokens.reduce((sum, { weight }) => sum + weight, 0);

/** The tokens of one sentence. Equal amounts have equal keys however they are written. */
export const tokensOf: (text: string) => readonly Token[] = remembered(readTokens);

function readTokens(text: string): Token[] {
  // Bare digits equal themselves, whether they were read as a year or as a count.
  const amounts = quantities(text).map((amount): Token => {
    const key = /^[\d,]+$/.test(amount.text) ? amount.text.replaceAll(",", "") : amount.key.replace(/^number:/, "");
    return { key, start: amount.start, end: amount.end, kind: "amount", weight: 1 };
  });
  const found: Token[] = [];
  let next = 0;
  for (const match of text.matchAll(PIECE)) {
    const [start, end] = [match.index, match.index + match[0].length];
    while (next < amounts.length && (amounts[next]?.end ?? 0) <= start) next += 1;
    const amount = amounts[next];
    if (amount && amount.start < end) {
      if (found.at(-1) !== amount) found.push(amount);
      continue;
    }
    found.push({ ...wordToken(match[0]), start, end });
  }
  return found;
}

const PIECE =
  /\p{Script=Han}|(?:(?!\p{Script=Han})[\p{L}\p{M}\p{N}])+(?:[-'’.](?:(?!\p{Script=Han})[\p{L}\p{M}\p{N}])+)*/gu;

function wordToken(text: string): Omit<Token, keyof Span> {
  if (/^\p{Script=Han}/u.test(text))
    return { key: text, kind: "han", weight: CHINESE_FUNCTION_WORDS.has(text) ? 0.1 : 0.5 };
  const word = plain(text);
  const bare = word.replace(/'s?$/, "");
  if (ENGLISH_FUNCTION_WORDS.has(word)) return { key: word, kind: "word", weight: 0.2 };
  return { key: contentTerms(bare).join("-") || bare, kind: "word", weight: 1 };
}

/** Index pairs of equal tokens, rising on both sides, of the greatest weight. */
function bestPairs(a: readonly Token[], b: readonly Token[]): [number, number][] {
  const width = b.length + 1;
  const best = new Float64Array((a.length + 1) * width);
  const ending = new Float64Array((a.length + 1) * width);
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const at = i * width + j;
      const same = a[i - 1]?.key === b[j - 1]?.key;
      const before = at - width - 1;
      const run = (ending[before] ?? 0) > 0 ? (ending[before] ?? 0) + RUN : 0;
      ending[at] = same ? (a[i - 1]?.weight ?? 0) + Math.max(best[before] ?? 0, run) : 0;
      best[at] = Math.max(best[at - width] ?? 0, best[at - 1] ?? 0, ending[at] ?? 0);
    }
  }
  const pairs: [number, number][] = [];
  let [i, j, inRun] = [a.length, b.length, false];
  while (i > 0 && j > 0) {
    const at = i * width + j;
    if ((ending[at] ?? 0) > 0 && (inRun || ending[at] === best[at])) {
      pairs.push([i - 1, j - 1]);
      const before = at - width - 1;
      inRun = (ending[before] ?? 0) > 0 && (ending[before] ?? 0) + RUN > (best[before] ?? 0);
      i -= 1;
      j -= 1;
    } else if (best[at] === best[at - width]) i -= 1;
    else j -= 1;
  }
  return pairs.reverse();
}

/** A lone article or a lone Chinese character between two differences is there by chance: it belongs to them. */
function withoutStrays(pairs: readonly [number, number][], claim: readonly Token[]): [number, number][] {
  const runs: [number, number][][] = [];
  for (const pair of pairs) {
    const last = runs.at(-1)?.at(-1);
    if (last && last[0] + 1 === pair[0] && last[1] + 1 === pair[1]) runs.at(-1)?.push(pair);
    else runs.push([pair]);
  }
  return runs.filter((run) => weightOf(run.flatMap(([i]) => claim.slice(i, i + 1))) >= STRAY).flat();
}

const STRAY = 0.6;
