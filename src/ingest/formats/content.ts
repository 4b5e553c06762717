import { blocks } from "../../text/blocks.js";
import { decode, visible } from "../../text/decode.js";
import { languageOf } from "../../text/language.js";
import { signsAsBoxes } from "../../text/marks.js";
import { headingText } from "../../text/markup.js";
import type { SourceDocument } from "../../types/evidence.js";

/** The longest table header that is repeated in each passage of its table, in tokens: half a passage. */
export const LARGEST_HEAD = 200;

/** The content of a file. The title may be empty. */
export type Content = Pick<SourceDocument, "title" | "reviewedAt" | "format" | "text" | "places" | "metadata"> & {
  /** Only between a reader and `contentOf`. */
  pictures?: readonly Picture[];
};

/** A picture in a document, which is not read yet. */
export interface Picture {
  /** Stands in the text as a block of its own, after the paragraph, list or table of the picture. */
  mark: string;
  /** Unpacks it. Its first bytes tell its format. @throws Error if it is damaged or too large. */
  bytes(): Promise<Uint8Array>;
}

/** Returns the mark of the nth picture of a document. Unicode keeps its two characters for such internal use. */
export const pictureMark = (n: number): string => `\ufdd0${n}\ufdd1`;

/**
 * Puts the text of each picture, which is Markdown, in the place of its mark, as a place of its own. Removes the mark if
 * it has none.
 * @param textOf `name` is that of the place in which the picture stands.
 */
export async function withPictures(
  { pictures = [], ...content }: Content,
  textOf: (picture: Picture, name: string) => DocumentPart | undefined | Promise<DocumentPart | undefined>,
): Promise<Content> {
  if (pictures.length === 0) return content;
  const known = new Map(pictures.map((picture) => [picture.mark, picture]));
  const parts: DocumentPart[] = [];
  const { text, places = [{ start: 0, name: "" }] } = content;
  for (const [i, { start, name, ...about }] of places.entries()) {
    let written: string[] = [];
    const end = () => {
      parts.push({ name, text: written.join("\n\n"), ...about });
      written = [];
    };
    for (const piece of text.slice(start, places[i + 1]?.start).split(MARK)) {
      const picture = known.get(piece);
      const part = picture && (await textOf(picture, name));
      if (part) {
        end();
        parts.push({ ...part, ...about });
      } else if (!picture && piece.trim() !== "") written.push(piece.trim());
    }
    end();
  }
  const whole = joined(parts);
  const isPlaced = whole.places.some(({ name }) => name !== "");
  return { ...content, text: whole.text, ...(isPlaced && { places: whole.places }) };
}

const MARK = /(\ufdd0\d+\ufdd1)/;

/** What a file states about itself. */
export type FileMetadata = Pick<SourceDocument, "title" | "reviewedAt" | "metadata">;

/**
 * Reads one file format.
 * @param name the file's name, for formats that differ by extension.
 * @throws Error with a message for the user if the file cannot be read.
 */
export type FormatReader = (bytes: Uint8Array, name: string) => Content | Promise<Content>;

/** Reads a file that is inside another one. @throws Error with a message for the user if it cannot be read. */
export type ReadInside = (bytes: Uint8Array, name: string) => Promise<Content>;

/** Returns Markdown as content, without invisible characters and with one form of check boxes. The title is the first heading unless given. */
export function inMarkdown(
  text: string,
  { title = "", reviewedAt = "", metadata = {} }: Partial<FileMetadata> = {},
): Content {
  const shown = signsAsBoxes(visible(text));
  return { title: visible(title).trim() || firstHeading(shown), reviewedAt, metadata, format: "markdown", text: shown };
}

export function firstHeading(text: string): string {
  const heading = blocks(text.slice(0, 64 * 1024)).find(({ kind }) => kind === "heading");
  return heading ? headingText(text.slice(heading.start, heading.end)) : "";
}

/** Puts a text on one line. */
export const inLine = (text: string) => text.replace(/\s+/g, " ").trim();

export interface Item {
  words: string;
  /** From 0. */
  depth: number;
  /** The number of an ordered item, such as "2." or "(a)"; empty for a bullet. */
  number?: string;
}

/** Writes the items of a list as Markdown, each at most one level deeper than the one before. */
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

// Shared by the readers of AsciiDoc, Org and reStructuredText, which rewrite line by line. Unknown markup stays as text.

/** @param start the offset of the first line, in characters. */
export const linesOf = (bytes: Uint8Array, start = 0) =>
  decode(bytes)
    .slice(start)
    .split(/\r\n?|\n/);

