import { PDFiumLibrary } from "@hyzyla/pdfium";
import type { Pixels } from "./pixels.js";

/**
 * Draws a page of a PDF in shades of grey, 200 dots an inch, or fewer for a very large page.
 * @param page from 0.
 * @throws Error with a message for the user if it cannot be drawn.
 */
export async function drawPage(bytes: Uint8Array, page: number): Promise<Pixels> {
  const library = await PDFiumLibrary.init();
  try {
    const document = await library.loadDocument(bytes);
    const sheet = document.getPage(page);
    const { originalWidth, originalHeight } = sheet.getOriginalSize();
    // The size of a page is a whole number of points.
    const scale = Math.min(DOTS / 72, LONGEST / Math.max(originalWidth, originalHeight));
    const { width, height, data } = await sheet.render({ scale, colorSpace: "Gray", render: "bitmap" });
    document.destroy();
    return { width, height, data };
  } finally {
    library.destroy();
  }
}

/** An inch. */
const DOTS = 200;
/** In pixels. */
const LONGEST = 3_200;
