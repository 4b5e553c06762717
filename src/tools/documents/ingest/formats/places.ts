import { visible } from "../../../../language/decode.js";
import { languageOf } from "../../../../language/language.js";
import type { Content } from "./content.js";

/** A part of a document that can be named in a citation: a page, a slide, a sheet. */
export interface Place {
  name: string;
  /** Markdown. */
  text: string;
}

/** Returns texts one after another as content, each at a place of its own. */
export function inPlaces(
  texts: readonly Place[],
  { title, reviewedAt }: { title: string; reviewedAt: string },
): Content {
  const places: { start: number; name: string }[] = [];
  let whole = "";
  for (const { name, text } of texts) {
    const shown = visible(text).trim();
    if (shown === "") continue;
    if (whole !== "") whole += "\n\n";
    places.push({ start: whole.length, name: visible(name) });
    whole += shown;
  }
  return { title: visible(title), reviewedAt, format: "markdown", text: whole, places };
}

/** Names pages or slides by their numbers, in the language of the text. */
export function numbered(texts: readonly string[], what: "p." | "slide"): Place[] {
  const isChinese = languageOf(texts.join("\n").slice(0, SAMPLE)) === "zh";
  return texts.map((text, i) => ({ name: isChinese ? `第${i + 1}页` : `${what} ${i + 1}`, text }));
}

/** In characters. */
const SAMPLE = 20_000;
