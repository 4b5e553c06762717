import type { Piece, Segment } from "../types/answer.js";

/** Paragraphs, or a list with a line for each item. */
export interface AnswerBlock {
  kind: "text" | "bullets" | "steps";
  lines: Piece[][];
}

/** Puts the items of a list together. */
export function blocksOf(segments: readonly Segment[]): AnswerBlock[] {
  const blocks: AnswerBlock[] = [];
  for (const segment of segments) {
    const kind = segment.kind === "bullet" ? "bullets" : segment.kind === "step" ? "steps" : "text";
    const last = blocks.at(-1);
    if (last?.kind === kind) last.lines.push(segment.pieces);
    else blocks.push({ kind, lines: [segment.pieces] });
  }
  return blocks;
}
