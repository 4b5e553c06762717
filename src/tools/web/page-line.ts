import { visible } from "../../text/decode.js";
import { signsAsBoxes, struckOut, superscript } from "../../text/marks.js";

/** A piece of a line of text, as the markup divides it. */
export interface Piece {
  readonly text: string;
  readonly isStruck: boolean;
  readonly raised?: Raised | undefined;
  /** True between two blocks of a cell. */
  readonly isBreak?: boolean;
}

export type Raised = "sup" | "sub";

/** Joins the pieces of a line, with marks for what is struck out or raised. */
export function lineOf(pieces: readonly Piece[]): string {
  let text = "";
  let struck = "";
  const close = () => {
    text += struckOut(visible(struck));
    struck = "";
  };
  for (const [i, piece] of pieces.entries()) {
    const words = piece.raised ? raisedText(piece, struck || text, pieces[i + 1], pieces[i + 2]) : piece.text;
    if (!piece.isStruck) close();
    if (piece.isStruck) struck += words;
    else text += words;
  }
  close();
  return signsAsBoxes(visible(text));
}

/**
 * Writes superscript and subscript text, so that it does not join the digits before it.
 * @param before the line up to it. @param next the piece after it. @param after the piece after that.
 */
export function raisedText({ text, raised }: Piece, before: string, next?: Piece, after?: Piece): string {
  const words = text.trim();
  const followsDigit = /\d$/.test(before);
  if (raised === "sub") {
    const isBetween = followsDigit || (/^\d/.test(next?.text ?? "") && !next?.raised);
    return isBetween && /^\d+$/.test(words) ? words.replace(/\d/g, lowered) : text;
  }
  // "2½" may be written with a raised 1, a slash and a lowered 2.
  if (/^\d+$/.test(words) && /^\s*[/⁄]\s*$/.test(next?.text ?? "") && after?.raised === "sub")
    return `${followsDigit ? " " : ""}${words}`;
  if (/^\[.*\]$/.test(words)) return text;
  if (!followsDigit && /^\d{1,3}(?:\s*[,;–]\s*\d{1,3})+$/.test(words)) return words.replace(/\d+/g, superscript);
  // A whole phrase is small print.
  if (/\p{L}\s+\p{L}/u.test(words))
    return `${/\S$/.test(before) ? " " : ""}${words}${/^\w/.test(next?.text ?? "") ? " " : ""}`;
  return superscript(text);
}

const lowered = (digit: string) => String.fromCharCode(0x2080 + Number(digit));

/** Puts a text on lines of its own where it has line breaks, without other white space at their ends. */
export const tidy = (text: string) =>
  text
    .replace(/[^\S\n]*\n[^\S\n]*/g, "\n")
    .replace(/[^\S\n]+/g, " ")
    .trim();

/** Joins the pieces of a table cell on one line. The paragraphs, items and lines in it are separated by semicolons. */
export function cellOf(pieces: readonly Piece[], isHead: boolean): string {
  const blocks: Piece[][] = [[]];
  for (const piece of pieces) {
    if (piece.isBreak) blocks.push([]);
    else blocks.at(-1)?.push(piece);
  }
  let cell = "";
  for (const block of blocks)
    for (const [i, line] of tidy(lineOf(block)).split("\n").entries())
      if (line !== "") cell += cell === "" ? line : `${isHead ? " " : between(cell, line, i > 0)}${line}`;
  return cell;
}

/** @param isWrapped true after a line break, which may only wrap a sentence. */
function between(before: string, line: string, isWrapped: boolean): string {
  if (/[。！？：；，、]$/u.test(before)) return "";
  if (/[.!?:;,–-]$/.test(before) || (isWrapped && /^[\p{Ll}(（]/u.test(line))) return " ";
  return /\p{Script=Han}/u.test(before) ? "；" : "; ";
}
