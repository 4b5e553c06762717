import type { Cited } from "../types/conversation.js";

/** A part of a line: words, code, or the marker of a source with the quotes behind it. */
export type AnswerPiece = { words: string } | { code: string } | { marker: number; quotes: readonly Cited[] };

/** A paragraph, or a list with a line for each item. */
export interface AnswerBlock {
  kind: "text" | "bullets" | "steps";
  lines: AnswerPiece[][];
}

/**
 * Reads the text of an answer: paragraphs, lists, code and markers, and nothing else. A marker has the quotes of the
 * statement that it stands in; one that stands in none has all quotes of its source.
 */
export function blocksOf(text: string, citations: readonly Cited[]): AnswerBlock[] {
  const quotesFor = inOrder(citations);
  const blocks: AnswerBlock[] = [];
  for (const paragraph of text.split(/\n{2,}/)) {
    let last: AnswerBlock | undefined;
    for (const line of paragraph.split("\n")) {
      const [mark = ""] = /^(?:- |\d+\. )/.exec(line) ?? [];
      const kind = mark === "" ? "text" : mark === "- " ? "bullets" : "steps";
      const pieces = piecesOf(line.slice(mark.length), quotesFor);
      if (last?.kind === kind) last.lines.push(pieces);
      else {
        last = { kind, lines: [pieces] };
        blocks.push(last);
      }
    }
  }
  return blocks;
}

const piecesOf = (line: string, quotesFor: (marker: number) => readonly Cited[]): AnswerPiece[] =>
  line
    // A marker stays on the line of the word before it.
    .replace(/ (?=\[\d+\])/g, "\u202f")
    .split(/(\[\d+\]|`[^`]+`)/)
    .filter((part) => part !== "")
    .map((part) => {
      const marker = /^\[(\d+)\]$/.exec(part)?.[1];
      if (marker) return { marker: Number(marker), quotes: quotesFor(Number(marker)) };
      return /^`[^`]+`$/.test(part) ? { code: part.slice(1, -1) } : { words: part };
    });

/** The markers of an answer stand in the order of its statements, each source once in a statement. */
function inOrder(citations: readonly Cited[]) {
  const groups = [...Map.groupBy(citations, ({ claim, reference }) => `${reference} ${claim}`).values()];
  let next = 0;
  return (marker: number): readonly Cited[] => {
    const group = groups[next];
    if (group?.[0]?.reference !== marker) return citations.filter(({ reference }) => reference === marker);
    next += 1;
    return group;
  };
}
