import { plainWords } from "./markup.js";
import { memoize } from "./memoize.js";
import { outlineOf } from "./outline.js";
import { plain } from "./tokens.js";

/**
 * Returns the sentences, rows, items and headings of a text, normalised: two that differ only in case, width, accents,
 * line breaks, Markdown marks or their last mark are the same. A different word or amount makes a different sentence.
 */
export const sentenceSet: (text: string) => ReadonlySet<string> = memoize(
  (text) => new Set(outlineOf(text).map((unit) => plain(plainWords(unit.text)).replace(/[\s.。!！;；]+$/u, ""))),
);
