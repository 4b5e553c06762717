import type { Span } from "../types/evidence.js";
import { withoutLinks } from "./markup.js";
import { memoize } from "./memoize.js";
import { asks, isAnaphoric, proseSentences, sizeOf } from "./prose.js";
import { hasWords } from "./tokens.js";

/** What a text says in one place: a sentence, a heading, a table row or a group of code lines. */
export interface OutlineUnit extends Span {
  kind: Block["kind"];
  text: string;
  /** As `sizeOf` counts it. */
  size: number;
  /** The headings above it, outermost first. The units of one section share the array. */
  headings: readonly string[];
  /** The same for all rows of one table and all sentences of one list; its own for anything else. */
  group: object;
  /** For a row, the first row of its table, which names the columns; undefined for that row itself. */
  head: OutlineUnit | undefined;
  /** For a row, true if there is a ruler below the first row of its table. */
  isRuled: boolean;
  /** For a sentence of a list, the unit with a colon that introduces the list. */
  lead: OutlineUnit | undefined;
  /** Where its words start: at an earlier sentence of its item, or one that names what its first pronoun means. */
  from: number;
  /** False for headings, first rows of tables, questions and bare links. */
  states: boolean;
}

/**
 * Reads a text, Markdown or plain, into units: trimmed, in order, never overlapping, each with at least one letter or
 * digit. No sentence reaches across a heading, a list item, a table row or a group of code lines. Memoised, for about a
 * thousand passages.
 */
export const outlineOf: (text: string) => readonly OutlineUnit[] = memoize((source) => {
  const units: OutlineUnit[] = [];
  let above: readonly { depth: number; text: string }[] = [];
  let headings: readonly string[] = [];
  /** The units with a colon above, outermost first: a list in a list has one of its own. */
  let leads: readonly OutlineUnit[] = [];
  for (const block of blocks(source)) {
    const { kind, depth } = block;
    for (const { start, end } of spansIn(source, block)) {
      const text = source.slice(start, end);
      const last = units.at(-1);
      const before = last?.kind === kind ? last : undefined;
      let own = headings;
      if (kind === "heading") {
        above = above.filter((one) => one.depth < depth);
        own = above.map((one) => one.text);
        above = [...above, { depth, text }];
        headings = [...own, text];
      }
      const isFirst = !before || (kind !== "item" && kind !== "row") || (block.isRuled && start === block.start);
      const head = isFirst || kind !== "row" ? undefined : (before.head ?? before);
      leads = kind === "item" ? leads.filter((one) => one.kind !== "item" || isDeeper(source, start, one)) : [];
      const unit: OutlineUnit = {
        start,
        end,
        kind,
        text,
        size: sizeOf(text),
        headings: own,
        head,
        lead: leads.at(-1),
        group: isFirst ? {} : before.group,
        isRuled: head?.isRuled ?? block.isRuled,
        from: before && leansOn(before, start, source) ? startWith(before, end) : start,
        states: kind !== "heading" && (kind !== "row" || head !== undefined) && !asks(text) && saysMore(text),
      };
      if (introduces(text)) leads = [...leads, unit];
      units.push(unit);
    }
  }
  return units;
}, 1_000_000);

/** Puts a list item behind the sentence that introduces its list: "Bring: a passport". */
export const underLead = (lead: string, item: string): string => `${lead}${lead.endsWith("：") ? "" : " "}${item}`;

/** True for what introduces a list, a table or a block of code. */
export const introduces = (words: string): boolean => /[:：]\s*$/.test(words);

/** True if there are words besides links and addresses. */
const saysMore = (words: string) => hasWords(withoutLinks(words));

/** True if the line at `start` is indented further than that of `other`. */
const isDeeper = (source: string, start: number, other: Span) => indent(source, other.start) < indent(source, start);

const indent = (source: string, start: number) =>
  /^[^\S\n]*/.exec(source.slice(source.lastIndexOf("\n", start) + 1, start))?.[0].length ?? 0;

/** True if a sentence of an item or a paragraph needs the one before it. Another paragraph may have another author. */
function leansOn(before: OutlineUnit, start: number, source: string): boolean {
  const between = source.slice(before.end, start);
  if (before.kind === "item") return !/\S/.test(between);
  return before.kind === "prose" && !/\n[^\S\n]*\n/.test(between) && isAnaphoric(source.slice(start, start + 40));
}

