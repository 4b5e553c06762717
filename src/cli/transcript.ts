import { placeOf, quotesShown, tableLines } from "../answer/citations.js";
import { growingAnswer, type Written } from "../answer/growing.js";
import { messagesIn } from "../answer/messages/index.js";
import { sanitizeMarkdown, verbatim } from "../citing/sanitize-markdown.js";
import type { Answer, Claim, Reference } from "../types/answer.js";
import type { AgentEvent } from "../types/events.js";
import { type Look, type Screen, stripControls, truncated, wrap } from "./screen.js";

/** Returns a function that shows the events of one question as growing text, and the sources at the end. */
export function transcript({ write, width, paint }: Screen, question: string) {
  const painted = ({ text, reference, look }: Written) => {
    const format = reference === undefined ? look : "cyan";
    return format ? text.replace(/\S(?:.*\S)?/g, (words) => paint(format, words)) : text;
  };
  const grow = growingAnswer(
    {
      write: (pieces) => write(pieces.map(painted).join("")),
      layOut: (text) => wrap(stripControls(text), width),
    },
    question,
  );
  return (event: AgentEvent) => {
    grow(event);
    if (event.type !== "answer") return;
    write("\n");
    if (event.answer.references.length > 0) write(`\n${sources(event.answer, { width, paint })}\n`);
  };
}

/**
 * Lists the sources of an answer with their place, date and quotes, and for facts of a graph and figures of tables the
 * query and rows, or the words of the document that they rest on.
 */
export function sources(
  { references, claims, language }: Pick<Answer, "references" | "claims" | "language">,
  { width, paint }: Look,
) {
  const { valid, sources: heading, listed: say } = messagesIn(language);
  const lines = references.flatMap((reference) => {
    const { number, source, title, section, uri, date, alsoIn = [], preview, collection = "" } = reference;
    const { validFrom = "", validUntil = "" } = reference;
    // A date with a time is when the page was fetched; one without belongs to the document.
    const own = source === "web" ? say.dated(date) : say.reviewed(date);
    const when = date.length > DATE ? say.retrieved(date.slice(0, DATE)) : own;
    const about = [
      sanitizeMarkdown(collection),
      verbatim(uri),
      valid(sanitizeMarkdown(validFrom), sanitizeMarkdown(validUntil)),
      sanitizeMarkdown(when),
      preview ? say.preview : "",
    ];
    const mark = `[${number}]`;
    const place = wrap(`${mark} ${sanitizeMarkdown(placeOf(title, section))}`, width);
    return [
      paint("cyan", mark) + place.slice(mark.length),
      paint("dim", wrap(about.filter(Boolean).join(" · "), width, INDENT)),
      ...alsoIn.map((other) => paint("dim", wrap(say.alsoIn(verbatim(other)), width, INDENT))),
      ...(restsOn(reference.provenance, say) ?? quotesOf(number, claims).map((quote) => `“${quote}”`)).map((line) =>
        wrap(line, width, INDENT),
      ),
      ...[...linesOf(reference.provenance, say), ...computedLines(reference.computed, language)].map((line) =>
        paint("dim", wrap(line, width, INDENT)),
      ),
    ];
  });
  const pages = references
    .filter(({ source, preview }) => source === "web" && !preview)
    .map(({ uri }) => shellWord(uri));
  const offer = pages.length > 0 ? [paint("dim", say.keep([...new Set(pages)]))] : [];
  return [paint("bold", heading), ...lines, ...offer].join("\n");
}

/** Returns the quotes from a source, each once. */
export function quotesOf(reference: number, claims: readonly Pick<Claim, "citations">[]): string[] {
  const citations = claims.flatMap((claim) => claim.citations.filter((citation) => citation.reference === reference));
  return quotesShown(citations).map(sanitizeMarkdown);
}

type Listed = ReturnType<typeof messagesIn>["listed"];

/** Returns the words of a document that all of a fact's rows rest on; undefined if a row rests on none. */
function restsOn(provenance: Reference["provenance"], say: Listed): string[] | undefined {
  const quotes = provenance?.rows.map(({ quote }) => (typeof quote === "string" ? sanitizeMarkdown(quote) : ""));
  if (!quotes || quotes.length === 0 || quotes.includes("")) return undefined;
  const all = [...new Set(quotes)];
  const shown = all.slice(0, MAX_ROWS).map((quote) => `“${truncated(quote, MAX_LINE_LENGTH)}”`);
  return all.length > MAX_ROWS ? [...shown, say.more(all.length - MAX_ROWS)] : shown;
}

/** Formats a query, its parameters and its first rows; nothing for a fact that rests on the words of a document. */
function linesOf(provenance: Reference["provenance"], say: Listed): string[] {
  if (!provenance || restsOn(provenance, say)) return [];
  const { cypher, parameters, rows } = provenance;
  const given = cypher && Object.keys(parameters).length > 0 ? [JSON.stringify(parameters)] : [];
  const query = [cypher, ...given].join(" ");
  const shown = rows.slice(0, MAX_ROWS).map((row) => JSON.stringify(row));
  const more = rows.length > MAX_ROWS ? [say.more(rows.length - MAX_ROWS)] : [];
  return [query, ...shown, ...more]
    .map(verbatim)
    .map((line) => truncated(line, MAX_LINE_LENGTH))
    .filter((line) => line !== "");
}

/** Formats the first rows that a figure rests on, and the query. */
function computedLines(computed: Reference["computed"], language: string): string[] {
  if (!computed) return [];
  return [...tableLines(computed, language), computed.sql]
    .map(verbatim)
    .map((line) => truncated(line, MAX_LINE_LENGTH));
}

const MAX_ROWS = 3;

/** Longer lines are truncated; the JSON of the answer has them whole. */
const MAX_LINE_LENGTH = 300;

/** Escapes a URL for any shell, so that the name of a page cannot run a command. */
const shellWord = (uri: string) => {
  const safe = verbatim(uri).replace(/[ "'$`!\\^|<>]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
  return /[^\w:/.@%+=#-]/.test(safe) ? `"${safe}"` : safe;
};

const DATE = "2026-01-31".length;
const INDENT = "    ";
