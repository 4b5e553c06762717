import { attribute, isElement, isText, isUnseen, type TreeElement } from "./html-tree.js";

/** A table of data, as its readers see it. */
export interface DataTable {
  /** What stands above its columns; empty if its rows are lines, such as "Owner: Ann". */
  readonly head: readonly string[];
  /** The row that holds the header; undefined if a column does. */
  readonly headRow: TreeElement | undefined;
  readonly rows: readonly DataRow[];
}

interface DataRow {
  readonly element: TreeElement;
  readonly cells: readonly string[];
}

/** A row of a table, with the cells that reach into it from above. */
interface Row {
  element: TreeElement;
  cells: Cell[];
  isInHead: boolean;
}

interface Cell {
  element: TreeElement;
  isHead: boolean;
  across: number;
  /** True for a cell of an earlier row. */
  isFromAbove: boolean;
}

/** Returns the text of a cell on one line. */
type ReadCell = (cell: TreeElement, isHead: boolean) => string;

/**
 * Reads a table of data. A cell over several rows has the same text in each. A value over several columns is the value
 * of each, and so is a header; a label over several columns stands in the first. A cell over all columns names the rows
 * below it: its text goes into a column without a header. Several rows of headers become one. A header in the first
 * column becomes the row of headers. Undefined for a table that only arranges its page.
 */
export function dataTable(table: TreeElement, read: ReadCell): DataTable | undefined {
  const all = withTitles(rowsOf(table));
  const wide = all.filter(({ cells }) => cells.length > 1);
  const columns = Math.max(0, ...wide.map(widthOf));
  if (columns === 0 || columns > MOST_COLUMNS || !isOfData(table, all, wide)) return undefined;
  const known = new Map<TreeElement, string>();
  const textOf = ({ element }: Cell, isHead: boolean) => {
    const text = known.get(element) ?? read(element, isHead);
    known.set(element, text);
    return text;
  };
  if (wide.every(isOfPairs) || isLabelled(wide))
    return { head: [], headRow: undefined, rows: all.flatMap((row) => pairsIn(row, textOf)) };
  const isSideways = all.every(({ cells: [first, ...more] }) => first?.isHead && more.some(({ isHead }) => !isHead));
  if (isSideways && all.length > 1) {
    const lines = all.map(({ cells }) => spread(cells, columns, (cell, i) => textOf(cell, i === 0), true));
    const rows = Array.from({ length: columns - 1 }, (_, i) => lines.map((cells) => cells[i + 1] ?? ""));
    const [{ element } = { element: table }] = all;
    return {
      head: lines.map(([name = ""]) => name),
      headRow: undefined,
      rows: rows.map((cells) => ({ element, cells })),
    };
  }
  if (!hasHeader(wide, columns))
    return { head: [], headRow: undefined, rows: all.map((row) => inOneLine(row, columns, textOf)) };
  const headed = headerRows(all);
  const head = joined(headed.map(({ cells }) => spread(cells, columns, (cell) => textOf(cell, true), true)));
  let group = "";
  const rows = all
    .filter((row) => !headed.includes(row))
    .map(({ element, cells }) => {
      const [only] = cells;
      if (!only || !isOverAll(cells, columns))
        return { element, group, cells: spread(cells, columns, (cell) => textOf(cell, false), false) };
      const text = textOf(only, false);
      // A sentence is a note, and names nothing.
      if (!/[.!?。！？]$/u.test(text)) group = text;
      return { element, group: text, cells: [] };
    });
  // A name of rows stands in each of them.
  const told = rows.filter(({ group, cells }, i) => cells.length > 0 || rows[i + 1]?.group !== group);
  const isGrouped = rows.some((row) => row.group !== "");
  return {
    head: isGrouped ? ["", ...head] : head,
    headRow: headed[0]?.element,
    rows: told.map(({ element, group, cells }) => ({ element, cells: isGrouped ? [group, ...cells] : cells })),
  };
}

