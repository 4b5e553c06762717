import type { Span } from "../types/evidence.js";
import { quantities } from "./numbers.js";
import { isSameAmount } from "./stated.js";

/** A claim whose amounts are written as in a source. */
export interface Reworded {
  text: string;
  /** Returns the span of the claim that a span of the text stands for. */
  spanOf(span: Span): Span;
}

/**
 * Writes the amounts of a claim as the source writes the same ones: "forty-eight" as "48", "17:30" as "5:30 p.m.". A
 * judge compares words, but equal amounts are equal however they are written.
 */
export function inAmountsOf(claim: string, source: string): Reworded {
  const there = quantities(source);
  const changes = quantities(claim).flatMap((own) => {
    const same = there.find((other) => isSameAmount(own, other));
    const isWritten = !same || source.includes(own.text);
    return isWritten ? [] : [{ start: own.start, end: own.end, text: same.text }];
  });
  let text = "";
  let at = 0;
  const parts: (Span & { from: number; length: number; isChange: boolean })[] = [];
  const add = (words: string, start: number, end: number, isChange: boolean) => {
    if (words !== "") parts.push({ from: text.length, length: words.length, start, end, isChange });
    text += words;
  };
  for (const change of changes) {
    add(claim.slice(at, change.start), at, change.start, false);
    add(change.text, change.start, change.end, true);
    at = change.end;
  }
  add(claim.slice(at), at, claim.length, false);
  const place = (offset: number, isEnd: boolean) => {
    const part = parts.find(({ from, length }) => offset < from + length || (isEnd && offset === from + length));
    if (!part) return claim.length;
    return part.isChange ? (isEnd ? part.end : part.start) : part.start + offset - part.from;
  };
  const spanOf = ({ start, end }: Span): Span => ({ start: place(start, false), end: place(end, true) });
  return { text, spanOf };
}
