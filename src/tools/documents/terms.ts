import { FUNCTION_WORDS } from "../../text/lexicon.js";
import { contentTerms, plain, terms } from "../../text/tokens.js";
import type { Passage } from "../../types/evidence.js";
import type { Column, ColumnType, TableHead } from "../../types/table.js";

/**
 * Returns the index terms of a passage: the terms of its title, section and text in order, then each Chinese character
 * alone, so that a one-character word is also found inside longer words.
 */
export const passageTerms = (passage: PassageText): string[] => indexTerms(passageText(passage));

/** Returns the terms of a text, in order, then each Chinese character alone. */
const indexTerms = (text: string): string[] =>
  [...terms(text), ...characters(plain(text))].filter(({ length }) => length <= MAX_TERM);

/** In characters: nobody searches for longer ones. */
const MAX_TERM = 256;

/**
 * Returns the index terms of a table: those of its names, of its columns and of its cells, each once and with `FIELD` between
 * them. Cells with amounts are left out, and so are other typed ones if the head does not have all.
 */
export function tableTerms({ name, title, section, notes, columns }: TableHead): string[] {
  const names = [name, title, section, ...notes].join("\n");
  const headings = columns.map((column) => column.name).join("\n");
  const isAsked = ({ type, isWhole }: Column) => type === "text" || (isWhole && !AMOUNTS.has(type));
  const cells = columns.flatMap((column) => (isAsked(column) ? column.values : [])).join("\n");
  const [first, second, third] = [names, headings, cells].map((text) => [...new Set(indexTerms(text))]);
  return [...(first ?? []), FIELD, ...(second ?? []), FIELD, ...(third ?? []).slice(0, MOST_CELLS)];
}

/** Nobody asks for a row by them. */
const AMOUNTS: ReadonlySet<ColumnType> = new Set(["money", "share", "duration"]);

/** Between the fields of the terms of a table. It is no term of a text. */
export const FIELD = "|";

/** In terms of cells. */
const MOST_CELLS = 5_000;

/** Returns the text of a passage that is analysed and embedded for search. */
export const passageText = ({ title, section, text }: PassageText) =>
  [title, section, text].filter((part) => part !== "").join("\n");

type PassageText = Pick<Passage, "title" | "section" | "text">;

/** Returns the distinct terms to search for: content words, or all words if there are none. */
export function queryTerms(text: string): string[] {
  const isContent = (one: string) => !FUNCTION_WORDS.zh.has(plain(one));
  const content = [...contentTerms(text), ...characters(plain(text)).filter(isContent)];
  const wanted = content.length > 0 ? content : [...terms(text), ...characters(plain(text))];
  return [...new Set(wanted)].slice(0, MAX_QUERY_TERMS);
}

/** In terms: about a page of text. More would take time and find little else. */
export const MAX_QUERY_TERMS = 256;

const characters = (text: string) => text.match(/\p{Script=Han}/gu) ?? [];
