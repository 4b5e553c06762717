import { readFile } from "node:fs/promises";
import { type Box, quoteBoxes } from "../text/layout/quote-boxes.js";
import type { Page } from "../text/layout/words.js";
import { PICTURE_EXTENSIONS, pictureKind } from "../tools/ocr/kinds.js";
import { type ReadPage, turnedAbout } from "../tools/ocr/read-page.js";
import { scansIn } from "../tools/ocr/read-scan.js";
import { processPool } from "../tools/process/own-process.js";
import { readPdfAt } from "../tools/web/read-pdf.js";
import { scanKey } from "./formats/scans.js";

/** A page of an original, and what is quoted from it. */
export interface PageAsked {
  /** The file: a PDF or a picture. */
  path: string;
  /** From 1. */
  page: number;
  /** The text of the passage with the quotes. */
  text: string;
  quotes: readonly string[];
  /** The folder with what was read on scanned pages; without it, nothing is found on them. */
  scans: string | undefined;
}

/** Where quotes stand on a page. */
export interface PagePlaces {
  /** How many pages there are. */
  pages: number;
  boxes: Box[];
}

/** True if the pages of a file of this name can be drawn. */
export const isDrawn = (name: string): boolean => DRAWN.test(name);

const DRAWN = new RegExp(`\\.(?:pdf|${PICTURE_EXTENSIONS.replaceAll(" ", "|")})$`, "i");

/**
 * Finds where quotes stand on a page, in a process of its own. There are no boxes for a page that does not exist.
 * @throws Error if the file cannot be read, ReadingStoppedError if that took too long, or the signal's reason.
 */
export const placesOnPage = (asked: PageAsked, signal: AbortSignal): Promise<PagePlaces> =>
  pool.run(import.meta.url, placesIn, [asked], { signal });

/**
 * Draws a page as a picture (WebP), in a process of its own. Undefined for a page that does not exist.
 * @throws as `placesOnPage` does.
 */
export const pageDrawn = (asked: Pick<PageAsked, "path" | "page">, signal: AbortSignal) =>
  pool.run(import.meta.url, drawnFrom, [asked], { signal });

/** Apart from the readers of new files, which may take long. */
const pool = processPool({ most: 2, leaves: 400_000_000, restsFor: 60_000 });

/** Does what `placesOnPage` does, in this process. */
export async function placesIn({ path, page, text, quotes, scans }: PageAsked): Promise<PagePlaces> {
  const bytes = new Uint8Array(await readFile(path));
  const isPicture = pictureKind(bytes) !== undefined;
  const { pages, page: read } = isPicture
    ? { ...(await (await import("../tools/ocr/picture.js")).measure(bytes)), page: undefined }
    : await readPdfAt(bytes, page);
  const isScan = page <= pages && !read?.words.some((word) => /[\p{L}\p{N}]/u.test(word.text));
  const scanned = isScan && scans !== undefined ? await scansIn(scans).get(scanKey(bytes, page - 1)) : undefined;
  const shown = scanned ? asScanned(scanned) : read;
  return { pages, boxes: shown ? quoteBoxes(shown, text, quotes) : [] };
}

/** Puts the words of a scan back to where they are on it. */
function asScanned(scanned: ReadPage): Page {
  const { width, height, lines, slope = 0, quarters = 0 } = scanned;
  const words = lines.flat().map((word) => {
    const back = turnedAbout(scanned, word, slope);
    return { ...back, y: back.y - back.height / 2 };
  });
  return { width, height, words, degrees: (360 - quarters * 90) % 360 };
}

/** Does what `pageDrawn` does, in this process. */
export async function drawnFrom({ path, page }: Pick<PageAsked, "path" | "page">): Promise<Uint8Array | undefined> {
  const bytes = new Uint8Array(await readFile(path));
  const picture = pictureKind(bytes) === undefined ? await sheetOf(bytes, page) : await photoOf(bytes, page);
  return picture
    ?.resize(LONGEST, LONGEST, { fit: "inside", withoutEnlargement: true })
    .webp({ quality: 80 })
    .toBuffer();
}

/** In pixels. */
const LONGEST = 2_400;

async function sheetOf(bytes: Uint8Array, page: number) {
  const [{ default: sharp }, { drawPageInColour }] = await Promise.all([
    import("sharp"),
    import("../tools/ocr/draw-page.js"),
  ]);
  const drawn = await drawPageInColour(bytes, page - 1);
  return drawn && sharp(drawn.data, { raw: { width: drawn.width, height: drawn.height, channels: 4 } });
}

async function photoOf(bytes: Uint8Array, page: number) {
  const { measure, upright } = await import("../tools/ocr/picture.js");
  return page > (await measure(bytes)).pages ? undefined : upright(bytes, page - 1);
}
