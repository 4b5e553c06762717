import type { Span } from "../types/evidence.js";

/** A block of Markdown or plain text. */
export interface Block extends Span {
  kind: "prose" | "item" | "row" | "heading" | "code" | "html";
  /** The level of a heading, from 1: its number of `#` marks, or 1 or 2 by its underline. 0 for anything else. */
  depth: number;
  /** True for a row with a ruler below it. */
  isRuled: boolean;
  /** True below a list item. */
  isListed: boolean;
  /** Its lines, with the marks before it and the fences, the underline or the ruler around it. */
  lines: Span;
}

/**
 * Cuts a text into blocks by its lines: paragraphs with their hard-wrapped lines, list items with the lines indented
 * under them, table rows, headings (also underlined ones), fenced code, and HTML up to a blank line or the end of its
 * comment or script.
 */
export function blocks(text: string): Block[] {
  const found: Block[] = [];
  /** The block that the next line may continue. */
  let open: Block | undefined;
  /** Open code or HTML, which goes on up to a line that ends it. */
  let raw: { kind: "code" | "html"; start: number; isEnd: (content: string) => boolean } | undefined;
  let isListed = false;
  const add = (kind: Block["kind"], line: number, start: number, end: number, depth = 0): Block => {
    const lines = { start: raw?.start ?? line, end };
    const block = { kind, start, end, depth, isRuled: false, isListed, lines };
    found.push(block);
    return block;
  };
  const extend = (block: Block, end: number) => {
    block.end = end;
    block.lines.end = end;
  };

  for (const { index, 0: line } of text.matchAll(/[^\r\n]*(?:\r\n?|\n|$)/g)) {
    const content = line.trim();
    const from = index + (line.length - line.trimStart().length);
    const to = from + content.length;
    const item = raw ? undefined : ITEM.exec(content)?.[0].length;
    if (!raw && (item || /^\S/.test(line))) isListed = item !== undefined;
    const fence = raw ? undefined : /^(?:(`{3,})[^`]*|(~{3,}).*)$/.exec(content);
    if (fence) {
      const [, mark = fence[2] ?? ""] = fence;
      raw = { kind: "code", start: index, isEnd: (other) => other.startsWith(mark) && /^(?:`+|~+)$/.test(other) };
      open = undefined;
      continue;
    }
    const tag =
      raw || (!isListed && INDENTED.test(line)) ? null : (open?.kind === "prose" ? HTML : ANY_TAG).exec(content);
    if (tag) {
      const { comment, instruction, whole } = tag.groups ?? {};
      const end = comment ? /-->/ : instruction ? /\?>/ : whole ? new RegExp(`</${whole}>`, "i") : /^$/;
      raw = { kind: "html", start: index, isEnd: (other) => end.test(other) };
      open = undefined;
    }
    if (raw) {
      const isEnd = raw.isEnd(content);
      if (isEnd && raw.kind === "code" && open) open.lines.end = to;
      else if (content !== "" && open) extend(open, to);
      else if (content !== "" && !(isEnd && raw.kind === "code")) open = add(raw.kind, index, from, to);
      if (isEnd) raw = open = undefined;
      continue;
    }
    const isUnderline = UNDERLINE.test(content) && open?.kind === "prose" && isLine(text.slice(open.start, index));
    if (open && isUnderline) {
      open.kind = "heading";
      open.depth = content.startsWith("=") ? 1 : 2;
      open.lines.end = to;
    }
    const last = found.at(-1);
    const isTableRuler = TABLE_RULER.test(content);
    if (isTableRuler && last?.kind === "row" && isLine(text.slice(last.end, index))) {
      last.isRuled = true;
      last.lines.end = to;
    }
    const isNothing = content === "" || isUnderline || isTableRuler || RULER.test(content);
    const heading = /^#{1,6}(?=[ \t])/.exec(content)?.[0].length;
    const isRow = content.startsWith("|") || ROW.test(content);
    if (isNothing || heading || isRow || item) open = undefined;
    if (isNothing) continue;
    if (heading) add("heading", index, to - content.slice(heading).trimStart().length, to, heading);
    else if (isRow) add("row", index, from, to);
    else if (item) {
      if (item < content.length) open = add("item", index, from + item, to);
    } else if (open) extend(open, to);
    else {
      // The quote marks of a paragraph's later lines stay inside the span; `proseSentences` skips them.
      const quoted = /^(?:>[ \t]?)+/.exec(content)?.[0].length ?? 0;
      open = add("prose", index, quoted < content.length ? from + quoted : from, to);
    }
  }
  return found;
}

/** Finds the lines of code, fenced or indented. Indented text that reads like a sentence is not code. */
export const codeIn = (text: string, all: readonly Block[] = blocks(text)): Span[] =>
  all.flatMap(({ kind, start, end, isListed, lines }) => {
    const isIndented = kind === "prose" && !isListed && INDENTED.test(text.slice(lines.start, start));
    const words = isIndented ? text.slice(start, end) : "";
    const reads = /[.!?。！？]["'”’)）]?\s*$/u.test(words) && !/[{};=<>]/.test(words);
    return kind === "code" || (isIndented && !reads) ? [lines] : [];
  });

const INDENTED = /^(?: {4}|\t)/;

/** True for one line, or the rest of one, including its line end. */
const isLine = (text: string) => /^[^\r\n]*(?:\r\n?|\n)$/.test(text);

const UNDERLINE = /^(?:=+|-+)$/;

/** Bullets, numbers with a dot or bracket, 一、 （一） and ①. A space must follow "1." unless Chinese does. */
const ITEM =
  /^(?:>[ \t]?)*(?:[-*+•·●○▪–][ \t]+|\(?\d{1,3}[.)](?:[ \t]+|(?=\p{Script=Han}))|[(（][一二三四五六七八九十\d]{1,3}[)）][ \t]*|[一二三四五六七八九十]{1,3}、|\d{1,3}、|[①-⑳][ \t]*)/u;

/**
 * Opens a block of HTML, even in the middle of a paragraph. Between paragraphs, so does any tag that is alone on its
 * line.
 */
const HTML =
  /^(?:(?<comment><!--)|<(?<whole>script|style|pre|textarea)(?=[\s>]|$)|(?<instruction><\?)|<!|<\/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?=[\s/>]|$))/i;
const ANY_TAG = new RegExp(`${HTML.source}|^</?[a-z][\\w-]*(?:\\s[^<>]*)?/?>$`, "i");

const RULER = /^(?:[-=*_][ \t]*){3,}$/;
const TABLE_RULER = /^(?:>[ \t]?)*\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?[ \t]*)?$/;
/** A row without a leading bar needs two bars between spaces, so that prose with one bar stays prose. */
const ROW = /^[^|]+ \| [^|]+ \| /;
