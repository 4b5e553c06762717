import { inert, verbatim } from "../citing/inert.js";
import type { Answer, Citation } from "../types/answer.js";
import { phrases } from "./phrases.js";

/** Formats an answer for a reader that renders Markdown: its text, and the list of its sources with links and quotes. */
export const asMarkdown = (answer: Answer): string =>
  [answer.text, sourceList(answer)].filter((part) => part !== "").join("\n\n");

/** Lists the sources as Markdown, each with a link to the place of its first quote. Empty without sources. */
export function sourceList({
  references,
  claims,
  language,
}: Pick<Answer, "references" | "claims" | "language">): string {
  if (references.length === 0) return "";
  const items = references.map(({ number, title, section, uri, validFrom = "", validUntil = "" }) => {
    const quotes = quotesOf(number, claims);
    const name = inert([title, section].filter(Boolean).join(" › ") || uri);
    const address = linkTo(uri, quotes[0]);
    const shown = address
      ? `[${name.replace(/[[\]]/g, "")}](${address})`
      : `${name} (\`${verbatim(uri.replaceAll("`", ""))}\`)`;
    const shownQuotes = quotes.map((quote) => `> ${inert(quote)}`).join("\n>\n");
    const valid = phrases(language).valid(inert(validFrom), inert(validUntil));
    return [[`[${number}] ${shown}`, valid].filter(Boolean).join(" · "), shownQuotes].filter(Boolean).join("\n");
  });
  return `**${phrases(language).sources}**\n\n${items.join("\n\n")}`;
}

/** Removes the list of sources from an earlier answer that a client sends back. */
export const withoutSources = (text: string): string =>
  text.replace(/\n\n\*\*(?:Sources:?|来源：?)\*\*\n[\s\S]*$/u, "");

const quotesOf = (reference: number, claims: Answer["claims"]): string[] => [
  ...new Set(claims.flatMap(({ citations }) => citations.filter(isOf(reference)).map(({ quote }) => quote))),
];

const isOf = (reference: number) => (citation: Citation) => citation.reference === reference;

/**
 * Returns the address of a page with a text fragment that makes a browser show the quote
 * (https://wicg.github.io/scroll-to-text-fragment/); undefined for what is no web address.
 */
export function linkTo(uri: string, quote: string | undefined): string | undefined {
  const url = URL.parse(uri);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  if (quote && !url.hash) url.hash = `:~:text=${fragmentOf(quote)}`;
  return url.href.replace(/[()[\]]/g, (bracket) => `%${bracket.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** A long quote is named by its first and its last words. */
function fragmentOf(quote: string): string {
  const line = quote.replace(/\s+/g, " ").trim();
  const pieces = /\p{Script=Han}/u.test(line) ? [...line] : line.split(/(?<= )/);
  if (pieces.length <= 2 * EDGE) return encoded(line);
  return `${encoded(pieces.slice(0, EDGE).join(""))},${encoded(pieces.slice(-EDGE).join(""))}`;
}
const EDGE = 6;

const encoded = (text: string) => encodeURIComponent(text.trim()).replaceAll("-", "%2D");

/** Every citation of an answer as data: its number, the verbatim quote with its place in the source, and an address of it. */
export const citationsOf = ({ claims, references }: Pick<Answer, "claims" | "references">) =>
  claims.flatMap(({ text, support, citations }) =>
    citations.map(({ reference, quote, start, end }) => {
      const { uri = "", title = "", section = "" } = references.find(({ number }) => number === reference) ?? {};
      return { reference, claim: text, support, quote, start, end, title, section, uri: linkTo(uri, quote) ?? uri };
    }),
  );