const MOST_COLUMNS = 100;

const widthOf = ({ cells }: Row) => cells.reduce((sum, { across }) => sum + across, 0);

/** Returns the rows of a table that are seen. */
function rowsOf(table: TreeElement): Row[] {
  const groups = table.children.filter(isElement).filter((child) => !isUnseen(child));
  return groups.flatMap((group) => {
    const elements = group.name === "tr" ? [group] : GROUPS.has(group.name) ? group.children.filter(isElement) : [];
    let above = new Map<number, { cell: Cell; rows: number }>();
    return elements
      .filter((element) => element.name === "tr" && !isUnseen(element))
      .map((element): Row => {
        const below: typeof above = new Map();
        const cells: Cell[] = [];
        let at = 0;
        const place = (cell: Cell, rows: number) => {
          if (rows > 1) below.set(at, { cell: { ...cell, isFromAbove: true }, rows: rows - 1 });
          cells.push(cell);
          at += cell.across;
        };
        const placeAbove = () => {
          for (let one = above.get(at); one; one = above.get(at)) place(one.cell, one.rows);
        };
        for (const cell of element.children) {
          if (!isElement(cell) || !CELLS.has(cell.name) || isUnseen(cell)) continue;
          placeAbove();
          place(
            { element: cell, isHead: isHead(cell), across: spanOf(cell, "colspan", 20), isFromAbove: false },
            spanOf(cell, "rowspan", 100),
          );
        }
        placeAbove();
        above = below;
        return { element, cells, isInHead: group.name === "thead" };
      })
      .filter(({ cells }) => cells.length > 0);
  });
}

/** Makes the only filled cell of a row above a table, as spreadsheets have it, a cell over all columns. Drops blank rows. */
function withTitles(all: readonly Row[]): Row[] {
  const rows = all
    .map((row) => ({ row, filled: row.cells.filter(({ element }) => !isBlank(element)) }))
    .filter(({ filled }) => filled.length > 0);
  const first = rows.findIndex(({ filled }) => filled.length > 1);
  return rows.map(({ row, filled: [only] }, i) =>
    i < first && only && row.cells.length > 1 ? { ...row, cells: [{ ...only, across: widthOf(row) }] } : row,
  );
}

const isBlank = (element: TreeElement): boolean =>
  element.children.every((child) =>
    isElement(child)
      ? !SHOWING.has(child.name) && (isUnseen(child) || isBlank(child))
      : !isText(child) || child.data.trim() === "",
  );

/** Elements that show something without text. */
const SHOWING: ReadonlySet<string> = new Set(["img", "input", "select", "svg", "picture", "i"]);

const GROUPS: ReadonlySet<string> = new Set(["thead", "tbody", "tfoot"]);
const CELLS: ReadonlySet<string> = new Set(["td", "th"]);

const spanOf = (cell: TreeElement, name: "colspan" | "rowspan", most: number) =>
  Math.min(most, Math.max(1, Number.parseInt(attribute(cell, name), 10) || 1));

const isHead = (cell: TreeElement) => cell.name === "th" || /^(?:col|row)(?:group)?$/.test(attribute(cell, "scope"));

const isOverAll = ([only, ...more]: readonly Cell[], columns: number) =>
  only !== undefined && more.length === 0 && !only.isFromAbove && (only.across > 1 || columns === 1);

/**
 * True unless a table only arranges its page: such a table declares no header, and its cells hold tables, headings, forms
 * or long text.
 */
