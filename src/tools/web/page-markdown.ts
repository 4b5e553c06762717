import { attribute, isElement, type TreeElement } from "./html-tree.js";
import type { PageBlock, Part } from "./page-blocks.js";

/** Writes blocks as Markdown with headings, lists, quotes, tables and code, but without inline markup. */
export function blocksAsMarkdown(blocks: readonly PageBlock[]): string {
  const markOf = marks();
  const begun = new Set<Part>();
  let text = "";
  let before: { list: Part | undefined; quotes: number } | undefined;
  for (const [first, ...more] of withRowsTogether(blocks)) {
    if (!first) continue;
    const around = partsAround(first.part);
    const items = around.filter(({ element }) => ITEM.has(element.name)).slice(0, DEEPEST);
    const isTerm = !first.cells && around.some(isTermPart) && !around.some(isCodePart);
    const list = items.length === 0 && !isTerm ? undefined : around.findLast(({ element }) => LIST.has(element.name));
    const quotes = around.filter(({ element }) => element.name === "blockquote").slice(0, DEEPEST).length;
    // A term introduces its definitions, as a sentence with a colon does a list.
    let lines = wordingOf(first, more, around).replace(/(?<![:：?？.。])$/u, isTerm ? ":" : "");
    const [item, ...outer] = items;
    if (item) {
      const indent = " ".repeat(outer.reduce((sum, each) => sum + markOf(each).length, 0));
      const mark = markOf(item);
      const inner = indent + " ".repeat(mark.length);
      lines = (begun.has(item) ? inner : indent + mark) + lines.replaceAll("\n", () => `\n${inner}`);
      begun.add(item);
    }
    if (quotes > 0) lines = lines.replace(/^/gm, () => "> ".repeat(quotes));
    const together = list !== undefined && !isTerm && before?.list === list && before.quotes === quotes;
    text += text === "" ? lines : `${together ? "\n" : "\n\n"}${lines}`;
    before = { list, quotes };
  }
  return text;
}

const isTermPart = ({ element }: Part) => element.name === "dt";
const isCodePart = ({ element }: Part) => element.name === "pre";

const DEEPEST = 10;
const ITEM = new Set(["li", "dd"]);
const LIST = new Set(["ul", "ol", "dl"]);

/** Returns the part and its ancestors, innermost first. */
function partsAround(part: Part): Part[] {
  const around: Part[] = [];
  for (let up: Part | undefined = part; up; up = up.parent) around.push(up);
  return around;
}

/** Groups the rows of each table; every other block is a group of its own. */
function withRowsTogether(blocks: readonly PageBlock[]): PageBlock[][] {
  const groups: PageBlock[][] = [];
  let table: Part | undefined;
  for (const block of blocks) {
    const around = block.cells && partsAround(block.part).find(({ element }) => element.name === "table");
    if (around && around === table) groups.at(-1)?.push(block);
    else groups.push([block]);
    table = around;
  }
  return groups;
}

function wordingOf(block: PageBlock, more: readonly PageBlock[], around: readonly Part[]): string {
  if (block.cells) return tableOf([block, ...more]);
  if (around.some(isCodePart)) return fenced(block.text);
  const heading = around.find(({ element }) => /^h[1-6]$/.test(element.name));
  return heading ? `${"#".repeat(Number(heading.element.name[1]))} ${block.text.replaceAll("\n", " ")}` : block.text;
}

/** Returns a function that gives the mark of a list item: a dash, or its number. */
function marks(): (item: Part) => string {
  const numbers = new Map<TreeElement, number>();
  return ({ element }) => {
    const list = element.parent;
    if (!list || !isElement(list) || list.name !== "ol") return "- ";
    if (!numbers.has(element)) {
      let number = Number.parseInt(attribute(list, "start"), 10) || 1;
      for (const child of list.children) if (isElement(child) && child.name === "li") numbers.set(child, number++);
    }
    return `${numbers.get(element) ?? 1}. `;
  };
}

function tableOf(rows: readonly PageBlock[]): string {
  const [{ head = [] } = {}] = rows;
  const line = (cells: readonly string[]) =>
    `| ${head.map((_, i) => (cells[i] ?? "").replaceAll("|", "\\|")).join(" | ")} |`;
  const body = rows.flatMap(({ cells = [] }) => (cells === head ? [] : [line(cells)]));
  return [line(head), `|${" --- |".repeat(head.length)}`, ...body].join("\n");
}

/** Returns a code block that no line of the code can end. */
export function fenced(code: string, language = ""): string {
  const longest = [...code.matchAll(/`{3,}/g)].reduce((most, run) => Math.max(most, run[0].length), 2);
  const fence = "`".repeat(Math.min(longest + 1, 50));
  return `${fence}${language}\n${code.trimEnd()}\n${fence}`;
}
