import { stripVTControlCharacters, styleText } from "node:util";
import stringWidth from "fast-string-width";
import { messagesIn } from "../answer/messages/index.js";
import type { Validity } from "../reading/validity.js";

/** An output that people read. */
export interface Screen extends Look {
  write(text: string): void;
}

export interface Look {
  /** Columns to wrap at. Infinity if the output is piped, so that its reader can wrap or search by line. */
  width: number;
  /** Formats text, unless the output is piped or NO_COLOR is set. */
  paint(format: Parameters<typeof styleText>[0], text: string): string;
}

export const screen = (stream: NodeJS.WriteStream): Screen => ({
  write: (text) => stream.write(text),
  width: stream.isTTY ? Math.min(stream.columns || MAX_WIDTH, MAX_WIDTH) : Number.POSITIVE_INFINITY,
  paint: (format, text) => styleText(format, text, { stream }),
});

/** Removes control sequences for terminals, which documents and models may contain. */
export const stripControls = (text: string) => stripVTControlCharacters(text).replace(UNSEEN, "");

/** Longer lines are hard to read. */
const MAX_WIDTH = 100;

/** Control characters except tab and line feed, and bidirectional controls, which reorder text. */
const UNSEEN = /(?![\t\n])[\p{Cc}\p{Bidi_Control}]/gu;

/** JSON that is safe to print: control characters are escaped. */
export const escapedJson = (value: unknown, indent = 2) =>
  JSON.stringify(value, null, indent).replace(
    UNSEEN,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** Like `stripControls`, with white space collapsed. */
export const oneLine = (text: string) => stripControls(text).replace(/\s+/g, " ").trim();

/** Prints one line on stderr. */
export const warn = (message: string) => void process.stderr.write(`emend: ${oneLine(message)}\n`);

/** Says when a document is valid, and what superseded it; empty if nothing is known. */
export const validInWords = ({ from = "", until = "", successor }: Partial<Validity>) =>
  [messagesIn("en").valid(from, until), successor && `superseded by ${successor}`].filter(Boolean).join(", ");

export const truncated = (text: string, most: number) => (text.length > most ? `${text.slice(0, most)}…` : text);

export const withCount = (n: number, one: string, several = `${one}s`) => `${n} ${n === 1 ? one : several}`;

/** Aligns cells in columns, two spaces apart: to the left or, where `sides` has an "r", to the right. */
export function columns(rows: readonly (readonly string[])[], sides = ""): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, stringWidth(cell));
  const padded = (cell: string, i: number) => {
    const room = " ".repeat((widths[i] ?? 0) - stringWidth(cell));
    return sides[i] === "r" ? room + cell : cell + room;
  };
  return rows.map((row) => row.map(padded).join("  ").trimEnd());
}

/** Cuts a line to `width` columns. */
export function cutToWidth(line: string, width: number): string {
  if (stringWidth(line) <= width) return line;
  let kept = "";
  for (const character of line) {
    if (stringWidth(kept + character) >= width) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}

/**
 * Wraps text at `width` columns, with a hanging indent for list items and references. Chinese breaks between
 * characters, but not before closing or after opening punctuation. Appending a sentence never moves an earlier break,
 * so that wrapped text can grow on the screen. wrap-ansi 10 will not do: it breaks a Chinese line nowhere, or before
 * any character.
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

/** The unbreakable pieces: a run of spaces, or a word or Chinese character with its punctuation and citations. */
const PIECES = new RegExp(
  `\\s+|[${OPENING}]*(?:[${CJK}]|[^\\s${CJK}${OPENING}${CLOSING}]+)(?:[${CLOSING}]|\\[\\d+\\])*|[\\s\\S]`,
  "gu",
);
