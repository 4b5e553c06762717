import type { Cited } from "../types/conversation.js";

/**
 * Splits a passage into quoted and other parts. A quote is at its offsets or, if they do not fit, where it first
 * occurs.
 */
export function markedIn(text: string, quotes: readonly Pick<Cited, "quote" | "start" | "end">[]) {
  const spans = quotes
    .map(({ quote, start, end }) => {
      const at = text.slice(start, end) === quote ? start : text.indexOf(quote);
      return { start: at, end: at + quote.length };
    })
    .filter(({ start, end }) => start >= 0 && end > start)
    .toSorted((a, b) => a.start - b.start);
  const parts: { text: string; isQuote: boolean }[] = [];
  let at = 0;
  for (const { start, end } of spans) {
    if (end <= at) continue;
    parts.push({ text: text.slice(at, Math.max(at, start)), isQuote: false });
    parts.push({ text: text.slice(Math.max(at, start), end), isQuote: true });
    at = end;
  }
  parts.push({ text: text.slice(at), isQuote: false });
  return parts.filter((part) => part.text !== "");
}

/** Returns the page that a section of a PDF names; empty if it names none. */
export function pageOf(section: string): string {
  const [, latin, chinese] = /(?:^| › )(?:p\. (\d+)|第(\d+)页)(?= › |$)/.exec(section) ?? [];
  return latin ?? chinese ?? "";
}
