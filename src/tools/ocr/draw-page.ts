import { PDFiumLibrary } from "@hyzyla/pdfium";
import type { Pixels } from "./pixels.js";

/**
 * Draws a page of a PDF in shades of grey, 200 dots an inch, or fewer for a very large page.
 * @param page from 0.
 * @throws Error with a message for the user if it cannot be drawn.
 */
export async function drawPage(bytes: Uint8Array, page: number): Promise<Pixels> {
  const pixels = await drawn(bytes, page, { dots: 200, longest: 3_200, colorSpace: "Gray" });
  if (!pixels) throw new Error(`There is no page ${page + 1}.`);
  return pixels;
}

/**
 * Draws a page of a PDF as people see it, with its form fields: 150 dots an inch, or fewer for a very large page.
 * @param page from 0.
 * @returns four bytes a pixel: red, green, blue and opacity; undefined if there is no such page.
 * @throws Error with a message for the user if it cannot be drawn.
 */
export const drawPageInColour = (bytes: Uint8Array, page: number): Promise<Pixels | undefined> =>
  drawn(bytes, page, { dots: 150, longest: 2_400, colorSpace: "BGRA", renderFormFields: true });

interface Drawing {
  /** An inch. */
  dots: number;
  /** In pixels. */
  longest: number;
  colorSpace: "Gray" | "BGRA";
  renderFormFields?: boolean;
}

async function drawn(bytes: Uint8Array, page: number, { dots, longest, ...how }: Drawing): Promise<Pixels | undefined> {
  const library = await PDFiumLibrary.init();
  try {
    const document = await library.loadDocument(bytes);
    if (page >= document.getPageCount()) return undefined;
    const sheet = document.getPage(page);
    const { originalWidth, originalHeight } = sheet.getOriginalSize();
    // The size of a page is a whole number of points.
    const scale = Math.min(dots / 72, longest / Math.max(originalWidth, originalHeight));
    const { width, height, data } = await sheet.render({ scale, render: "bitmap", ...how });
    document.destroy();
    return { width, height, data };
  } finally {
    library.destroy();
  }
}
