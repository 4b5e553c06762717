import { visible } from "../../text/decode.js";
import { headingText, markdownNodes } from "../../text/markdown.js";
import type { SourceDocument } from "../../types/evidence.js";

/** In tokens, half a passage. A larger table header is not repeated in the passages of its table. */
export const LARGEST_HEAD = 200;

/** The content of a file. The title may be empty. */
export type Content = Pick<SourceDocument, "title" | "reviewedAt" | "format" | "text" | "places" | "metadata">;

/** What a file says of itself. */
export type FileMetadata = Pick<SourceDocument, "title" | "reviewedAt" | "metadata">;

/**
 * Reads one file format.
 * @param name the file's name, for formats that differ by extension.
 * @throws Error with a message for the user if the file cannot be read.
 */
export type Loader = (bytes: Uint8Array, name: string) => Content | Promise<Content>;

/** Returns Markdown as content, without invisible characters. The title is the first heading unless given. */
export function inMarkdown(
  text: string,
  { title = "", reviewedAt = "", metadata = {} }: Partial<FileMetadata> = {},
): Content {
  const shown = visible(text);
  return { title: visible(title).trim() || firstHeading(shown), reviewedAt, metadata, format: "markdown", text: shown };
}

export function firstHeading(text: string): string {
  const heading = markdownNodes(text.slice(0, 64 * 1024)).find((node) => node.kind === "heading");
  return heading ? headingText(text.slice(heading.start, heading.end)) : "";
}

/** Returns a code block that no line of the code can end. */
export function fenced(code: string, language = ""): string {
  const longest = [...code.matchAll(/`{3,}/g)].reduce((most, run) => Math.max(most, run[0].length), 2);
  const fence = "`".repeat(Math.min(longest + 1, 50));
  return `${fence}${language}\n${code.trimEnd()}\n${fence}`;
}

export interface Item {
  words: string;
  /** From 0. */
  depth: number;
  /** The number of an ordered item, such as "2." or "(a)"; empty for a bullet. */
  number?: string;
}

/** Writes the items of a list, each at most one level below the one before. */
export function listed(items: readonly Item[]): string {
  let level = -1;
  return items
    .map(({ words, depth, number = "" }) => {
      level = Math.min(depth, level + 1);
      const indent = "   ".repeat(level);
      const mark = /^\d{1,9}[.)]$/.test(number) ? `${number} ` : number === "" ? "- " : `- ${number} `;
      return `${indent}${mark}${words.trim().replace(/\n/g, `\n${indent}   `)}`;
    })
    .join("\n");
}
