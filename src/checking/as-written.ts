import type { Span } from "../types/evidence.js";

/**
 * Places in a claim's plain words as places in the text that the claim was read from, which has marks and markers besides.
 * Words that do not stand there, such as the heading that a table's row was read under, have none.
 */
export function asWritten(said: string, spans: readonly Span[], written: string): Span[] {
  const words: { said: Span; written: Span }[] = [];
  let next = 0;
  for (const { index, 0: word } of said.matchAll(WORD)) {
    const at = written.indexOf(word, next);
    if (at < 0) continue;
    next = at + word.length;
    words.push({ said: { start: index, end: index + word.length }, written: { start: at, end: next } });
  }
  return spans.flatMap(({ start, end }) => {
    const own = words.filter((word) => word.said.start < end && start < word.said.end);
    const [first, last] = [own[0], own.at(-1)];
    return first && last ? [{ start: first.written.start, end: last.written.end }] : [];
  });
}

const WORD = /\p{Script=Han}|(?:(?!\p{Script=Han})[\p{L}\p{M}\p{N}])+/gu;
