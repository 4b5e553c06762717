import { codeIn } from "../text/blocks.js";
import type { Span } from "../types/evidence.js";

/**
 * Finds the spans of a Markdown text in which no marker is read or inserted: code, links, addresses, tags and formulas. In
 * order, never overlapping.
 */
export function fixedSpans(text: string, code: readonly Span[] = codeIn(text)): Span[] {
  const found = [...code, ...codeSpans(text, code)];
  for (const { index, 0: whole } of text.matchAll(FIXED)) found.push({ start: index, end: index + whole.length });
  return joinSpans(found);
}

/** Returns the span (of spans in order, never overlapping) that has this offset inside it, not at an edge. */
export function around<S extends Span>(spans: readonly S[], at: number): S | undefined {
  const span = spans[firstAfter(spans, at)];
  return span && span.start < at ? span : undefined;
}

/**
 * Returns the spans (of spans in order, never overlapping) between two offsets. A span may extend one unit past either.
 */
export function between<S extends Span>(spans: readonly S[], start: number, end: number): S[] {
  const inside: S[] = [];
  for (let i = firstAfter(spans, start); i < spans.length; i++) {
    const span = spans[i];
    if (!span || span.end > end + 1) break;
    if (span.start >= start - 1) inside.push(span);
  }
  return inside;
}

/** Returns the index of the first span that ends after an offset. */
function firstAfter(spans: readonly Span[], at: number): number {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.end ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Sorts spans, and joins those that overlap. */
export function joinSpans(spans: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = all.at(-1);
    if (last && span.start < last.end) last.end = Math.max(last.end, span.end);
    else all.push({ start: span.start, end: span.end });
  }
  return all;
}

const TITLE = `(?:\\s{1,3}"[^"\\n]{0,200}")?`;
const TARGET = `\\((?:[^()\\s]|\\([^()\\s]{0,200}\\)){0,800}${TITLE}\\)`;
const FIXED = new RegExp(
  [
    `!?\\[[^\\][\\n]{0,300}\\]${TARGET}`,
    `\\]${TARGET}`,
    "<[A-Za-z/!?][^<>]{0,800}>",
    "(?:https?|ftp)://[^\\s<>\"'`，。；：！？、（）【】《》“”‘’]{1,2000}(?<![.,;:!?)\\]*_])",
    "\\$\\$[^$]{1,800}\\$\\$|(?<![\\\\$])\\$(?![\\s$])[^$\\n]{1,300}(?<![\\s\\\\])\\$(?!\\d)",
    "\\\\\\([^\\n]{1,400}?\\\\\\)|\\\\\\[(?![\\d\\s,-]+\\\\\\])[^\\n]{1,400}?\\\\\\]",
  ].join("|"),
  "gu",
);

/** Finds spans between equal runs of backticks, within one paragraph. */
function codeSpans(text: string, blocks: readonly Span[]): Span[] {
  const runs = [...text.matchAll(/(?<!\\)`+/g)]
    .map(({ index, 0: run }) => ({ at: index, size: run.length }))
    .filter(({ at }) => !around(blocks, at + 1));
  const next = new Map<number, number>();
  const closing = new Array<number | undefined>(runs.length);
  for (let i = runs.length - 1; i >= 0; i--) {
    const size = runs[i]?.size ?? 0;
    closing[i] = next.get(size);
    next.set(size, i);
  }
  const spans: Span[] = [];
  for (let i = 0; i < runs.length; i++) {
    const [open, close] = [runs[i], runs[closing[i] ?? -1]];
    if (!open || !close || /\n\s*\n/.test(text.slice(open.at, close.at))) continue;
    spans.push({ start: open.at, end: close.at + close.size });
    i = closing[i] ?? i;
  }
  return spans;
}
