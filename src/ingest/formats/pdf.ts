import { toError } from "../../errors.js";
import { pagesAsMarkdown } from "../../text/layout/pages.js";
import type { Page } from "../../text/layout/words.js";
import { metadataOf } from "../../text/metadata.js";
import { readPdf } from "../../tools/web/read-pdf.js";
import { type Content, EncryptedError, inParts, mostCharacters, numbered } from "./content.js";
import { resultOf, type Scans, scanPlace, wordsOf } from "./scans.js";

/**
 * A PDF by page. Headings are recognised by letter size, paragraphs by line spacing. Headers and footers that pages
 * repeat are left out. A sentence that runs over the end of a page belongs to the page on which it begins.
 */
export async function pdf(bytes: Uint8Array, scans?: Scans): Promise<Content> {
  const read = await readPdf(bytes, {
    pages: Number.POSITIVE_INFINITY,
    characters: mostCharacters(bytes.length) + 1,
  }).catch((error: unknown) => {
    throw reasonOf(error);
  });
  const { title, modified, published, stated } = read;
  if (read.isXfa)
    throw new Error("It is an XFA form, which only Adobe Acrobat shows. Print it to a PDF there, then ingest that.");
  const isBlank = ({ words }: Page) => !words.some(({ text }) => WORDS.test(text));
  if (!scans && read.pages.every(isBlank))
    throw new Error(
      `It is a scan: ${read.pages.length} pages of pictures without text, and nothing on this machine can read them. Install a runtime: npm install onnxruntime-web. Or recognise its text (OCR), then ingest it again.`,
    );
  const results = read.pages.map((page, i) => (scans && isBlank(page) ? resultOf(scans, bytes, i) : undefined));
  const [first] = results;
  if (first && "reason" in first && results.every((result) => result && "reason" in result))
    throw new Error(first.reason);
  const scanned = results.map((result) => result && wordsOf(result));
  const texts = pagesAsMarkdown(read.pages.map((page, i) => scanned[i] ?? page));
  const about = {
    title: UNNAMED.test(title) ? "" : title,
    reviewedAt: modified || published,
    metadata: metadataOf(stated),
  };
  const parts = numbered(
    texts.map((text) => ({ text })),
    "p.",
  ).map(({ name, text }, i) => {
    const page = scanned[i];
    return { name: page ? scanPlace(name, text, page.certainty) : name, text };
  });
  return inParts(parts, about);
}

/** Titles that programs write into a file without a title. */
const UNNAMED = /^\W*(?:anonymous|untitled|unspecified)\W*$|\.(?:docx?|pptx?|xlsx?|odt|indd|tex|dvi)$/i;
const WORDS = /[\p{L}\p{N}]/u;

function reasonOf(thrown: unknown): Error {
  const error = toError(thrown);
  if (error.name === "PasswordException") return new EncryptedError();
  return new Error(`It cannot be read as PDF (${error.message}). It is damaged or incomplete: save it anew.`, {
    cause: error,
  });
}
