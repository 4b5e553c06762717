import type { Answer } from "../types/answer.js";
import type { Cited, ConversationTurn } from "../types/conversation.js";
import type { Computed } from "../types/table.js";
import { linkTo } from "./links.js";
import { messagesIn } from "./messages/index.js";

/**
 * Every citation of an answer as data: its number, the verbatim quote with its place in the source, and its address.
 */
export const citationsOf = ({ claims, references }: Pick<Answer, "claims" | "references">): Cited[] =>
  claims.flatMap(({ text, support, citations }, claimIndex) =>
    citations.map(({ reference, quote, start, end }) => {
      const cited = references.find(({ number }) => number === reference);
      const { evidenceId = "", source = "document", uri = "", title = "", section = "" } = cited ?? {};
      const { computed, collection } = cited ?? {};
      const address = linkTo(uri, computed ? undefined : quote, section) ?? uri;
      const place = { evidenceId, source, title, section, uri: address, ...(collection && { collection }) };
      return { reference, claim: text, claimIndex, support, quote, start, end, ...place };
    }),
  );

/**
 * Returns the quotes of one source as people read them: each once, in the order of the source, and the cells of a table
 * row between dots.
 */
export const quotesShown = (citations: readonly Pick<Cited, "quote" | "start">[]): string[] => [
  ...new Set(citations.toSorted((a, b) => a.start - b.start).map(({ quote }) => quote.replace(ROW, cellsOf))),
];

const ROW = /^[ \t]*\|.*\|[ \t]*$/gm;

const cellsOf = (row: string): string =>
  row
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())
    .filter((cell) => cell !== "")
    .join(" · ");

/** What was computed from tables for the references of an answer, by their `evidenceId`. */
export function computedIn({ references }: Pick<Answer, "references">): Pick<ConversationTurn, "computed"> {
  const found = references.flatMap(({ evidenceId, computed }) => (computed ? [[evidenceId, computed] as const] : []));
  return found.length > 0 ? { computed: Object.fromEntries(found) } : {};
}

/**
 * Returns what a figure rests on as lines of text, which are not sanitised: of each table, how many rows, the first three
 * of them with their numbers, and which columns lack values. Several tables have their addresses.
 */
export function tableLines({ tables }: Computed, language: string): string[] {
  const say = messagesIn(language).listed;
  return tables.flatMap(({ name, uri, columns, used, matched, rows, unread }) => {
    const shown = used.slice(0, MAX_ROWS).map(({ number, cells }) => `${number}: ${inLine(cells)}`);
    const left = (matched ?? rows) - shown.length;
    return [
      say.rowsOf({ matched, rows, name }) + (tables.length > 1 ? ` (${uri})` : ""),
      ...(shown.length > 0 ? [inLine(columns)] : []),
      ...shown,
      ...(left > 0 ? [say.more(left)] : []),
      ...unread.map(({ column, cells }) => say.noValue(column, cells)),
    ];
  });
}

const MAX_ROWS = 3;

/** Cells in one line of at most 300 characters; a dash stands for an empty one. */
function inLine(cells: readonly string[]): string {
  const line = cells.map((cell) => cell.trim() || "–").join(" · ");
  return line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH).toWellFormed()}…` : line;
}

const MAX_LINE_LENGTH = 300;

/** Joins title and section, unless the section begins with the title, as a first heading often does. */
export const placeOf = (title: string, section: string) =>
  section === title || section.startsWith(`${title} › `) ? section : [title, section].filter(Boolean).join(" › ");
