import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { visible } from "../../../language/decode.js";
import { dateIn } from "./dates.js";

/** Reads the text of a PDF by page, and its metadata. @throws Error if it cannot be read. */
export async function readPdf(
  bytes: Uint8Array,
): Promise<{ title: string; byline: string; published: string; modified: string; pages: string[] }> {
  const { getDocumentProxy, getMeta } = await import("unpdf");
  // pdf.js takes over the bytes, and refuses a Buffer.
  const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0, cMapUrl: cMaps(), cMapPacked: true });
  try {
    const { info } = await getMeta(document);
    const said = (name: string) =>
      visible(String(info?.[name] ?? ""))
        .replace(/\s+/g, " ")
        .trim()
        .slice(0, 300);
    const date = (name: string) => dateIn(said(name).replace(/^D:(\d{8}).*$/, "$1"));
    const pages: string[] = [];
    let length = 0;
    for (let number = 1; number <= Math.min(document.numPages, MOST_PAGES) && length < LONGEST; number++) {
      const { items } = await (await document.getPage(number)).getTextContent();
      const text = items.map((item) => ("str" in item ? `${item.str}${item.hasEOL ? "\n" : ""}` : "")).join("");
      length += text.length;
      pages.push(visible(text).trim());
    }
    return {
      title: said("Title"),
      byline: said("Author"),
      published: date("CreationDate"),
      modified: date("ModDate"),
      pages,
    };
  } finally {
    await document.loadingTask.destroy();
  }
}

/** The rest is not read. */
const MOST_PAGES = 1_000;
const LONGEST = 5_000_000;

/** The folder of character maps for Chinese, Japanese and Korean PDFs that do not embed them. Ends in a slash. */
function cMaps(): string {
  const isSource = new URL(import.meta.url).pathname.endsWith(".ts");
  const folder = isSource
    ? join(dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json")), "cmaps/")
    : fileURLToPath(new URL("../../../cmaps/", import.meta.url));
  return folder.replaceAll("\\", "/");
}