export const finished = (lines: readonly string[], about: Partial<FileMetadata>): Content =>
  inMarkdown(
    lines
      .join("\n")
      .replace(/\n{3,}/g, "\n\n")
      .trim(),
    about,
  );

/** Returns the index of the first line that fits, from `from` on, or the number of lines if none does. */
export function firstLine(lines: readonly string[], from: number, fits: (line: string) => boolean): number {
  for (let i = from; i < lines.length; i++) if (fits(lines[i] ?? "")) return i;
  return lines.length;
}

/** A part of a document that can be named in a citation: a page, a slide, a sheet. */
export interface DocumentPart {
  name: string;
  /** Markdown. */
  text: string;
  /** Its own date, if it has another one than the document: an ISO date, or empty if it is unknown. */
  reviewedAt?: string;
}

/** Joins the parts of a document as content, with a place for each part. Empty parts are left out. */
export function inParts(texts: readonly DocumentPart[], { title, reviewedAt, metadata = {} }: FileMetadata): Content {
  const shown = texts.map(({ text, ...about }) => ({
    ...about,
    name: visible(about.name),
    text: signsAsBoxes(visible(text)).trim(),
  }));
  return { title: visible(title), reviewedAt, metadata, format: "markdown", ...joined(shown) };
}

function joined(parts: readonly DocumentPart[]) {
  const places: (Omit<DocumentPart, "text"> & { start: number })[] = [];
  let whole = "";
  for (const { text, ...about } of parts) {
    if (text === "") continue;
    if (whole !== "") whole += "\n\n";
    places.push({ start: whole.length, ...about });
    whole += text;
  }
  return { text: whole, places };
}

/** Names pages or slides by their numbers, in the language of the text. */
export function numbered(pages: readonly { text: string; isHidden?: boolean }[], what: "p." | "slide"): DocumentPart[] {
  const sample = pages
    .map(({ text }) => text)
    .join("\n")
    .slice(0, SAMPLE);
  const isChinese = languageOf(sample) === "zh";
  return pages.map(({ text, isHidden = false }, i) =>
    hiddenIf(isHidden, { name: isChinese ? `第${i + 1}页` : `${what} ${i + 1}`, text }),
  );
}

/** Adds "(hidden)" to the name of a part that is hidden, such as a sheet. */
export const hiddenIf = (isHidden: boolean, place: DocumentPart): DocumentPart =>
  isHidden ? { ...place, name: `${place.name}${languageOf(place.text) === "zh" ? "（隐藏）" : " (hidden)"}` } : place;

/** In characters. */
const SAMPLE = 20_000;

/** In characters. Compressed formats hold far more text than their size suggests. */
const LARGEST_TEXT = 50_000_000;
/** In characters. Allowed for a file of any size: the text of a very small one may be many times as long. */
const FLOOR = 100_000;
/**
 * Characters per byte. XML compresses to a tenth or less, and a text that is in every row of a sheet is stored once.
 */
const FACTOR = 100;

/** Returns the most characters that the text of a file may have, by the file's size in bytes. */
export const mostCharacters = (bytes: number) => Math.min(LARGEST_TEXT, FLOOR + FACTOR * bytes);

/**
 * Subtracts the characters that a reader writes from its allowance.
 * @throws Error with a message for the user if they exceed it.
 */
export type SpendCharacters = (characters: number) => void;

/** Returns the allowance of a file. It limits what the reader repeats: cells, rows, merged cells, table headers. */
export function allowance({ length }: Uint8Array): SpendCharacters {
  const most = mostCharacters(length);
  let spent = 0;
  return (characters) => {
    spent += characters;
    if (spent <= most) return;
    if (most === LARGEST_TEXT)
      throw new TooLargeError(`It holds more than ${LARGEST_TEXT / 1_000_000} million characters.`);
    throw new Error(
      `Its ${length.toLocaleString("en")} bytes become more than ${most.toLocaleString("en")} characters, so most of them are repeated. Save it without repeated or merged cells, as CSV or plain text.`,
    );
  };
}

/** The file is larger than a document may be. */
export class TooLargeError extends Error {
  override readonly name = "TooLargeError";
  constructor(what: string) {
    super(`${what} Split it, or leave it out.`);
  }
}

export class EncryptedError extends Error {
  override readonly name = "EncryptedError";
  constructor() {
    super("It is encrypted. Save it without a password.");
  }
}
