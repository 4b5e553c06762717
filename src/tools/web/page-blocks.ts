import { visible } from "../../text/decode.js";
import {
  attribute,
  formulaIn,
  type HtmlTree,
  isElement,
  isInline,
  isText,
  isUnseen,
  type TreeElement,
} from "./html-tree.js";

/** A visible block-level element, with totals of the text in it. */
export interface Part {
  readonly element: TreeElement;
  readonly parent: Part | undefined;
  readonly depth: number;
  /** The range of its blocks, `to` excluded. */
  readonly from: number;
  to: number;
  /** Text weight; see `weightOf`. */
  weight: number;
  /** The part of the weight that is in links. */
  linked: number;
}

/** A block of text: a paragraph, a heading, a list item, a row of a data table. */
export interface PageBlock {
  readonly index: number;
  /** The innermost block-level element around it. */
  readonly part: Part;
  /** One line, except for the line breaks of `br` and `pre`. */
  readonly text: string;
  readonly weight: number;
  readonly linked: number;
  /** The cells of a row. */
  readonly cells?: readonly string[];
}

export interface Measured {
  readonly root: Part;
  readonly blocks: readonly PageBlock[];
}

/** The total weight outside links. */
export const plainOf = (blocks: readonly PageBlock[]) =>
  blocks.reduce((sum, block) => sum + block.weight - block.linked, 0);

/**
 * Splits a page into its visible blocks, in document order, and adds up the text of the elements around them.
 * @param most the most blocks; the rest is not read. Default 10,000, more than the paragraphs of a book.
 */
export function measureBlocks($: HtmlTree, most = MOST_BLOCKS): Measured {
  const blocks: PageBlock[] = [];
  let line: string[] = [];
  let linked = 0;
  let breaks = 0;

  const opened = (element: TreeElement, parent?: Part): Part => ({
    element,
    parent,
    depth: (parent?.depth ?? -1) + 1,
    from: blocks.length,
    to: blocks.length,
    weight: 0,
    linked: 0,
  });
  const close = (part: Part, cells?: readonly string[]) => {
    if (line.length === 0) return;
    const joined = visible(line.join(""));
    const text = isPre(part) ? joined.replace(/^\n|\s+$/g, "") : tidy(joined);
    if (text.trim() !== "" && blocks.length < most) {
      const weight = weightOf(text);
      const block = {
        index: blocks.length,
        part,
        text,
        weight,
        linked: Math.min(linked, weight),
        ...(cells && { cells }),
      };
      part.weight += weight;
      part.linked += block.linked;
      blocks.push(block);
    }
    line = [];
    linked = 0;
    breaks = 0;
  };
  const visit = (element: TreeElement, part: Part, isLink: boolean) => {
    const pre = isPre(part);
    for (const child of element.children) {
      if (isText(child)) {
        line.push(pre ? child.data : child.data.replace(/\s+/g, " "));
        if (child.data.trim() !== "") breaks = 0;
        if (isLink) linked += weightOf(child.data);
      }
      if (!isElement(child)) continue;
      if (child.name === "br") {
        breaks += 1;
        if (breaks >= 2 && part.element.name !== "pre") close(part);
        else line.push("\n");
      } else if (isUnseen(child)) continue;
      else if (child.name === "math") line.push(formulaIn($, child));
      else if (isInline(child)) visit(child, part, isLink || (child.name === "a" && child.attribs.href !== undefined));
      else {
        close(part);
        const inner = opened(child, part);
        if (child.name === "tr" && isOfData(child, reaching.get(child.parent)?.size ?? 0))
          close(inner, cellsOf(child, inner, isLink));
        else {
          if (child.name === "tr") reaching.set(child.parent, onward(child));
          visit(child, inner, isLink);
          close(inner);
        }
        inner.to = blocks.length;
        part.weight += inner.weight;
        part.linked += inner.linked;
      }
    }
  };
  /** Cells that reach into later rows of a group, by column, with the number of those rows. */
  const reaching = new Map<TreeElement["parent"], Map<number, { text: string; rows: number }>>();
  const onward = (row: TreeElement) =>
    new Map(
      [...(reaching.get(row.parent) ?? [])].flatMap(([i, { text, rows }]) =>
        rows > 1 ? [[i, { text, rows: rows - 1 }] as const] : [],
      ),
    );
  const cellsOf = (row: TreeElement, part: Part, isLink: boolean) => {
    const above = reaching.get(row.parent) ?? new Map<number, { text: string; rows: number }>();
    const below = new Map<number, { text: string; rows: number }>();
    const cells: string[] = [];
    const place = (text: string, rows: number) => {
      if (rows > 1) below.set(cells.length, { text, rows: rows - 1 });
      cells.push(text);
    };
    const placeAbove = () => {
      for (let one = above.get(cells.length); one; one = above.get(cells.length)) place(one.text, one.rows);
    };
    for (const cell of row.children) {
      if (!isElement(cell) || !isCell(cell) || isUnseen(cell)) continue;
      placeAbove();
      const before = line.length;
      visit(cell, part, isLink);
      const text = visible(tidy(line.slice(before).join(""))).replaceAll("\n", " ");
      line.push(" ");
      for (let i = 0; i < spanOf(cell); i++) place(i === 0 ? text : "", rowSpanOf(cell));
    }
    placeAbove();
    reaching.set(row.parent, below);
    return cells;
  };

  const [root] = $("html");
  const whole = opened(root as TreeElement);
  visit(whole.element, whole, false);
  close(whole);
  whole.to = blocks.length;
  return { root: whole, blocks };
}

