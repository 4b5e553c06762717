import { stripVTControlCharacters, styleText } from "node:util";

/** A stream that a person reads, directly or through a pipe. */
export interface Screen {
  write(text: string): void;
  /** Columns to wrap at. Infinity where the output is piped: its reader wraps, or searches by line. */
  width: number;
  /** Colours text, unless the output is piped or NO_COLOR is set. */
  paint(format: Parameters<typeof styleText>[0], text: string): string;
}

export const screen = (stream: NodeJS.WriteStream): Screen => ({
  write: (text) => stream.write(text),
  width: stream.isTTY ? Math.min(stream.columns || WIDEST, WIDEST) : Number.POSITIVE_INFINITY,
  paint: (format, text) => styleText(format, text, { stream }),
});

/** Text without what a terminal would obey instead of show: documents and models are free to say anything. */
export const plain = (text: string) => stripVTControlCharacters(text).replace(UNSEEN, "");

/** Longer lines are hard to read. */
const WIDEST = 100;

/** Controls but for tab and line feed, and the marks that reorder what stands beside them. */
const UNSEEN = /(?![\t\n])[\p{Cc}\p{Bidi_Control}]/gu;

/** JSON that is safe to print: what a terminal would obey is written as an escape, which reads back as the same text. */
export const escapedJson = (value: unknown, indent = 2) =>
  JSON.stringify(value, null, indent).replace(
    UNSEEN,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
