import { OPPOSITES } from "../text/lexicon.js";
import type { Span } from "../types/evidence.js";
import { wordsOf } from "./words.js";

/**
 * Finds a word of a claim that replaces its opposite in another text, and that opposite: "more" and "less", 增加 and 减少,
 * "encrypted" and "unencrypted". Two words are in the same place if the word before or after them is the same; for a
 * single Chinese character, both must be. Undefined if there is no such word, or if a text has both words.
 */
export function opposed(claim: string, other: string): readonly [Span, Span] | undefined {
  const [here, there] = [keysOf(claim), keysOf(other)];
  const pair =
    pairs().find(([one, two]) => isExchanged(` ${here} `, ` ${there} `, one, two)) ??
    byPrefix(here, there) ??
    byPrefix(there, here)?.toReversed();
  return pair && [placeOf(claim, pair[0] ?? ""), placeOf(other, pair[1] ?? "")];
}

const keysOf = (text: string) =>
  wordsOf(text)
    .map(({ key }) => key)
    .join(" ");

function isExchanged(here: string, there: string, one: string, two: string): boolean {
  if (!there.includes(` ${two} `) || here.includes(` ${two} `) || there.includes(` ${one} `)) return false;
  for (let at = here.indexOf(` ${one} `); at >= 0; at = here.indexOf(` ${one} `, at + 1)) {
    const before = here.slice(0, at).split(" ").at(-1);
    const behind = here.slice(at + one.length + 2).split(" ", 1)[0];
    const sides = [before && there.includes(` ${before} ${two} `), behind && there.includes(` ${two} ${behind} `)];
    if (behind && /^\p{Script=Han}$/u.test(one) ? sides.every(Boolean) : sides.some(Boolean)) return true;
  }
  return false;
}

/** Finds a word that is a word of the other text plus a negative prefix. */
function byPrefix(here: string, there: string): [string, string] | undefined {
  const [these, those] = [here.split(" "), there.split(" ")];
  for (const word of these) {
    const bare = PREFIX.exec(word)?.[1];
    if (bare && those.includes(bare) && !these.includes(bare) && !those.includes(word)) return [word, bare];
  }
  return undefined;
}

function placeOf(text: string, keys: string): Span {
  const [words, wanted] = [wordsOf(text), keys.split(" ")];
  const first = words.findIndex((_, i) => wanted.every((key, j) => words[i + j]?.key === key));
  return { start: words[first]?.start ?? 0, end: words[first + wanted.length - 1]?.end ?? 0 };
}

const pairsOf = (ones: readonly string[], others: readonly string[]) =>
  ones.flatMap((one) => others.map((two): [string, string] => [one, two]));

const PREFIX = /^(?:un|in|im|il|ir|dis|non|anti)([a-z]{4,})$/;

/** Longer words come first: 减少 before 减. Read when first needed: imports stay fast. */
function pairs(): readonly (readonly [string, string])[] {
  read ??= OPPOSITES.split(";")
    .map((line) => line.split("|").map((side) => side.trim().split(/\s+/).map(keysOf)))
    .flatMap(([ones = [], others = []]) => [...pairsOf(ones, others), ...pairsOf(others, ones)])
    .toSorted((a, b) => b.join("").length - a.join("").length);
  return read;
}
let read: readonly (readonly [string, string])[] | undefined;
