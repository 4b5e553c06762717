import type { Answer, Reference } from "../types/answer.js";

/**
 * Returns the address of a page with a text fragment that makes a browser show the quote
 * (https://wicg.github.io/scroll-to-text-fragment/), or of a PDF at its page; undefined if it is not a web address. A
 * table row gets no fragment, since a page has its cells without their bars.
 */
export function linkTo(uri: string, quote: string | undefined, section = ""): string | undefined {
  const url = URL.parse(uri);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  const page = /\.pdf$/i.test(url.pathname) ? pageOf(section) : "";
  if (page && !url.hash) url.hash = `page=${page}`;
  else if (quote && !url.hash && !/^[ \t]*\||\]\(/m.test(quote)) url.hash = `:~:text=${fragmentOf(quote)}`;
  return url.href.replace(/[()[\]]/g, (bracket) => `%${bracket.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Gives a long quote by its first and last words, without its marks. */
function fragmentOf(quote: string): string {
  const line = quote
    .replace(/^[ \t]*(?:#{1,6}|[-*+]|>)[ \t]+|\*\*|`/gm, "")
    .replace(/\s+/g, " ")
    .trim();
  const pieces = /\p{Script=Han}/u.test(line) ? [...line] : line.split(/(?<= )/);
  if (pieces.length <= 2 * EDGE) return encoded(line);
  return `${encoded(pieces.slice(0, EDGE).join(""))},${encoded(pieces.slice(-EDGE).join(""))}`;
}
const EDGE = 6;

const encoded = (text: string) => encodeURIComponent(text.trim().toWellFormed()).replaceAll("-", "%2D");

/** Returns the page that a section of a PDF names; empty if it names none. */
export function pageOf(section: string): string {
  const [, latin, chinese] = /(?:^| › )(?:p\. (\d+)|第(\d+)页)(?= › | \(|（|$)/.exec(section) ?? [];
  return latin ?? chinese ?? "";
}

/** A place that emend's page shows: a passage, or a document by its id, with quotes of it. */
export interface Place {
  id: string;
  quotes: readonly string[];
}

/**
 * Returns the part of an address, behind that of emend's page, at which the page shows a place. It is in the fragment, so
 * that no proxy logs what is read. Of many or long quotes, the first are in it.
 */
export function hashOf({ id, quotes }: Place): string {
  const [first = "", ...others] = [...new Set(quotes)].map((quote) => quote.slice(0, LONGEST).toWellFormed());
  let given = asQuote(first);
  for (const other of others.map(asQuote)) if (given.length + other.length <= 2 * LONGEST) given += other;
  return `#/source/${inAddress(id.toWellFormed())}${given.replace("&", "?")}`;
}

const asQuote = (quote: string) => (quote === "" ? "" : `&quote=${inAddress(quote)}`);

/** In characters. Programs cut addresses of more than some thousands. */
const LONGEST = 1_000;

/** Brackets and quotation marks would end the address in Markdown and elsewhere. */
const inAddress = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);

/** Reads what `hashOf` wrote; undefined for anything else. */
export function placeIn(hash: string): Place | undefined {
  const [, id = "", query = ""] = /^#\/source\/([^?]+)(?:\?(.*))?$/s.exec(hash) ?? [];
  if (id === "") return undefined;
  try {
    return { id: decodeURIComponent(id), quotes: new URLSearchParams(query).getAll("quote") };
  } catch {
    return undefined;
  }
}

/**
 * Returns an answer whose references have an address that opens them (`opens`): that of their web page or, at a server with
 * an address, emend's page at the quotes.
 */
export const opening = <Given extends Pick<Answer, "references" | "claims">>(
  { references, ...answer }: Given,
  site: string | undefined,
) => ({
  ...answer,
  references: references.map((reference): Reference => {
    const quotes = answer.claims.flatMap(({ citations }) =>
      citations.filter((cited) => cited.reference === reference.number).map(({ quote }) => quote),
    );
    const opens = addressOf(reference, quotes, site);
    return { ...reference, ...(opens !== undefined && { opens }) };
  }),
});

function addressOf(reference: Reference, quotes: readonly string[], site: string | undefined): string | undefined {
  const { source, evidenceId, uri, section, computed } = reference;
  const own = linkTo(uri, computed ? undefined : quotes[0], section);
  if (own !== undefined || site === undefined) return own;
  const [table] = computed?.tables ?? [];
  const [row] = table?.used ?? [];
  if (table) return `${site}/${hashOf({ id: `${table.documentId}#${row?.passage ?? 0}`, quotes: rowOf(row?.cells) })}`;
  if (source === "document") return `${site}/${hashOf({ id: evidenceId, quotes })}`;
  // A fact is in the words of emend, so that its document has no quote of it.
  return source === "graph" && !uri.startsWith("graph:") ? `${site}/${hashOf({ id: uri, quotes: [] })}` : undefined;
}

const rowOf = (cells: readonly string[] = []) => (cells.length > 0 ? [cells.join(" | ")] : []);
