import MarkdownIt, { type Token } from "markdown-it";
import type { Span } from "../../types/evidence.js";

/** A block of a Markdown file. Siblings touch, children fill their parent, and each begins at the start of a line. */
export interface MarkdownNode extends Span {
  kind: "heading" | "list" | "item" | "code" | "html" | "quote" | "other";
  children: MarkdownNode[];
}

/**
 * Parses a Markdown file as it comes (CommonMark with tables) to blocks, in order; together they cover the text. What has been
 * read is no longer parsed like this: see `outlineOf`.
 * @param offset is added to every offset.
 */
export function markdownNodes(text: string, offset = 0): MarkdownNode[] {
  if (defeatsParser(text)) return textNodes(text, offset);
  return segments(text).flatMap(({ start, end }) => {
    const nodesOf = end - start > LARGEST_PARSED ? textNodes : parsed;
    return nodesOf(text.slice(start, end), offset + start);
  });
}

/** Cuts a text into paragraphs at blank lines. */
function textNodes(text: string, offset: number): MarkdownNode[] {
  const found: MarkdownNode[] = [];
  let blank = true;
  for (const { start, line } of linesOf(text)) {
    const empty = line.trim() === "";
    if (blank && !empty) found.push(node("other", offset + start));
    blank = empty;
  }
  return filled(found, offset, offset + text.length);
}

/** Returns the words of a heading without its marks, at most 200 characters. */
export function headingText(line: string): string {
  const bare = line
    .slice(0, 400)
    .replace(/^\s*#{1,6}(?=\s)|\s+#+\s*$|\r?\n\s*(?:=+|-+)\s*$/g, "")
    .replace(/\s*\{#[^}]*\}\s*$/, "");
  const children = INLINE.parseInline(bare.trim(), {})[0]?.children ?? [];
  const words = children.map((token) => (token.type === "html_inline" ? "" : token.content || " ")).join("");
  return words.replace(/\s+/g, " ").trim().slice(0, 200);
}

const INLINE = new MarkdownIt({ html: true });

/** Parses blocks alone. What is nested deeper than 30 levels stays one block. */
const BLOCKS = new MarkdownIt({ html: true, maxNesting: 30 });
BLOCKS.core.ruler.enableOnly(["normalize", "block"]);
BLOCKS.block.ruler.disable("reference");

const KINDS: Record<string, MarkdownNode["kind"]> = {
  heading_open: "heading",
  bullet_list_open: "list",
  ordered_list_open: "list",
  list_item_open: "item",
  fence: "code",
  code_block: "code",
  html_block: "html",
  blockquote_open: "quote",
};

function parsed(text: string, offset: number): MarkdownNode[] {
  const lines = [...linesOf(text)].map(({ start }) => offset + start);
  const root: MarkdownNode[] = [];
  const open: MarkdownNode[][] = [root];
  for (const token of BLOCKS.parse(text, {})) {
    if (token.nesting < 0) open.pop();
    const siblings = open.at(-1) ?? root;
    const found = token.nesting < 0 || token.type === "inline" ? undefined : nodeOf(token, lines);
    if (found && found.start > (siblings.at(-1)?.start ?? -1)) siblings.push(found);
    if (token.nesting > 0) open.push(found ? found.children : siblings);
  }
  return filled(root, offset, offset + text.length);
}

function nodeOf(token: Token, lines: readonly number[]): MarkdownNode | undefined {
  const start = token.map ? lines[token.map[0]] : undefined;
  return start === undefined ? undefined : node(KINDS[token.type] ?? "other", start);
}

const node = (kind: MarkdownNode["kind"], start: number): MarkdownNode => ({ kind, start, end: start, children: [] });

/** Extends every node to the start of the next, so that blank lines and what the parser skips belong to one. */
function filled(nodes: MarkdownNode[], start: number, end: number): MarkdownNode[] {
  nodes.forEach((each, i) => {
    each.start = i === 0 ? start : each.start;
    each.end = nodes[i + 1]?.start ?? end;
    filled(each.children, each.start, each.end);
  });
  return nodes;
}

/** Cuts a large text into parts, so that parsing takes bounded memory. A part ends where no block can go on. */
function segments(text: string): Span[] {
  const found: Span[] = [];
  let start = 0;
  let fence = "";
  let blank = true;
  for (const { start: at, line } of linesOf(text)) {
    const mark = /^[ \t]*(`{3,}|~{3,})/.exec(line)?.[1];
    const apart = fence === "" && (/^#{1,6}[ \t]/.test(line) || (blank && /^[^\s>]/.test(line)));
    if (apart && at - start > SEGMENT) {
      found.push({ start, end: at });
      start = at;
    }
    if (mark && fence === "") fence = mark;
    else if (mark?.startsWith(fence) && line.trim() === mark) fence = "";
    blank = line.trim() === "";
  }
  return [...found, { start, end: text.length }];
}

/** In characters. A part without a place to cut it is read as plain text above the second. */
const SEGMENT = 256 * 1024;
const LARGEST_PARSED = 4 * 1024 * 1024;

const MOST_QUOTES = 200;

/** True if quotes begin again and again in one run of lines: markdown-it takes quadratic time, and no real text does it. */
function defeatsParser(text: string): boolean {
  let quotes = 0;
  let quoted = false;
  for (const { line } of linesOf(text)) {
    const quote = /^[\s*+\-\d.)]{0,200}>/.test(line);
    if (line.trim() === "") quotes = 0;
    else if (quote && !quoted) quotes += 1;
    if (quotes > MOST_QUOTES) return true;
    quoted = quote;
  }
  return false;
}

function* linesOf(text: string): Generator<{ start: number; line: string }> {
  for (const match of text.matchAll(/[^\r\n]*(?:\r\n?|\n|$)/g)) yield { start: match.index, line: match[0] };
}
