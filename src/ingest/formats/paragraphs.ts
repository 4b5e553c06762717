import { type Item, inLine, listed, type SpendCharacters } from "./content.js";
import { tables } from "./table.js";

// What RTF and the old Word format have in common: paragraphs one after the other, of which some end cells and rows.

/** A paragraph, a cell or the end of a row. */
export type Paragraph = {
  /** With marks. */
  words: string;
  /** Of a heading, from 1; 0 for other paragraphs. */
  level: number;
  item: Pick<Item, "depth" | "number"> | undefined;
  /** Notes and comments, each a block of its own after the paragraph or its table. */
  beside: readonly string[];
} & ({ place: "text" | "in a cell" | "ends a cell" } | { place: "ends a row"; row: RowShape });

/** Where the cells of a row are. */
export interface RowShape {
  /** The right edges of the cells, in any unit; empty if unknown. The last edge may be missing. */
  edges: readonly number[];
  /** The left edge of the first cell. */
  start: number;
  /** By cell: whether it is merged with the one above. */
  goesOn: readonly boolean[];
}

/** Writes paragraphs as Markdown blocks. */
export function inBlocks(paragraphs: readonly Paragraph[], spend: SpendCharacters): string {
  const written: string[] = [];
  let items: Item[] = [];
  let rows: (RowShape & { cells: string[] })[] = [];
  let cells: string[] = [];
  let cell: string[] = [];
  let beside: string[] = [];
  const endList = () => {
    written.push(listed(items));
    items = [];
  };
  const endTable = () => {
    if (cell.length > 0) cells.push(cell.join(" "));
    if (cells.length > 0) rows.push({ cells, edges: [], start: 0, goesOn: [] });
    if (rows.length > 0) {
      const table = inColumns(rows, spend);
      // A table of one column is a box around text.
      written.push(
        table.every((row) => row.length < 2) ? table.flat().filter(Boolean).join("\n\n") : tables(table, spend),
      );
    }
    written.push(...beside);
    [rows, cells, cell, beside] = [[], [], [], []];
  };
  for (const paragraph of paragraphs) {
    const { words, level, item, place } = paragraph;
    const shown = words.trim();
    if (place === "text") {
      endTable();
      if (shown !== "" && level > 0) {
        endList();
        written.push(`${"#".repeat(Math.min(6, level))} ${[item?.number, inLine(shown)].filter(Boolean).join(" ")}`);
      } else if (shown !== "" && item) items.push({ words: shown, ...item });
      else if (shown !== "") {
        endList();
        written.push(shown);
      }
      if (paragraph.beside.length > 0) {
        endList();
        written.push(...paragraph.beside);
      }
      continue;
    }
    endList();
    beside.push(...paragraph.beside);
    if (place === "ends a row") {
      if (shown !== "") cell.push(inLine(shown));
      if (cell.length > 0) cells.push(cell.join(" "));
      rows.push({ cells, ...paragraph.row });
      [cells, cell] = [[], []];
      continue;
    }
    if (shown !== "") cell.push(inLine([item?.number, shown].filter(Boolean).join(" ")));
    if (place === "ends a cell") {
      cells.push(cell.join(" "));
      cell = [];
    }
  }
  endTable();
  endList();
  return written.filter((part) => part !== "").join("\n\n");
}

/**
 * Returns the cells by column. A cell that spans several columns is in the first of them, and one that is merged with the
 * one above repeats its text.
 */
function inColumns(rows: readonly (RowShape & { cells: readonly string[] })[], spend: SpendCharacters): string[][] {
  const areKnown = rows.every(({ edges, cells }) => edges.length >= cells.length);
  // Edges that differ by less than a letter's width are one.
  const lefts: number[] = [];
  if (areKnown)
    for (const at of rows.flatMap(({ start, edges }) => [start, ...edges.slice(0, -1)]).sort((a, b) => a - b))
      if (lefts.length === 0 || at - (lefts.at(-1) ?? 0) > NEAR) lefts.push(at);
  const columnOf = ({ start, edges }: RowShape, cell: number) => {
    const left = cell === 0 ? start : (edges[cell - 1] ?? 0);
    return Math.max(
      0,
      lefts.findLastIndex((at) => at <= left + NEAR),
    );
  };
  const filled: string[][] = [];
  for (const row of rows) {
    const columns: string[] = Array(lefts.length).fill("");
    row.cells.forEach((text, i) => {
      const column = areKnown ? columnOf(row, i) : i;
      const above = filled.at(-1)?.[column] ?? "";
      const isBelow = (row.goesOn[i] ?? false) && text === "";
      if (isBelow) spend(above.length);
      columns[column] = [columns[column], isBelow ? above : text].filter(Boolean).join(" ");
    });
    spend(columns.length);
    filled.push(Array.from(columns, (text) => text ?? ""));
  }
  return filled;
}

/** In twentieths of a point. */
const NEAR = 60;
