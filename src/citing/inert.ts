import { stripVTControlCharacters } from "node:util";
import { visible } from "../language/decode.js";
import { replaceMarkers } from "./markers.js";

/**
 * A text that somebody else wrote (a source, a model, an endpoint, whoever asks), on one line, so that it is nothing but
 * words where it is shown: in Markdown no image is fetched, no link hides where it leads, no tag is one, and nothing
 * reads as a citation but our own markers. Its words stay. Links and images lose the form of one ("[text] (address)"),
 * tags and entities too ("< img"), addresses become code, and square brackets around a number round ("(2)"). Code stays as
 * it is, but for "[2]", which gets a space; a lone backtick, which could reach into what stands beside it, becomes an
 * apostrophe. What nobody sees, or a terminal would obey, is dropped.
 * Texts made inert one by one stay so side by side, with our markers between. Linear in the text's length.
 */
export function inert(text: string): string {
  return (
    seen(text)
      // What stands behind it in "[3†…" may be a marker of ours.
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
 * What is shown letter by letter where nothing is rendered: an address, a path, a query, data. All that changes is the
 * bracket of "[2]", which would read as a marker of ours: it gets a space, or in an address the escape that means the
 * same. On one line, without what nobody sees or a terminal would obey.
 */
export const verbatim = (text: string) => unmarked(seen(text));

const seen = (text: string) => visible(stripVTControlCharacters(text)).replace(/\s+/g, " ").trim();

const unmarked = (text: string) => text.replace(/\[(?=[1-9]\d*(?:\]|$))/g, /^[a-z]+:/i.test(text) ? "%5B" : "[ ");

/** Between single backticks, with nothing in between that could make them two lone ones: a table's cell. */
const CODE = /(?<![\\`])`[^`|\\]{1,500}`(?!`)/;

/** What renderers make links of by themselves, without the marks that end the sentence around it. */
const ADDRESS =
  /(?:(?:https?|ftp):\/\/|(?<![:/])\/\/(?=[\p{L}\d])|mailto:|(?<![a-z\d])www\.)(?:[^\s<>|`\\\p{Script=Han}。，；：！？、]*[^\s<>|`\\\p{Script=Han}。，；：！？、.,:;!?'"”’»」』)\]])?/iu;

const VERBATIM = new RegExp(`(${CODE.source}|${ADDRESS.source})`, "iu");

const plainly = (text: string) =>
  replaceMarkers(
    text
      .replaceAll("`", "'")
      .replace(BRACKETED, (whole, inner: string) => (/\p{N}/u.test(inner) ? `(${inner})` : whole)),
    // "(source 2)", and "²" behind a stop.
    (marker) => (/^[(（]/.test(marker) ? `“${marker.slice(1, -1)}”` : `(${marker.normalize("NFKC")})`),
  )
    .replace(/\](?=[([:])/g, "] ")
    .replace(/<(?=[a-z/!?])/gi, "< ")
    .replace(/&(?=#?\w{1,32};)/g, "& ")
    .replace(/\{(?=\{)|\}(?=\})|~(?=~~)|\\$/g, "$& ");

const BRACKETED = /[[［【〔⟦]([^[\]［］【】〔〕⟦⟧]*)[\]］】〕⟧]/gu;
