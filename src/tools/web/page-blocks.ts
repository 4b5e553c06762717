import { checkBox } from "../../text/marks.js";
import {
  formulaIn,
  type HtmlTree,
  isElement,
  isInline,
  isNoteMark,
  isText,
  isUnseen,
  type TreeElement,
} from "./html-tree.js";
import { controlsOf, shownBy, statusMark } from "./page-controls.js";
import { cellOf, lineOf, type Piece, type Raised, tidy } from "./page-line.js";
import { looksOf } from "./page-looks.js";
import { panelsOf } from "./page-panels.js";
import { type DataTable, dataTable } from "./page-tables.js";

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
  /** The cells of a row of data, or of the header itself. */
  readonly cells?: readonly string[];
  /** The header of the row's table. */
  readonly head?: readonly string[];
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
  const looks = looksOf($);
  const controls = controlsOf($);
  const panels = panelsOf($);
  const blocks: PageBlock[] = [];
  /** Check boxes whose marks are written. */
  const marked = new Set<TreeElement>();
  let line: Piece[] = [];
  let linked = 0;
  /** The weight of words that are no running text, such as those of pictures. */
  let beside = 0;
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
  const shut = (inner: Part, part: Part) => {
    inner.to = blocks.length;
    part.weight += inner.weight;
    part.linked += inner.linked;
  };
  const add = (part: Part, text: string, row: Pick<PageBlock, "cells" | "head"> = {}) => {
    if (text.trim() !== "" && blocks.length < most) {
      const weight = Math.max(0, weightOf(text) - beside);
      const block = { index: blocks.length, part, text, weight, linked: Math.min(linked, weight), ...row };
      part.weight += weight;
      part.linked += block.linked;
      blocks.push(block);
    }
    linked = 0;
    beside = 0;
    breaks = 0;
  };
  /** @param isBefore true if a block follows inside the same element, for which a lone check box is meant. */
  const close = (part: Part, isBefore = false) => {
    if (line.length === 0) return;
    const joined = lineOf(line);
    const text = isPre(part) ? joined.replace(/^\n|\s+$/g, "") : tidy(joined);
    if (isBefore && /^\[[x ]\]$/.test(text)) return;
    line = [];
    add(part, MARKS_ONLY.test(text) ? "" : text);
  };

  const visit = (element: TreeElement, part: Part, way: Way) => {
    const pre = isPre(part);
    const push = (text: string, more: Partial<Piece> = {}) =>
      line.push({ text, isStruck: way.isStruck, raised: way.raised, ...more });
    const mark = (isChecked: boolean | undefined) => {
      if (isChecked !== undefined && !way.isMarked) push(` ${checkBox(isChecked)} `);
    };
    for (const child of element.children) {
      if (isText(child)) {
        push(pre ? child.data : child.data.replace(/\s+/g, " "));
        if (child.data.trim() !== "") breaks = 0;
        if (way.isLink) linked += weightOf(child.data);
      }
      if (!isElement(child)) continue;
      const isButton = child.name === "button" && (panels.buttons.has(child) || controls.checked(child) !== undefined);
      if (child.name === "br") {
        breaks += 1;
        if (breaks >= 2 && part.element.name !== "pre" && !way.isCell) close(part);
        else push("\n");
        continue;
      }
      const words = shownBy($, child);
      if (words !== "") {
        push(` ${words.replace(/\s+/g, " ")} `);
        if (way.isLink) linked += weightOf(words);
        else beside += weightOf(words);
      }
      const isChecked = controls.checked(child);
      if (child.name === "input" && !marked.has(child)) {
        mark(isChecked);
        marked.add(child);
      }
      if (child.name === "picture") visit(child, part, way);
      if (isUnseen(child) && !isButton && !panels.opened.has(child)) continue;
      if (child.name === "math") push(formulaIn($, child));
      else if (child.name === "ac:task-status") push(statusMark($(child).text()));
      else if (child.name !== "ac:task-id" && child.name !== "ac:task-uuid") enter(child, part, way, isChecked);
    }
  };

  const enter = (child: TreeElement, part: Part, way: Way, isChecked: boolean | undefined) => {
    const raised = looks.raised(child);
    if (raised === "sup" && isNoteMark(child)) return;
    const isLink = way.isLink || (child.name === "a" && child.attribs.href !== undefined);
    const isStruck = way.isStruck || looks.isStruck(child);
    const isMarked = way.isMarked ? child.name !== "li" : isChecked !== undefined;
    const inner: Way = { ...way, isLink, isStruck, isMarked };
    // Two struck numbers side by side are not one.
    if (looks.isStruck(child) && line.at(-1)?.isStruck && !way.isStruck) line.push({ text: " ", isStruck: false });
    const markIn = (isNew: boolean) => {
      if (isNew && isChecked !== undefined) line.push({ text: ` ${checkBox(isChecked)} `, isStruck: false });
      const box = child.name === "label" && !isMarked ? controls.boxOf(child) : undefined;
      if (box && !marked.has(box))
        line.push({ text: ` ${checkBox(box.attribs.checked !== undefined)} `, isStruck: false });
      if (box) marked.add(box);
    };
    const isNew = !way.isMarked || child.name === "li";
    const isBox = isChecked !== undefined && child.children.length === 0;
    if (isInline(child) || isBox || child.name === "button") {
      markIn(isNew);
      const start = line.length;
      visit(child, part, { ...inner, raised: raised ?? way.raised });
      // A superscript is one piece, whatever is in it.
      if (raised && line.length > start + 1) {
        const text = line.splice(start).map((piece) => piece.text);
        line.push({ text: text.join(""), isStruck, raised });
      }
    } else if (way.isCell) {
      line.push(BREAK);
      markIn(isNew);
      const nested = child.name === "table" ? dataTable(child, readerIn(part, inner)) : undefined;
      if (nested)
        line.push(...nested.rows.flatMap(({ cells }) => [{ text: inWords(nested.head, cells), isStruck }, BREAK]));
      else visit(child, part, inner);
      line.push(BREAK);
    } else {
      close(part, true);
      const own = opened(child, part);
      const label = panels.labels.get(child);
      if (label !== undefined) add(own, `${label}:`);
      markIn(isNew);
      const table = child.name === "table" ? dataTable(child, readerIn(own, inner)) : undefined;
      if (table) addTable(child, table, own, inner);
      else visit(child, own, inner);
      close(own);
      shut(own, part);
    }
  };

  /** What the cells of tables hold in links and in words beside their text, by weight. */
  const held = new Map<TreeElement, { linked: number; beside: number }>();
  /** Returns a function that reads a cell on one line. */
  const readerIn = (part: Part, way: Way) => (cell: TreeElement, isHead: boolean) => {
    const around = { line, linked, beside };
    [line, linked, beside] = [[], 0, 0];
    const isStruck =
      way.isStruck || [cell, cell.parent, cell.parent?.parent].some((up) => up && isElement(up) && looks.isStruck(up));
    visit(cell, part, { ...way, isCell: true, isStruck });
    const text = cellOf(line, isHead);
    held.set(cell, { linked, beside });
    ({ line, linked, beside } = around);
    return text;
  };

  const addTable = (element: TreeElement, table: DataTable, part: Part, way: Way) => {
    for (const child of element.children)
      if (isElement(child) && child.name === "caption" && !isUnseen(child)) enter(child, part, way, undefined);
    const { head, headRow, rows } = table;
    const addRow = (row: TreeElement, cells: readonly string[]) => {
      const own = opened(row, part);
      for (const cell of row.children.filter(isElement)) {
        linked += held.get(cell)?.linked ?? 0;
        beside += held.get(cell)?.beside ?? 0;
        held.delete(cell);
      }
      if (head.length === 0) add(own, cells.join(" "));
      else add(own, cells.join(" "), { cells, head });
      shut(own, part);
    };
    if (headRow) addRow(headRow, head);
    for (const row of rows) addRow(row.element, row.cells);
  };

  const [root] = $("html");
  const whole = opened(root as TreeElement);
  visit(whole.element, whole, { isLink: false, isStruck: false, isMarked: false, isCell: false, raised: undefined });
  close(whole);
  whole.to = blocks.length;
  return { root: whole, blocks };
}

/** What is known of the text inside an element. */
interface Way {
  isLink: boolean;
  isStruck: boolean;
  /** True inside an item whose check box is written already. */
  isMarked: boolean;
  /** True inside a cell of a table of data. */
  isCell: boolean;
  raised: Raised | undefined;
}

const BREAK: Piece = { text: "", isStruck: false, isBreak: true };

const MOST_BLOCKS = 10_000;

/** Check boxes without words, such as those that switch the tabs of a page. */
const MARKS_ONLY = /^(?:\[[x ]\]\s*)+$/;

const inWords = (head: readonly string[], cells: readonly string[]) =>
  cells.flatMap((cell, i) => (cell === "" ? [] : head[i] ? `${head[i]}: ${cell}` : cell)).join(", ");

const isPre = (part: Part) => part.element.name === "pre" || part.parent?.element.name === "pre";

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
