import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { visible } from "../../text/decode.js";
import { dateIn } from "./page-dates.js";

/** A line of text on a page. */
export interface PdfLine {
  text: string;
  /** The height of its letters, in points. */
  height: number;
  /** The distance of its baseline from the bottom of the page, in points. */
  y: number;
}

/**
 * Reads the text of a PDF by page, and its metadata.
 * @param most the most pages and characters; the rest is not read.
 * @throws Error if it cannot be read.
 */
export async function readPdf(
  bytes: Uint8Array,
  most = { pages: 1_000, characters: 5_000_000 },
): Promise<{
  title: string;
  byline: string;
  published: string;
  modified: string;
  /** Its author, subject, keywords and custom properties. */
  stated: [key: string, value: string][];
  pages: PdfLine[][];
}> {
  const { getDocumentProxy, getMeta } = await import("unpdf");
  // pdf.js takes over the bytes, and refuses a Buffer.
  const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0, cMapUrl: cMaps(), cMapPacked: true });
  try {
    const { info } = await getMeta(document);
    const property = (name: string) =>
      visible(String(info?.[name] ?? ""))
        .replace(/\s+/g, " ")
        .trim()
        .slice(0, 300);
    const date = (name: string) => dateIn(property(name).replace(/^D:(\d{8}).*$/, "$1"));
    const pages: PdfLine[][] = [];
    let length = 0;
    for (let number = 1; number <= Math.min(document.numPages, most.pages) && length < most.characters; number++) {
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      const lines: PdfLine[] = [];
      let isNew = true;
      for (const item of items) {
        if (!("str" in item)) continue;
        const line = isNew ? undefined : lines.at(-1);
        const text = isSeen(item, page.view) ? item.str : "";
        if (line) {
          line.text += text;
          line.height = Math.max(line.height, item.height);
        } else lines.push({ text, height: item.height, y: Number(item.transform[5]) });
        isNew = item.hasEOL;
        length += text.length;
      }
      pages.push(lines);
    }
    return {
      title: property("Title"),
      byline: property("Author"),
      published: date("CreationDate"),
      modified: date("ModDate"),
      stated: [
        ...["Author", "Subject", "Keywords"].map((key): [string, string] => [key, property(key)]),
        ...Object.entries(info?.Custom ?? {}).map(([key, value]): [string, string] => [key, String(value)]),
      ],
      pages,
    };
  } finally {
    await document.loadingTask.destroy();
  }
}

/**
 * False for text that nobody sees: it is outside the page, or its letters are smaller than a thousandth of the page's
 * height.
 * @param transform from text space to the page: the first two numbers give size and direction, the last two the start.
 * @param view left, bottom, right and top of the page.
 */
function isSeen(
  { transform, width, height }: { transform: readonly number[]; width: number; height: number },
  [left = 0, bottom = 0, right = 0, top = 0]: readonly number[],
): boolean {
  const [a = 0, b = 0, , , x = 0, y = 0] = transform;
  const size = Math.hypot(a, b);
  if (size === 0) return true;
  const [endX, endY] = [x + (width * a) / size, y + (width * b) / size];
  const isOnPage =
    Math.max(x, endX) >= left &&
    Math.min(x, endX) <= right &&
    Math.max(y, endY) + height >= bottom &&
    Math.min(y, endY) <= top;
  return isOnPage && size * 1_000 >= top - bottom;
}

/** Returns the text of a page, line by line. */
export const pageText = (lines: readonly PdfLine[]) => visible(lines.map(({ text }) => text).join("\n")).trim();

/** The folder of character maps for Chinese, Japanese and Korean PDFs that do not embed them. Ends in a slash. */
function cMaps(): string {
  const isSource = new URL(import.meta.url).pathname.endsWith(".ts");
  const folder = isSource
    ? join(dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json")), "cmaps/")
    : fileURLToPath(new URL("../../cmaps/", import.meta.url));
  return folder.replaceAll("\\", "/");
}
