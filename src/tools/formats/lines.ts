import { decode } from "../../text/decode.js";
import { type Content, type FileMetadata, inMarkdown } from "./content.js";

// What the relatives of Markdown have in common. They are rewritten line by line; what is not known stays as text.

export const linesOf = (bytes: Uint8Array) => decode(bytes).split(/\r\n?|\n/);

export const finished = (lines: readonly string[], about: Partial<FileMetadata>): Content =>
  inMarkdown(
    lines
      .join("\n")
      .replace(/\n{3,}/g, "\n\n")
      .trim(),
    about,
  );

/** Returns the first line from `from` that fits, or the number of lines. */
export function firstLine(lines: readonly string[], from: number, fits: (line: string) => boolean): number {
  for (let i = from; i < lines.length; i++) if (fits(lines[i] ?? "")) return i;
  return lines.length;
}