const MOST_BLOCKS = 10_000;

const isPre = (part: Part) => part.element.name === "pre" || part.parent?.element.name === "pre";

const tidy = (text: string) =>
  text
    .replace(/[^\S\n]*\n[^\S\n]*/g, "\n")
    .replace(/[^\S\n]+/g, " ")
    .trim();

const isCell = ({ name }: TreeElement) => name === "td" || name === "th";
const spanOf = (cell: TreeElement) => Math.min(20, Math.max(1, Number.parseInt(attribute(cell, "colspan"), 10) || 1));

const rowSpanOf = (cell: TreeElement) =>
  Math.min(100, Math.max(1, Number.parseInt(attribute(cell, "rowspan"), 10) || 1));

/** True if a row holds data. Cells that hold blocks or tables belong to a layout table. */
function isOfData(row: TreeElement, fromAbove: number): boolean {
  let cells = fromAbove;
  let paragraphs = 0;
  for (const below of elementsBelow(row)) {
    if (isCell(below)) cells += spanOf(below);
    else if (LAYOUT.has(below.name)) return false;
    else if (below.name === "p" || below.name === "div") paragraphs += 1;
  }
  return cells >= 2 && paragraphs <= cells && attribute(row, "role") !== "presentation";
}

function* elementsBelow({ children }: TreeElement): Generator<TreeElement> {
  for (const child of children) {
    if (!isElement(child)) continue;
    yield child;
    yield* elementsBelow(child);
  }
}

const LAYOUT = new Set("table h1 h2 h3 h4 h5 h6 pre ul ol blockquote article section form".split(" "));

/**
 * Measures the amount of text: 1 for an English letter or a digit, and more for a character of scripts that need fewer
 * to write a word, so that translations weigh about the same.
 */
function weightOf(text: string): number {
  let weight = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) {
      if (code > 0x60 ? code < 0x7b : code > 0x40 ? code < 0x5b : code > 0x2f && code < 0x3a) weight += 1;
    } else if (code < 0x2000) weight += code > 0xbf ? 1 : 0;
    else if (code >= 0x3041 && code < 0x3400) weight += 2;
    else if (code >= 0xac00 && code < 0xd7a4) weight += 2.2;
    // Chinese characters; outside the basic plane, the first surrogate.
    else if ((code >= 0x3400 && code < 0xa000) || (code >= 0xd840 && code < 0xdc00) || code >> 8 === 0xf9) weight += 3;
  }
  return weight;
}
