import { pagesAsMarkdown } from "../../text/layout/pages.js";
import { pictureKind } from "../../tools/ocr/kinds.js";
import { measure } from "../../tools/ocr/picture.js";
import { type Content, type DocumentPart, inParts, numbered, type Picture } from "./content.js";
import { isTiny, resultOf, type Scans, scanPlace, wordsOf } from "./scans.js";

/** A picture of text, by page: a scan, a photograph of a page, a screenshot. */
export async function picture(bytes: Uint8Array, scans?: Scans): Promise<Content> {
  const { pages } = await measure(bytes);
  if (!scans) throw new Error(NO_OCR);
  const results = Array.from({ length: pages }, (_, page) => resultOf(scans, bytes, page));
  const [first] = results;
  if (first && "reason" in first && results.every((result) => result && "reason" in result))
    throw new Error(first.reason);
  const read = results.map(wordsOf);
  const texts = numbered(
    pagesAsMarkdown(read).map((text) => ({ text })),
    "p.",
  );
  const parts = texts.map(({ name, text }, i) => ({
    name: scanPlace(pages === 1 ? "" : name, text, read[i]?.certainty),
    text,
  }));
  return inParts(parts, { title: "", reviewedAt: "" });
}

/** Says what to do where pictures cannot be read. */
export const NO_OCR =
  "It is a picture, and nothing on this machine can read it. Install a runtime: npm install onnxruntime-web. Or recognise its text (OCR), then ingest it again.";

/**
 * Returns what was read in a picture of a document, as a place of its own; undefined if nothing was, or not yet.
 * @param within the name of the place in which it stands.
 */
export async function textOfPicture(
  scans: Scans,
  { bytes }: Picture,
  within: string,
): Promise<DocumentPart | undefined> {
  const unpacked = await bytes().catch(() => undefined);
  if (!unpacked || !pictureKind(unpacked)) return undefined;
  const size = await measure(unpacked).catch(() => undefined);
  if (!size || isTiny(size)) return undefined;
  const result = resultOf(scans, unpacked, 0);
  if (!result || "reason" in result || result.lines.length === 0) return undefined;
  const page = wordsOf(result);
  const [text = ""] = pagesAsMarkdown([page]);
  const isChinese = /\p{Script=Han}/u.test(text);
  const name = [within, isChinese ? "图片" : "picture"].filter(Boolean).join(isChinese ? "，" : ", ");
  return { name: scanPlace(name, text, page.certainty), text };
}