function isOfData(table: TreeElement, all: readonly Row[], wide: readonly Row[]): boolean {
  if (/^(?:presentation|none)$/.test(attribute(table, "role"))) return false;
  const cells = all.flatMap((row) => row.cells.filter(({ isFromAbove }) => !isFromAbove));
  const isDeclared =
    cells.some((cell) => cell.isHead) || table.children.some((child) => isElement(child) && DECLARING.has(child.name));
  const holding = cells.map(({ element }) => contentOf(element));
  if (holding.some(({ isPart, size }) => isPart || size > (isDeclared ? LONG : SHORT))) return false;
  if (isDeclared) return true;
  if (holding.some(({ tables }) => tables > 0)) return false;
  if (wide.length < 2) return isLabelled(wide);
  const first = wide[0]?.cells.map(({ element }) => contentOf(element)) ?? [];
  const isNamed = first.every(({ blocks, size, lists }) => blocks <= 1 && lists === 0 && size <= LONGEST_NAME);
  const blocks = holding.reduce((sum, held) => sum + held.blocks, 0);
  return isNamed || (blocks <= cells.length && holding.every(({ lists }) => lists === 0));
}

const DECLARING: ReadonlySet<string> = new Set(["caption", "thead"]);

/** In characters: cells of a table that declares a header, cells of any other table, and the name of a column. */
const LONG = 3_000;
const SHORT = 600;
const LONGEST_NAME = 80;

interface CellContent {
  /** In characters. */
  size: number;
  /** Paragraphs and the like that hold no other block. */
  blocks: number;
  lists: number;
  tables: number;
  /** True if it holds what only a part of a page holds. */
  isPart: boolean;
}

function contentOf(cell: TreeElement): CellContent {
  const held: CellContent = { size: 0, blocks: 0, lists: 0, tables: 0, isPart: false };
  let headings = 0;
  const visit = (element: TreeElement): void => {
    for (const child of element.children) {
      if (isText(child)) held.size += child.data.trim().length;
      if (!isElement(child) || isUnseen(child)) continue;
      const { name } = child;
      if (name === "table") held.tables += 1;
      else if (PARTS.has(name)) held.isPart = true;
      else if (name === "ul" || name === "ol" || name === "pre" || name === "blockquote") held.lists += 1;
      else if (/^h[1-6]$/.test(name)) headings += 1;
      else if (
        (name === "p" || name === "div") &&
        !child.children.some((each) => isElement(each) && BLOCKS.has(each.name))
      )
        held.blocks += 1;
      visit(child);
    }
  };
  visit(cell);
  // A heading may be all that a cell holds: some editors have no other way to make a header.
  if (headings > 1 || (headings === 1 && held.blocks + held.lists + held.tables > 0)) held.isPart = true;
  return held;
}

const PARTS: ReadonlySet<string> = new Set(["form", "article", "section", "nav", "aside", "main", "header", "footer"]);
const BLOCKS: ReadonlySet<string> = new Set(["p", "div", "ul", "ol", "table", "pre", "blockquote"]);

/** True for cells that are a name and its value in turns: "Owner", "Ann", "Phone", "12". */
const isOfPairs = ({ cells }: Row) => cells.length % 2 === 0 && cells.every((cell, i) => cell.isHead === (i % 2 === 0));

/** True for rows of a name and its value, if the names are marked by a colon or by bold letters. */
const isLabelled = (rows: readonly Row[]) =>
  rows.length > 0 &&
  rows.every(({ cells }) => cells.length === 2) &&
  (rows.every(({ cells: [name] }) => name && /[:：]\s*$/.test(wordsIn(name.element))) ||
    rows.every(({ cells: [name, value] }) => name && value && isBold(name.element) && !isBold(value.element)));

function wordsIn({ children }: TreeElement): string {
  return children
    .map((child) => (isText(child) ? child.data : isElement(child) && !isUnseen(child) ? wordsIn(child) : ""))
    .join("")
    .slice(0, SHORT);
}

const isBold = (element: TreeElement): boolean => {
  const children = element.children.filter((child) => !isText(child) || child.data.trim() !== "");
  return children.length > 0 && children.every((child) => isElement(child) && (BOLD.has(child.name) || isBold(child)));
};

const BOLD: ReadonlySet<string> = new Set(["b", "strong"]);