const startWith = (before: OutlineUnit, end: number) => (end - before.from > LONGEST_RUN ? before.start : before.from);

/** In characters. "It arrived in May. It holds two tons." says of what only with the sentence before both. */
export const LONGEST_RUN = 500;

/** Cuts a block into sentences, and what is too long anywhere. */
function spansIn(text: string, block: Block): Span[] {
  const isWhole = block.kind === "heading" || block.kind === "row";
  const spans = isWhole ? [block] : block.kind === "code" ? codeGroups(text, block) : proseSentences(text, block);
  return spans.flatMap((span) => shortened(text, span)).filter(({ start, end }) => hasWords(text.slice(start, end)));
}

/** Cuts code at its blank lines. */
const codeGroups = (text: string, { start, end }: Span): Span[] =>
  [...text.slice(start, end).matchAll(/\S[^\n]*(?:\n[ \t\r]*\S[^\n]*)*/g)].map(({ index, 0: lines }) => ({
    start: start + index,
    end: start + index + lines.trimEnd().length,
  }));

/** In characters. A longer sentence (a log, a minified file) is cut, at a space if there is one. */
const LONGEST_SENTENCE = 1200;

function shortened(text: string, { start, end }: Span): Span[] {
  const parts: Span[] = [];
  let from = start;
  while (end - from > LONGEST_SENTENCE) {
    const window = text.slice(from, from + LONGEST_SENTENCE);
    const space = Math.max(window.lastIndexOf(" "), window.lastIndexOf("\n"), window.lastIndexOf("，") + 1);
    let to = from + (space > LONGEST_SENTENCE / 2 ? space : LONGEST_SENTENCE);
    if (/[\udc00-\udfff]/.test(text.charAt(to))) to -= 1;
    parts.push(trimmed(text, { start: from, end: to }));
    from = trimmed(text, { start: to, end }).start;
  }
  return [...parts, { start: from, end }];
}

/** Returns the span without white space at its edges; a span of nothing else is empty. */
function trimmed(text: string, { start, end }: Span): Span {
  const words = text.slice(start, end).trimStart();
  return { start: end - words.length, end: end - words.length + words.trimEnd().length };
}

/** A block of Markdown or plain text. */
export interface Block extends Span {
  kind: "prose" | "item" | "row" | "heading" | "code" | "html";
  /** The level of a heading, from 1: its number of `#` marks, or 1 or 2 by what underlines it. 0 for anything else. */
  depth: number;
  /** True for a row with a ruler below it. */
  isRuled: boolean;
  /** True under an item of a list. */
  isListed: boolean;
  /** Its lines, with the marks before it and the fences, the underline or the ruler around it. */
  lines: Span;
}

/**
 * Cuts a text into blocks by its lines: paragraphs with their hard-wrapped lines, list items with the lines indented under
 * them, table rows, headings (also underlined ones), fenced code, and HTML up to a blank line or the end of its comment or
 * script.
 */
