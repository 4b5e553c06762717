import type { Block, Part } from "./blocks.js";
import { attribute, type Element } from "./tree.js";

/** Blocks as Markdown: headings, lists, quotes, tables and code keep their form; inside a sentence no marks are added. */
export function asMarkdown(blocks: readonly Block[]): string {
  const numbers = new Map<Element, number>();
  const begun = new Set<Part>();
  let text = "";
  let before: Place | undefined;
  for (let i = 0; i < blocks.length; i++) {
    const block = blocks[i];
    if (!block) continue;
    const place = placeOf(block.part);
    let lines = "";
    if (block.cells && place.table) {
      const rows = [block.cells];
      for (let next = blocks[i + 1]; next?.cells && placeOf(next.part).table === place.table; next = blocks[i + 1]) {
        rows.push(next.cells);
        i += 1;
      }
      lines = tableOf(rows);
    } else if (place.code) lines = fenced(block.text);
    else if (place.heading > 0) lines = `${"#".repeat(place.heading)} ${block.text.replaceAll("\n", " ")}`;
    else lines = block.text;
    const { item } = place;
    if (item) {
      const mark = markOf(item, numbers);
      const indent = "  ".repeat(Math.min(DEEPEST, place.lists) - 1);
      const inner = `${indent}${" ".repeat(mark.length)}`;
      lines = lines.replaceAll("\n", () => `\n${inner}`);
      lines = begun.has(item) ? inner + lines : `${indent}${mark}${lines}`;
      begun.add(item);
    }
    if (place.quotes > 0) lines = lines.replace(/^/gm, () => "> ".repeat(Math.min(DEEPEST, place.quotes)));
    const together =
      before !== undefined && place.list !== undefined && before.list === place.list && before.quotes === place.quotes;
    text += text === "" ? lines : `${together ? "\n" : "\n\n"}${lines}`;
    before = place;
  }
  return text;
}

interface Place {
  heading: number;
  code: boolean;
  item: Part | undefined;
  /** The outermost list around it. */
  list: Part | undefined;
  lists: number;
  quotes: number;
  table: Element | undefined;
}

function placeOf(part: Part): Place {
  const place: Place = {
    heading: 0,
    code: false,
    item: undefined,
    list: undefined,
    lists: 0,
    quotes: 0,
    table: undefined,
  };
  for (let up: Part | undefined = part; up; up = up.parent) {
    const { name } = up.element;
    if (/^h[1-6]$/.test(name)) place.heading ||= Number(name.slice(1));
    else if (name === "pre") place.code = true;
    else if (name === "li") place.item ??= up;
    else if (name === "ul" || name === "ol") {
      if (place.item) {
        place.list = up;
        place.lists += 1;
      }
    } else if (name === "blockquote") place.quotes += 1;
    else if (name === "table") place.table ??= up.element;
  }
  if (place.lists === 0) place.item = undefined;
  return place;
}

const DEEPEST = 10;

/** The mark of a list item: a dash, or its number in an ordered list. */
function markOf({ element }: Part, numbers: Map<Element, number>): string {
  const list = element.parent;
  if (list?.name !== "ol") return "- ";
  if (!numbers.has(element)) {
    let number = Number.parseInt(attribute(list, "start"), 10) || 1;
    for (const child of list.children)
      if (typeof child !== "string" && child.name === "li") numbers.set(child, number++);
  }
  return `${numbers.get(element) ?? 1}. `;
}

function tableOf(rows: readonly (readonly string[])[]): string {
  const columns = Math.min(100, Math.max(...rows.map((row) => row.length)));
  const line = (cells: readonly string[]) =>
    `| ${Array.from({ length: columns }, (_, i) => (cells[i] ?? "").replaceAll("|", "\\|")).join(" | ")} |`;
  const [head = [], ...rest] = rows;
  return [line(head), `|${" --- |".repeat(columns)}`, ...rest.map(line)].join("\n");
}

function fenced(text: string): string {
  const longest = [...text.matchAll(/`{3,}/g)].reduce((most, run) => Math.max(most, run[0].length), 2);
  const fence = "`".repeat(Math.min(longest + 1, 50));
  return `${fence}\n${text}\n${fence}`;
}
