import stringWidth from "string-width";

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
