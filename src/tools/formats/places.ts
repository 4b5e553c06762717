import { visible } from "../../text/decode.js";
import { languageOf } from "../../text/language.js";
import type { Content, FileMetadata } from "./content.js";

/** A part of a document that can be named in a citation: a page, a slide, a sheet. */
export interface DocumentPart {
  name: string;
  /** Markdown. */
  text: string;
}

/** Returns texts one after another as content, each at a place of its own. */
export function inParts(texts: readonly DocumentPart[], { title, reviewedAt, metadata = {} }: FileMetadata): Content {
  const places: { start: number; name: string }[] = [];
  let whole = "";
  for (const { name, text } of texts) {
    const shown = visible(text).trim();
    if (shown === "") continue;
    if (whole !== "") whole += "\n\n";
    places.push({ start: whole.length, name: visible(name) });
    whole += shown;
  }
  return { title: visible(title), reviewedAt, metadata, format: "markdown", text: whole, places };
}

/** Names pages or slides by their numbers, in the language of the text. */
export function numbered(pages: readonly { text: string; isHidden?: boolean }[], what: "p." | "slide"): DocumentPart[] {
  const sample = pages
    .map(({ text }) => text)
    .join("\n")
    .slice(0, SAMPLE);
  const isChinese = languageOf(sample) === "zh";
  return pages.map(({ text, isHidden = false }, i) =>
    hiddenIf(isHidden, { name: isChinese ? `第${i + 1}页` : `${what} ${i + 1}`, text }),
  );
}

/** Says in a place's name that nobody sees it, such as a hidden sheet, if so. */
export const hiddenIf = (isHidden: boolean, place: DocumentPart): DocumentPart =>
  isHidden ? { ...place, name: `${place.name}${languageOf(place.text) === "zh" ? "（隐藏）" : " (hidden)"}` } : place;

/** In characters. */
const SAMPLE = 20_000;
