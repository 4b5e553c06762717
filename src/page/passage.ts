import type { Cited } from "../types/conversation.js";
import type { Span } from "../types/evidence.js";

/** Words of a passage, verbatim, and where they stood when they were cited. */
export type Quoted = Pick<Cited, "quote" | "start" | "end">;

/** Words that nobody has offsets of. */
export const quoted = (quote: string): Quoted => ({ quote, start: 0, end: 0 });

/**
 * Returns where quotes stand in a text, in order: at their offsets or, if these do not fit, where they first occur, however
 * their words are spaced and their cells are parted.
 */
export const spansIn = (text: string, quotes: readonly Quoted[]): Span[] =>
  quotes
    .flatMap(({ quote, start, end }) => {
      if (quote === "") return [];
      if (text.slice(start, end) === quote) return { start, end };
      const at = text.indexOf(quote);
      return at >= 0 ? { start: at, end: at + quote.length } : (looselyIn(text, quote) ?? []);
    })
    .toSorted((a, b) => a.start - b.start);

function looselyIn(text: string, quote: string): Span | undefined {
  const places = [...text.matchAll(/[^\s|\\]/g)].map(({ index }) => index);
  const letters = quote.replace(/[\s|\\]/g, "");
  const at = letters === "" ? -1 : text.replace(/[\s|\\]/g, "").indexOf(letters);
  const [start, last] = [places[at], places[at + letters.length - 1]];
  return at >= 0 && start !== undefined && last !== undefined ? { start, end: last + 1 } : undefined;
}

/** Splits a text into quoted and other parts. */
export const markedIn = (text: string, quotes: readonly Quoted[]) =>
  partsOf(text, spansIn(text, quotes), { start: 0, end: text.length });

function partsOf(text: string, spans: readonly Span[], { start: from, end: to }: Span) {
  const parts: { text: string; isQuote: boolean }[] = [];
  let at = from;
  for (const { start, end } of spans) {
    if (end <= at || start >= to) continue;
    parts.push({ text: text.slice(at, Math.max(at, start)), isQuote: false });
    parts.push({ text: text.slice(Math.max(at, start), Math.min(end, to)), isQuote: true });
    at = Math.min(end, to);
  }
  parts.push({ text: text.slice(at, to), isQuote: false });
  return parts.filter((part) => part.text !== "");
}

/** A table of a passage, or the text between two. */
type Block =
  | { kind: "text"; parts: { text: string; isQuote: boolean }[] }
  | { kind: "table"; columns: string[]; rows: { cells: string[]; isUsed: boolean }[] };

/** Splits a passage into its tables and the text between them, each with its quotes: rows are quoted as a whole. */
export function blocksIn(text: string, quotes: readonly Quoted[]): Block[] {
  const spans = spansIn(text, quotes);
  const blocks: Block[] = [];
  let at = 0;
  const write = (to: number) => {
    const trimmed = { start: at + (/^\n+/.exec(text.slice(at, to))?.[0].length ?? 0), end: to };
    if (text.slice(trimmed.start, to).trim() !== "")
      blocks.push({ kind: "text", parts: partsOf(text, spans, trimmed) });
  };
  for (const { 0: table, index } of text.matchAll(TABLE)) {
    write(index);
    at = index + table.length;
    const rows = [...table.matchAll(/^.+$/gm)].map((line) => {
      const [start, end] = [index + line.index, index + line.index + line[0].length];
      return { cells: cellsOf(line[0]), isUsed: spans.some((span) => span.start < end && span.end > start) };
    });
    blocks.push({ kind: "table", columns: rows[0]?.cells ?? [], rows: rows.slice(2) });
  }
  write(text.length);
  return blocks;
}

/** A row, a line that rules it off, and further rows. */
const TABLE = /^[ \t]*\|.*\|[ \t]*\n[ \t]*\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*(?:\n[ \t]*\|.*\|[ \t]*)*$/gm;

const cellsOf = (row: string): string[] =>
  row
    .trim()
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));
