import { stripVTControlCharacters } from "node:util";
import { visible } from "../text/decode.js";
import { replaceMarkers } from "./markers.js";

/**
 * Sanitises untrusted text (from a source, a model, an endpoint or a user) for Markdown, on one line: no image is
 * fetched, no link hides its address, no tag works, and only our own markers read as citations. All words stay. Links
 * and images become "[text] (address)", tags and entities get a space ("< img"), addresses become code, and square
 * brackets around a number become round brackets ("(2)"). Code stays, but "[2]" in it gets a space; a lone backtick,
 * which could pair with one next to the text, becomes an apostrophe. Invisible characters and terminal sequences are
 * removed. Sanitised texts stay safe when joined, with our markers between them. Linear in the text's length.
 */
export function sanitizeMarkdown(text: string): string {
  return (
    seen(text)
      // "[3†…" would read as a marker.
      .replace(/\d(?=†)/g, "$& ")
      .split(VERBATIM)
      .map((part, i) => {
        if (i % 2 === 0) return plainly(part);
        return part.startsWith("`") ? unmarked(part) : `\`${unmarked(part)}\``;
      })
      .join("")
      .replace(/[[［【〔](`[^`]*\d[^`]*`)[\]］】〕]/g, "($1)")
      .replace(/``/g, "` `")
  );
}

/**
 * Sanitises text that is shown without rendering: an address, a path, a query, data. The bracket of "[2]", which would read
 * as our marker, gets a space or, in an address, becomes "%5B". On one line, without invisible characters and terminal
 * sequences.
 */
export const verbatim = (text: string) => unmarked(seen(text));

const seen = (text: string) => visible(stripVTControlCharacters(text)).replace(/\s+/g, " ").trim();

const unmarked = (text: string) => text.replace(/\[(?=[1-9]\d*(?:\]|$))/g, /^[a-z]+:/i.test(text) ? "%5B" : "[ ");

/** Text between single backticks. A bar inside would split a table's cell and leave two lone backticks. */
const CODE = /(?<![\\`])`[^`|\\]{1,500}`(?!`)/;

/** An address that renderers turn into a link, without the marks that end the sentence around it. */
const ADDRESS =
  /(?:(?:https?|ftp):\/\/|(?<![:/])\/\/(?=[\p{L}\d])|mailto:|(?<![a-z\d])www\.)(?:[^\s<>|`\\\p{Script=Han}。，；：！？、]*[^\s<>|`\\\p{Script=Han}。，；：！？、.,:;!?'"”’»」』)\]])?/iu;

const VERBATIM = new RegExp(`(${CODE.source}|${ADDRESS.source})`, "iu");

const plainly = (text: string) =>
  replaceMarkers(
    text
      .replaceAll("`", "'")
      .replace(BRACKETED, (whole, inner: string) => (/\p{N}/u.test(inner) ? `(${inner})` : whole)),
    // "(source 2)", and "²" after a full stop.
    (marker) => (/^[(（]/.test(marker) ? `“${marker.slice(1, -1)}”` : `(${marker.normalize("NFKC")})`),
  )
    .replace(/\](?=[([:])/g, "] ")
    .replace(/<(?=[a-z/!?])/gi, "< ")
    .replace(/&(?=#?\w{1,32};)/g, "& ")
    .replace(/\{(?=\{)|\}(?=\})|~(?=~~)|\\$/g, "$& ");

const BRACKETED = /[[［【〔⟦]([^[\]［］【】〔〕⟦⟧]*)[\]］】〕⟧]/gu;
