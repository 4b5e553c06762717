import { stripVTControlCharacters, styleText } from "node:util";
import stringWidth from "string-width";

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

/** Text from outside as a part of one line. */
export const onOneLine = (text: string) => plain(text).replace(/\s+/g, " ").trim();

/** One line on stderr. */
export const complain = (message: string) => void process.stderr.write(`emend: ${onOneLine(message)}\n`);

export const counted = (n: number, what: string) => `${n} ${what}${n === 1 ? "" : "s"}`;

/**
 * Breaks lines at `width` columns; a line that begins with a list's or a reference's mark hangs under its text. Chinese
 * breaks between characters, but never before a closing mark or after an opening one. Text that is appended after a
 * sentence never moves a break made before, so that a wrapped text can grow on the screen.
 */
export function wrap(text: string, width: number, indent = ""): string {
  return text
    .split("\n")
    .map((line) => wrapLine(line, width, indent))
    .join("\n");
}

function wrapLine(line: string, width: number, indent: string): string {
  if (width === Number.POSITIVE_INFINITY) return indent + line;
  const mark = MARK.exec(line)?.[0] ?? "";
  const hanging = indent + " ".repeat(mark.length);
  const lines: string[] = [];
  let current = indent + mark;
  let isEmpty = true;
  for (const piece of line.slice(mark.length).match(PIECES) ?? []) {
    if (!isEmpty && stringWidth((current + piece).trimEnd()) > width) {
      lines.push(current.trimEnd());
      current = hanging;
      isEmpty = true;
    }
    if (isEmpty && /^\s/.test(piece)) continue;
    current += piece;
    isEmpty = false;
  }
  return [...lines, current.trimEnd()].join("\n");
}

const MARK = /^(?:\d+\.|-|\[\d+\]) /;

const CJK = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}";
const OPENING = "（《〈「『“‘〔【";
const CLOSING = "，。、；：？！）》〉」』”’〕】…";

/** What is kept on one line: a run of spaces, a word, or a Chinese character, each with the marks that belong to it. */
const PIECES = new RegExp(
  `\\s+|[${OPENING}]*(?:[${CJK}]|[^\\s${CJK}${OPENING}${CLOSING}]+)(?:[${CLOSING}]|\\[\\d+\\])*|[\\s\\S]`,
  "gu",
);
