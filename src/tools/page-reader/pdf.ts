import { visible } from "../../corpus/decode.js";
import { dateIn } from "./dates.js";

/** The text of a PDF by page, and what it says of itself. @throws Error when it cannot be read. */
export async function readPdf(
  bytes: Uint8Array,
): Promise<{ title: string; byline: string; published: string; modified: string; pages: string[] }> {
  const { extractText, getDocumentProxy, getMeta } = await import("unpdf");
  // pdf.js takes the bytes for itself.
  const document = await getDocumentProxy(bytes.slice());
  try {
    const { info } = await getMeta(document);
    const said = (name: string) =>
      visible(String(info?.[name] ?? ""))
        .replace(/\s+/g, " ")
        .trim()
        .slice(0, 300);
    const date = (name: string) => dateIn(said(name).replace(/^D:(\d{8}).*$/, "$1"));
    const { text } = await extractText(document, { mergePages: false });
    return {
      title: said("Title"),
      byline: said("Author"),
      published: date("CreationDate"),
      modified: date("ModDate"),
      pages: text.map((page) => visible(page).trim()),
    };
  } finally {
    await document.loadingTask.destroy();
  }
}