export function blocks(text: string): Block[] {
  const found: Block[] = [];
  /** The block that the next line may continue. */
  let open: Block | undefined;
  let fence = "";
  let fenced = 0;
  /** What ends the open HTML: a line with it. */
  let closing: RegExp | undefined;
  let isListed = false;

  for (const { index, 0: line } of text.matchAll(/[^\r\n]*(?:\r\n?|\n|$)/g)) {
    const content = line.trim();
    const from = index + (line.length - line.trimStart().length);
    const to = from + content.length;
    const add = (kind: Block["kind"], start: number, depth = 0): Block => {
      const block = { kind, start, end: to, depth, isRuled: false, isListed, lines: { start: index, end: to } };
      found.push(block);
      return block;
    };
    const extend = (block: Block) => {
      block.end = to;
      block.lines.end = to;
    };
    const mark = /^(?:`{3,}(?=[^`]*$)|~{3,})/.exec(content)?.[0];
    if (fence !== "") {
      const isEnd = mark === content && mark.startsWith(fence);
      if (isEnd) {
        fence = "";
        if (open) open.lines.end = to;
        open = undefined;
      } else if (content !== "" && open) extend(open);
      else if (content !== "") {
        open = add("code", from);
        open.lines.start = fenced;
      }
      continue;
    }
    const last = found.at(-1);
    const item = ITEM.exec(content)?.[0].length;
    if (item || /^\S/.test(line)) isListed = item !== undefined;
    const html =
      closing || (!isListed && INDENTED.test(line))
        ? undefined
        : (open?.kind === "prose" ? HTML : HTML_OR_TAG).exec(content);
    if (html) {
      const { comment, raw } = html.groups ?? {};
      closing = comment ? /-->/ : raw ? new RegExp(`</${raw}>`, "i") : /^$/;
      open = undefined;
    }
    if (closing) {
      if (open) extend(open);
      else open = add("html", from);
      if (closing.test(content)) closing = open = undefined;
      continue;
    }
    const isUnderline = UNDERLINE.test(content) && open?.kind === "prose" && isLine(text.slice(open.start, index));
    if (open && isUnderline) {
      open.kind = "heading";
      open.depth = content.startsWith("=") ? 1 : 2;
      open.lines.end = to;
    }
    const isTableRuler = TABLE_RULER.test(content);
    if (isTableRuler && last?.kind === "row" && isLine(text.slice(last.end, index))) {
      last.isRuled = true;
      last.lines.end = to;
    }
    const isNothing = mark !== undefined || content === "" || isUnderline || isTableRuler || RULER.test(content);
    const heading = /^#{1,6}(?=[ \t])/.exec(content)?.[0].length;
    const isRow = content.startsWith("|") || ROW.test(content);
    if (isNothing || heading || isRow || item) open = undefined;
    if (mark) {
      fence = mark;
      fenced = index;
    }
    if (isNothing) continue;
    if (heading) add("heading", to - content.slice(heading).trimStart().length, heading);
    else if (isRow) add("row", from);
    else if (item) {
      if (item < content.length) open = add("item", from + item);
    } else if (open) extend(open);
    else {
      // The marks of a quoted paragraph's further lines stay inside the span; `proseSentences` skips them.
      const quoted = /^(?:>[ \t]?)+/.exec(content)?.[0].length ?? 0;
      open = add("prose", quoted < content.length ? from + quoted : from);
    }
  }
  return found;
}

/** Finds the lines of code, fenced or indented. What is indented and reads like a sentence is none. */
export const codeIn = (text: string, all: readonly Block[] = blocks(text)): Span[] =>
  all.flatMap(({ kind, start, end, isListed, lines }) => {
    const isIndented = kind === "prose" && !isListed && INDENTED.test(text.slice(lines.start, start));
    const words = isIndented ? text.slice(start, end) : "";
    const reads = /[.!?。！？]["'”’)）]?\s*$/u.test(words) && !/[{};=<>]/.test(words);
    return kind === "code" || (isIndented && !reads) ? [lines] : [];
  });

const INDENTED = /^(?: {4}|\t)/;

/** True for a line, or the rest of one, with its end. */
const isLine = (text: string) => /^[^\r\n]*(?:\r\n?|\n)$/.test(text);

const UNDERLINE = /^(?:=+|-+)$/;

/** Bullets, numbers with a dot or bracket, 一、 （一） and ①. A space must follow "1." unless Chinese does. */
const ITEM =
  /^(?:>[ \t]?)*(?:[-*+•·●○▪–][ \t]+(?:\[[ xX]\][ \t]+)?|\(?\d{1,3}[.)](?:[ \t]+|(?=\p{Script=Han}))|[(（][一二三四五六七八九十\d]{1,3}[)）][ \t]*|[一二三四五六七八九十]{1,3}、|\d{1,3}、|[①-⑳][ \t]*)/u;

/** A tag or comment at the start of a line that may stand in the middle of a paragraph, and any tag alone on its line. */
const HTML =
  /^(?:(?<comment><!--)|<(?<raw>script|style|pre|textarea)(?=[\s>]|$)|<[?!]|<\/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?=[\s/>]|$))/i;
const HTML_OR_TAG = new RegExp(`${HTML.source}|^</?[a-z][\\w-]*(?:\\s[^<>]*)?/?>$`, "i");

const RULER = /^(?:[-=*_][ \t]*){3,}$/;
const TABLE_RULER = /^(?:>[ \t]?)*\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?[ \t]*)?$/;
/** A row without a leading bar needs two bars between spaces, so that prose with one bar stays prose. */
const ROW = /^[^|]+ \| [^|]+ \| /;
