import { visible } from "../../../language/decode.js";
import { hintsOf } from "./hints.js";
import { attribute, type Element, elementsBelow, isInline, isUnseen } from "./tree.js";

/** An element that a reader sees, with what was counted below it. */
export interface Part {
  readonly element: Element;
  readonly parent: Part | undefined;
  readonly depth: number;
  /** See `Hint`. */
  readonly hints: number;
  /** Its blocks are those from `from` to before `to`. */
  readonly from: number;
  to: number;
  /** Text weight; see `weightOf`. */
  weight: number;
  /** How much of the weight is inside links. */
  linked: number;
}

/** A run of text that stands on its own: a paragraph, a heading, an item's words, a row of a table of data. */
export interface Block {
  readonly index: number;
  /** The innermost element around it that is no part of a line. */
  readonly part: Part;
  /** One line, but for line ends that the page asks for. */
  readonly text: string;
  readonly weight: number;
  readonly linked: number;
  /** Of a row: its cells. */
  readonly cells?: readonly string[];
}

export interface Measured {
  readonly root: Part;
  readonly blocks: readonly Block[];
}

/** The weight of what is not in links. */
export const plainOf = (blocks: readonly Block[]) =>
  blocks.reduce((sum, block) => sum + block.weight - block.linked, 0);

/** Every block that a reader sees, in the order of the page, and the elements around them. */
export function measure(root: Element): Measured {
  const blocks: Block[] = [];
  let line: string[] = [];
  let linked = 0;
  let breaks = 0;

  const begun = (element: Element, parent?: Part): Part => ({
    element,
    parent,
    depth: (parent?.depth ?? -1) + 1,
    hints: hintsOf(element),
    from: blocks.length,
    to: blocks.length,
    weight: 0,
    linked: 0,
  });
  const close = (part: Part, cells?: readonly string[]) => {
    if (line.length === 0) return;
    const joined = visible(line.join(""));
    const text = isPre(part) ? joined.replace(/^\n|\s+$/g, "") : tidy(joined);
    if (text.trim() !== "" && blocks.length < MOST_BLOCKS) {
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
  const visit = (element: Element, part: Part, isLink: boolean) => {
    const pre = isPre(part);
    for (const child of element.children) {
      if (typeof child === "string") {
        line.push(pre ? child : child.replace(/\s+/g, " "));
        if (child.trim() !== "") breaks = 0;
        if (isLink) linked += weightOf(child);
      } else if (child.name === "br") {
        breaks += 1;
        if (breaks >= 2 && part.element.name !== "pre") close(part);
        else line.push("\n");
      } else if (isUnseen(child)) {
      } else if (isInline(child)) visit(child, part, isLink || (child.name === "a" && child.attributes.has("href")));
      else {
        close(part);
        const inner = begun(child, part);
        if (child.name === "tr" && isOfData(child)) close(inner, cellsOf(child, inner, isLink));
        else {
          visit(child, inner, isLink);
          close(inner);
        }
        inner.to = blocks.length;
        part.weight += inner.weight;
        part.linked += inner.linked;
      }
    }
  };
  const cellsOf = (row: Element, part: Part, isLink: boolean) =>
    row.children.flatMap((cell) => {
      if (typeof cell === "string" || !isCell(cell) || isUnseen(cell)) return [];
      const before = line.length;
      visit(cell, part, isLink);
      const text = visible(tidy(line.slice(before).join(""))).replaceAll("\n", " ");
      line.push(" ");
      return [text, ...Array<string>(spanOf(cell) - 1).fill("")];
    });

  const whole = begun(root);
  visit(root, whole, false);
  close(whole);
  whole.to = blocks.length;
  return { root: whole, blocks };
}

/** A book has fewer paragraphs; what comes after is not read. */
const MOST_BLOCKS = 10_000;

const isPre = (part: Part): boolean => part.element.name === "pre" || part.parent?.element.name === "pre";

const tidy = (text: string) =>
  text
    .replace(/[^\S\n]*\n[^\S\n]*/g, "\n")
    .replace(/[^\S\n]+/g, " ")
    .trim();

const isCell = ({ name }: Element) => name === "td" || name === "th";
const spanOf = (cell: Element) => Math.min(20, Math.max(1, Number.parseInt(attribute(cell, "colspan"), 10) || 1));

/** A row whose cells hold lines only; where cells hold paragraphs or tables, the table arranges the page. */
function isOfData(row: Element): boolean {
  let cells = 0;
  let paragraphs = 0;
  for (const below of elementsBelow(row)) {
    if (isCell(below)) cells += spanOf(below);
    else if (ARRANGED.has(below.name)) return false;
    else if (below.name === "p" || below.name === "div") paragraphs += 1;
  }
  return cells >= 2 && paragraphs <= cells && attribute(row, "role") !== "presentation";
}

const ARRANGED = new Set("table h1 h2 h3 h4 h5 h6 pre ul ol blockquote article section form".split(" "));

/**
 * How much text there is: letters and digits, those of scripts that write a word with one or two signs counting for more,
 * so that the same is said at about the same weight in every language. A letter of English weighs 1.
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
    // Chinese characters; of those beyond the basic plane, the first half.
    else if ((code >= 0x3400 && code < 0xa000) || (code >= 0xd840 && code < 0xdc00) || code >> 8 === 0xf9) weight += 3;
  }
  return weight;
}
