import { toError } from "../../errors.js";
import { pagesAsMarkdown } from "../../text/layout/pages.js";
import { metadataOf } from "../../text/metadata.js";
import { readPdf } from "../../tools/web/read-pdf.js";
import { EncryptedError, type FormatReader, inParts, mostCharacters, numbered } from "./content.js";

/**
 * A PDF by page. Headings are recognised by letter size, paragraphs by line spacing. Headers and footers that pages
 * repeat are left out. A sentence that runs over the end of a page belongs to the page on which it begins.
 */
export const pdf: FormatReader = async (bytes) => {
  const read = await readPdf(bytes, {
    pages: Number.POSITIVE_INFINITY,
    characters: mostCharacters(bytes.length) + 1,
  }).catch((error: unknown) => {
    throw reasonOf(error);
  });
  const { title, modified, published, stated } = read;
  if (read.isXfa)
    throw new Error("It is an XFA form, which only Adobe Acrobat shows. Print it to a PDF there, then ingest that.");
  const texts = pagesAsMarkdown(read.pages);
  if (texts.every((text) => !WORDS.test(text)))
    throw new Error(
      `It is a scan: ${texts.length} pages of pictures without text. Recognise its text (OCR), then ingest it again.`,
    );
  const about = {
    title: UNNAMED.test(title) ? "" : title,
    reviewedAt: modified || published,
    metadata: metadataOf(stated),
  };
  const pages = texts.map((text) => ({ text }));
  return inParts(numbered(pages, "p."), about);
};

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