/** Writes the pairs of a row as lines. */
function pairsIn({ element, cells }: Row, textOf: (cell: Cell, isHead: boolean) => string): DataRow[] {
  const texts = cells.map((cell) => textOf(cell, false));
  const starts = Array.from({ length: Math.ceil(texts.length / 2) }, (_, i) => 2 * i);
  return starts.map((i) => {
    const [name = "", value = ""] = texts.slice(i, i + 2);
    const mark =
      name === "" || value === ""
        ? ""
        : /：$/.test(name)
          ? ""
          : /:$/.test(name)
            ? " "
            : /\p{Script=Han}$/u.test(name)
              ? "："
              : ": ";
    return { element, cells: [`${name}${mark}${value}`] };
  });
}

/** Writes a row of a table without headers: "Chair: EUR 5", "1. Open the valve." */
function inOneLine(row: Row, columns: number, textOf: (cell: Cell, isHead: boolean) => string): DataRow {
  const texts = spread(row.cells, columns, (cell) => textOf(cell, false), false).filter((text) => text !== "");
  const [first = "", second, ...more] = texts;
  const isPair = second !== undefined && more.length === 0;
  const mark = /^\d{1,3}[.)]$/.test(first) ? " " : ": ";
  return { element: row.element, cells: [isPair ? `${first}${mark}${second}` : texts.join("; ")] };
}

/**
 * False if the first row is as the others: nothing marks it, and a number in it has the form of those below it, such as
 * "EUR 5", "1." or "08:00". A year may name a column.
 */
function hasHeader([first, ...others]: readonly Row[], columns: number): boolean {
  if (!first || others.length === 0 || first.isInHead || first.cells.length !== columns) return true;
  const texts = first.cells.map(({ element }) => wordsIn(element).trim());
  const isMarked = first.cells.some(({ element, isHead }, i) => isHead || isBold(element) || texts[i] === "");
  if (isMarked) return true;
  return !texts.some((text, i) => {
    if (!/\d/.test(text) || /^(?:19|20)\d\d$/.test(text)) return false;
    const below = others.map(({ cells }) => cells[i] && wordsIn(cells[i].element).trim());
    return below.every((other) => other !== undefined && formOf(other) === formOf(text));
  });
}

const formOf = (text: string) => text.replace(/\d+(?:[.,]\d+)*/g, "0").replace(/\s+/g, " ");

/** Returns the rows that name the columns. */
function headerRows(all: readonly Row[]): Row[] {
  const declared = all.filter(({ isInHead, cells }) => isInHead && cells.length > 1);
  if (declared.length > 0) return declared;
  const first = all.findIndex(({ cells }) => cells.length > 1);
  const end = all.findIndex(({ cells }, i) => i >= first && !cells.every(isOfHeader));
  const run = all.slice(first, end < 0 ? all.length : end).filter(({ cells }) => cells.length > 1);
  // A table of nothing but headers has one row of them.
  return run.length === 0 || end < 0 ? all.slice(first, first + 1) : run;
}

/** True for a header, and for an empty cell, as in the corner of a table. */
const isOfHeader = ({ element, isHead }: Cell) => isHead || isBlank(element);

/**
 * Returns the texts of a row, one for each column.
 * @param isAll true if a cell over several columns has its text in each, even if it is the first.
 */
function spread(
  cells: readonly Cell[],
  columns: number,
  textOf: (cell: Cell, column: number) => string,
  isAll: boolean,
): string[] {
  const texts: string[] = [];
  for (const cell of cells) {
    const text = textOf(cell, texts.length);
    const isRepeated = (isAll || texts.length > 0) && text.length <= LONGEST_NAME * 2;
    for (let i = 0; i < cell.across; i++) texts.push(i === 0 || isRepeated ? text : "");
  }
  return Array.from({ length: columns }, (_, i) => texts[i] ?? "");
}

/** Joins the headers that stand one above the other. */
const joined = (rows: readonly (readonly string[])[]): string[] =>
  (rows[0] ?? []).map((_, i) => [...new Set(rows.map((row) => row[i] ?? ""))].filter((name) => name !== "").join(" "));
