import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PDFDocumentProxy, PDFPageProxy } from "unpdf/pdfjs";
import { visible } from "../../text/decode.js";
import type { Page } from "../../text/layout/words.js";
import { dateIn } from "./page-dates.js";
import { withDrawnBoxes } from "./pdf-boxes.js";
import { fieldsOf, withFields } from "./pdf-fields.js";
import { type Annotation, notesOf, type ToPage } from "./pdf-notes.js";
import { type Font, placed } from "./pdf-page.js";

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
  pages: Page[];
  /** True if its pages are an XFA form, which only Adobe's programs show. */
  isXfa: boolean;
}> {
  const { getMeta } = await import("unpdf");
  const { document, op } = await opened(bytes);
  try {
    const { info } = await getMeta(document);
    const property = (name: string) =>
      visible(String(info?.[name] ?? ""))
        .replace(/\s+/g, " ")
        .trim()
        .slice(0, 300);
    const date = (name: string) => dateIn(property(name).replace(/^D:(\d{8}).*$/, "$1"));
    const pages: Page[] = [];
    let length = 0;
    for (let number = 1; number <= Math.min(document.numPages, most.pages) && length < most.characters; number++) {
      const page = await document.getPage(number);
      const read = await pageOf(page, op);
      length += read.words.reduce((sum, { text }) => sum + text.length, 0);
      pages.push(read);
      page.cleanup();
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
      isXfa: info?.IsXFAPresent === true && info?.IsAcroFormPresent !== true,
    };
  } finally {
    await document.loadingTask.destroy();
  }
}

/**
 * Reads a single page of a PDF.
 * @param number from 1.
 * @returns how many pages there are, and the page if there is one of this number.
 * @throws Error if it cannot be read.
 */
export async function readPdfAt(bytes: Uint8Array, number: number): Promise<{ pages: number; page?: Page }> {
  const { document, op } = await opened(bytes);
  try {
    const pages = document.numPages;
    return number > pages ? { pages } : { pages, page: await pageOf(await document.getPage(number), op) };
  } finally {
    await document.loadingTask.destroy();
  }
}

async function opened(bytes: Uint8Array): Promise<{ document: PDFDocumentProxy; op: Record<string, number> }> {
  const { getDocumentProxy, getResolvedPDFJS } = await import("unpdf");
  const { OPS } = await getResolvedPDFJS();
  // pdf.js takes over the bytes, and refuses a Buffer.
  const document = await getDocumentProxy(new Uint8Array(bytes), {
    verbosity: 0,
    cMapUrl: cMaps(),
    cMapPacked: true,
    // Pictures are not read.
    maxImageSize: 1,
  });
  return { document, op: OPS as Record<string, number> };
}

/** Reads the words of a page, its lines, its form fields and its comments. */
async function pageOf(page: PDFPageProxy, op: Readonly<Record<string, number>>): Promise<Page> {
  const operators = await page.getOperatorList({ annotationMode: 0 });
  const fonts = new Map<string, Font>();
  for (const [i, fn] of operators.fnArray.entries()) {
    const [name] = fn === op.setFont ? operators.argsArray[i] : [];
    if (typeof name === "string" && !fonts.has(name)) fonts.set(name, await fontOf(page, name));
  }
  const viewport = page.getViewport({ scale: 1 });
  const { width, height } = viewport;
  const view = viewport.transform as [number, number, number, number, number, number];
  const { shapes, ...drawn } = placed(operators, op, (name) => fonts.get(name) ?? {}, { view, width, height });
  const annotations: Annotation[] = await page.getAnnotations();
  const toPage: ToPage = ([left = 0, bottom = 0, right = 0, top = 0]) => {
    const [a, b, c, d, e, f] = view;
    const [xs, ys] = [
      [a * left + c * bottom + e, a * right + c * top + e],
      [b * left + d * bottom + f, b * right + d * top + f],
    ];
    return { x1: Math.min(...xs), y1: Math.min(...ys), x2: Math.max(...xs), y2: Math.max(...ys) };
  };
  const { comments, strikes } = notesOf(annotations, toPage);
  const rules = [...drawn.rules, ...strikes];
  const fields = fieldsOf(annotations, toPage);
  const words = withFields(
    withDrawnBoxes(
      drawn.words,
      shapes,
      fields.map(({ at }) => at),
    ),
    rules,
    fields,
  );
  return { ...drawn, words, rules, comments };
}

/** Waits until pdf.js has the font. */
const fontOf = (page: PDFPageProxy, name: string) =>
  new Promise<Font>((resolve) => page.commonObjs.get(name, (font: Font) => resolve(font ?? {})));

/** The folder of character maps for Chinese, Japanese and Korean PDFs that do not embed them. Ends in a slash. */
function cMaps(): string {
  const isSource = new URL(import.meta.url).pathname.endsWith(".ts");
  const folder = isSource
    ? join(dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json")), "cmaps/")
    : fileURLToPath(new URL("../../cmaps/", import.meta.url));
  return folder.replaceAll("\\", "/");
}
