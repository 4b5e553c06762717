import { visible } from "../../corpus/decode.js";
import { isUnseen } from "./hidden.js";
import { hintsOf } from "./hints.js";
import { attribute, type Element, elementsBelow, INLINE } from "./tree.js";

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
  /** How much of the weight is inside links. */
  readonly linked: number;
  /** How much of it is bold. */
  readonly bold: number;
  /** How much of it is slanted. */
  readonly slanted: number;
  readonly links: number;
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
  let line = fresh();
  const close = (part: Part, cells?: readonly string[]) => {
    if (line.pieces.length === 0) return;
    const joined = visible(line.pieces.join(""));
    const text = isPre(part) ? joined.replace(/^\n|\s+$/g, "") : tidy(joined);
    if (text.trim() !== "" && blocks.length < MOST_BLOCKS) {
      const { linked, bold, slanted, links } = line;
      const weight = weightOf(text);
      part.weight += weight;
      part.linked += Math.min(linked, weight);
      blocks.push({
        index: blocks.length,
        part,
        text,
        weight,
        linked: Math.min(linked, weight),
        bold,
        slanted,
        links,
        ...(cells && { cells }),
      });
    }
    line = fresh();
  };
  const visit = (element: Element, part: Part, linked: boolean, bold: boolean, slanted: boolean) => {
    const pre = isPre(part);
    const { children } = element;
    for (const child of children) {
      if (typeof child === "string") {
        line.pieces.push(pre ? child : child.replace(/\s+/g, " "));
        line.breaks = child.trim() === "" ? line.breaks : 0;
        if (linked || bold || slanted) {
          const weight = weightOf(child);
          if (linked) line.linked += weight;
          if (bold) line.bold += weight;
          if (slanted) line.slanted += weight;
        }
        continue;
      }
      const { name } = child;
      if (name === "br") {
        line.breaks += 1;
        if (line.breaks >= 2 && part.element.name !== "pre") close(part);
        else line.pieces.push("\n");
        continue;
      }
      if (isUnseen(child)) continue;
      if (isInline(child)) {
        const link = name === "a" && child.attributes.has("href");
        if (link) line.links += 1;
        visit(
          child,
          part,
          linked || link,
          bold || name === "b" || name === "strong",
          slanted || name === "i" || name === "em",
        );
        continue;
      }
      close(part);
      const inner: Part = {
        element: child,
        parent: part,
        depth: part.depth + 1,
        hints: hintsOf(child),
        from: blocks.length,
        to: blocks.length,
        weight: 0,
        linked: 0,
      };
      if (name === "tr" && isOfData(child)) {
        const cells: string[] = [];
        for (const cell of child.children) {
          if (typeof cell === "string" || (cell.name !== "td" && cell.name !== "th") || isUnseen(cell)) continue;
          const before = line.pieces.length;
          visit(cell, inner, linked, bold || cell.name === "th", slanted);
          cells.push(tidy(line.pieces.slice(before).join("")).replaceAll("\n", " "));
          line.pieces.push(" ");
        }
        close(inner, cells);
      } else {
        visit(child, inner, linked, bold, slanted);
        close(inner);
      }
      finish(inner);
    }
  };
  const finish = (part: Part) => {
    part.to = blocks.length;
    if (!part.parent) return;
    part.parent.weight += part.weight;
    part.parent.linked += part.linked;
  };
  const whole: Part = { element: root, parent: undefined, depth: 0, hints: 0, from: 0, to: 0, weight: 0, linked: 0 };
  visit(root, whole, false, false, false);
  close(whole);
  finish(whole);
  return { root: whole, blocks };
}

/** A book has fewer paragraphs; what comes after is not read. */
const MOST_BLOCKS = 10_000;

const fresh = () => ({ pieces: [] as string[], linked: 0, bold: 0, slanted: 0, links: 0, breaks: 0 });

const isPre = (part: Part): boolean => part.element.name === "pre" || part.parent?.element.name === "pre";

const tidy = (text: string) =>
  text
    .replace(/[^\S\n]*\n[^\S\n]*/g, "\n")
    .replace(/[^\S\n]+/g, " ")
    .trim();

const isInline = (element: Element) => !element.holdsBlocks && (INLINE.has(element.name) || element.name.includes("-"));

/** A row whose cells hold lines only; where cells hold paragraphs or tables, the table arranges the page. */
function isOfData(row: Element): boolean {
  let cells = 0;
  let paragraphs = 0;
  for (const below of elementsBelow(row)) {
    if (below.name === "td" || below.name === "th") cells += 1;
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
    } else if (code < 0x1100) weight += code > 0xbf ? 1 : 0;
    else if (code < 0x2000) weight += code < 0x1200 ? 2 : 1;
    else if (code < 0x3041) weight += code > 0x2e7f && code < 0x2fe0 ? 3 : 0;
    else if (code < 0x3400) weight += 2;
    else if (code < 0xa000) weight += 3;
    else if (code >= 0xac00 && code < 0xd7a4) weight += 2.2;
    else if (code >= 0xd840 && code < 0xdc00) weight += 3;
    else if (code >= 0xf900 && code < 0xfb00) weight += 3;
  }
  return weight;
}
