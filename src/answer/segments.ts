import type { Answer, Piece, Segment } from "../types/answer.js";
import type { CitingWords } from "./messages/terms.js";

/** A segment of words alone. */
export const paragraph = (text: string, kind: Segment["kind"] = "text"): Segment => ({
  kind,
  pieces: [{ text }],
});

/** A note that names sources. */
export const citingNote = (words: CitingWords): Segment => ({
  kind: "note",
  pieces: words.flatMap((word, i): Piece[] => {
    // The space before a marker belongs to it.
    const text = typeof word === "string" ? word : `${spaceAfter(words[i - 1])}[${word}]`;
    if (typeof word === "number") return [{ text, reference: word }];
    return [{ text: typeof words[i + 1] === "number" ? text.trimEnd() : text }];
  }),
});

const spaceAfter = (word: string | number | undefined) => (typeof word === "string" && word.endsWith(" ") ? " " : "");

/**
 * Returns segments as one run of pieces, with line breaks between them and the marks of lists. The text of an answer is
 * the text of these pieces.
 */
export function flattened(segments: readonly Segment[]): Piece[] {
  let step = 0;
  return segments.flatMap(({ kind, pieces }, i) => {
    const before = segments[i - 1]?.kind;
    step = kind === "step" ? step + 1 : 0;
    const isClose = before === "lead" || (before === kind && (kind === "bullet" || kind === "step"));
    const gap = before === undefined ? "" : isClose ? "\n" : "\n\n";
    const mark = kind === "bullet" ? "- " : kind === "step" ? `${step}. ` : "";
    return gap + mark === "" ? pieces : [{ text: gap + mark }, ...pieces];
  });
}

export const joined = (pieces: readonly Piece[]): string => pieces.map(({ text }) => text).join("");

/** Returns segments together with their text, as fields of an answer. */
export const withText = (segments: readonly Segment[]): Pick<Answer, "segments" | "text"> => ({
  segments: [...segments],
  text: joined(flattened(segments)),
});

/** The text of an answer without its markers. */
export const withoutCitations = (segments: readonly Segment[]): string =>
  joined(flattened(segments).filter(({ reference }) => reference === undefined));
