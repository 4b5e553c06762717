import { plainWords } from "../text/markup.js";
import { cells } from "../text/tables.js";
import type { Passage, SourceDocument, Span } from "../types/evidence.js";
import type { Table } from "../types/table.js";
import { dataRows, NOTE } from "./data-rows.js";

/** A section of a document, with the blocks under its heading. */
interface Section {
  /** The headings above it and its own, with its place. */
  name: string;
  /** The same, without its place. */
  path: readonly string[];
  /** Its page, sheet or time; empty if the document has none. */
  place: string;
  reviewedAt: string;
  blocks: readonly TextBlock[];
}

interface TextBlock extends Span {
  kind: string;
  /** Only for a row of a table: its line. */
  row?: Span;
  /** Only for the first row of a table: its line and the ruler below it. */
  head?: Span;
}

/** A table as it stands in the text: from here on, every row has as many cells as the header. */
interface WrittenTable {
  section: Section;
  head: readonly string[];
  /** The line of the header. */
  headLine: string;
  rows: Span[];
  /** The last lines above it and the first lines below it. */
  above: readonly string[];
  below: readonly string[];
}

/**
 * Reads the tables of a document with a header and at least two rows, typed by value. A table of more than 1,000,000 cells
 * is left out.
 * @param sections all sections, in the order of the text, which together hold all blocks.
 * @param passageAt returns the passage that holds an offset of the text.
 */
export function readTables(
  { documentId, uri, title, text, metadata = {} }: SourceDocument,
  sections: readonly Section[],
  passageAt: (offset: number) => Passage | undefined,
): Table[] {
  const tables: Table[] = [];
  for (const written of tablesIn(text, sections)) {
    const { head, section, above, below } = written;
    if (written.rows.length < LEAST_ROWS || written.rows.length * head.length > MOST_CELLS) continue;
    const rows = written.rows.map((span) => ({ start: span.start, cells: fitted(rowCells(text, span), head.length) }));
    const language = passageAt(rows[0]?.start ?? 0)?.language ?? "en";
    const names = uniqueNames(head.map(plainWords));
    const table = dataRows(names, rows, language);
    if (!table || table.rows.length < LEAST_ROWS) continue;
    const titled = above.findIndex(isTitle);
    tables.push({
      id: tableId(documentId, tables.length),
      documentId,
      name: nameOf(above[titled], section, title),
      title,
      uri,
      section: section.name,
      reviewedAt: section.reviewedAt,
      language,
      columns: table.columns,
      rows: table.rows.length,
      firstRows: table.rows.slice(0, FIRST_ROWS).map((row) => row.cells),
      struck: table.struck,
      notes: [...(titled < 0 ? [] : above.slice(titled + 1)), ...table.notes, ...below],
      metadata,
      cells: table.rows.map((row) => row.cells),
      values: table.values,
      passages: table.rows.map((row) => passageAt(row.start)?.position ?? 0),
    });
  }
  return tables;
}

export const tableId = (documentId: string, position: number): string => `${documentId}#table${position}`;

const LEAST_ROWS = 2;
const LEAST_COLUMNS = 2;
const MOST_CELLS = 1_000_000;
const FIRST_ROWS = 3;

/** Finds the tables of a text. One that goes on under the same header, with nothing between, is one table. */
function tablesIn(text: string, sections: readonly Section[]): WrittenTable[] {
  const found: WrittenTable[] = [];
  /** The table that the next row belongs to. */
  let open: WrittenTable | undefined;
  for (const section of sections) {
    section.blocks.forEach((block, i) => {
      const { row, head } = block;
      if (head && row) {
        const headLine = text.slice(row.start, row.end);
        if (open?.headLine === headLine) return;
        const above = linesAround(text, section.blocks.slice(Math.max(0, i - MOST_LINES), i).reverse()).reverse();
        open = { section, headLine, head: rowCells(text, row), rows: [], above, below: [] };
        if (open.head.length >= LEAST_COLUMNS) found.push(open);
      } else if (row) open?.rows.push(row);
      else {
        const after = section.blocks.slice(i, i + MOST_LINES);
        if (open) open.below = linesAround(text, after).filter((line) => NOTE.test(line));
        open = undefined;
      }
    });
  }
  return found;
}

/** Lines that are looked at above and below a table. */
const MOST_LINES = 3;

/** Returns the first blocks that are short paragraphs of one line, as plain words. */
function linesAround(text: string, blocks: readonly TextBlock[]): string[] {
  const end = blocks.findIndex(({ kind }) => kind !== "prose");
  const lines = blocks.slice(0, end < 0 ? blocks.length : end).map(({ start, end }) => text.slice(start, end).trim());
  const long = lines.findIndex((line) => line.length > LONGEST_TITLE || line.includes("\n"));
  return lines.slice(0, long < 0 ? lines.length : long).map(plainWords);
}

/** In characters. */
const LONGEST_TITLE = 120;

/** True for a line that names what stands below it. False for a sentence, and for a line such as "Owner: Ann". */
const isTitle = (line: string) =>
  line !== "" && !/[.。!?！？;；,，]$/.test(line) && (NUMBERED.test(line) || !/^[^:：(（]{1,40}[:：]\s*\S/.test(line));

const NUMBERED = /^(?:table|tab\.|表)\s*\d/i;

/** A table is called by its caption, else by the heading or the sheet it stands under, else by its file. */
function nameOf(caption: string | undefined, { path, place }: Section, title: string): string {
  const sheet = UNNAMED.test(place) ? "" : place;
  return caption?.replace(/\s*[:：]$/, "") || path.at(-1) || sheet || title;
}

/** Pages, slides, and sheets that nobody named. */
const UNNAMED = /^(?:p\.|slide|sheet|table|第|幻灯片|工作表)\s*\d*\s*(?:页|张)?$/i;

/** Returns the cells of a row, which may stand in a quotation. */
const rowCells = (text: string, { start, end }: Span): string[] =>
  cells(text.slice(start, end).replace(/^(?:>[ \t]?)+/, ""));

function fitted(row: string[], width: number): string[] {
  if (row.length > width) return row.slice(0, width);
  while (row.length < width) row.push("");
  return row;
}

/** Numbers names that repeat, whatever their case, the first of them too: none of them alone is "Amount". */
function uniqueNames(names: readonly string[]): string[] {
  const counts = Map.groupBy(names, (name) => name.toLowerCase());
  const taken = new Set<string>();
  const numbers = new Map<string, number>();
  return names.map((wanted) => {
    const isOnly = counts.get(wanted.toLowerCase())?.length === 1;
    let number = numbers.get(wanted.toLowerCase()) ?? 0;
    let name = wanted;
    if (!isOnly)
      do {
        number += 1;
        name = wanted !== "" ? `${wanted} (${number})` : number === 1 ? "" : `${number}`;
      } while ((name !== "" && counts.has(name.toLowerCase())) || taken.has(name.toLowerCase()));
    numbers.set(wanted.toLowerCase(), number);
    taken.add(name.toLowerCase());
    return name;
  });
}
