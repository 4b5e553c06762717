import type { Span } from "../types/evidence.js";

/** A block of Markdown or plain text; no sentence reaches across its edges. */
export type Block = Span & { kind: "prose" | "item" | "row" | "heading" | "code" };

/**
 * Cuts a text into blocks by its lines: paragraphs with their hard-wrapped lines, list items with the lines indented under
 * them, table rows, headings (also underlined ones), and groups of code lines. Offsets are into `text`. List markers, fences and rulers belong to
 * no block.
 */
export function blocks(text: string): Block[] {
  const found: Block[] = [];
  let open: Block | undefined;
  let fence = "";
  const close = () => {
    if (open) found.push(open);
    open = undefined;
  };
  const extend = (kind: Block["kind"], start: number, end: number) => {
    if (open) open.end = end;
    else open = { start, end, kind };
  };

  for (const { index, 0: line } of text.matchAll(/[^\n]*\n?/g)) {
    const content = line.trim();
    const from = index + (line.length - line.trimStart().length);
    const to = from + content.length;
    const mark = /^(?:`{3,}(?=[^`]*$)|~{3,})/.exec(content)?.[0];
    if (fence !== "") {
      const isEnd = mark === content && mark.startsWith(fence);
      if (content !== "" && !isEnd) extend("code", from, to);
      else close();
      if (isEnd) fence = "";
      continue;
    }
    const isNothing = mark !== undefined || content === "" || RULER.test(content);
    if (UNDERLINE.test(content) && open?.kind === "prose" && isLine(text.slice(open.start, index)))
      open.kind = "heading";
    const heading = /^#{1,6}[ \t]+/.exec(content)?.[0].length;
    const isRow = content.startsWith("|") || ROW.test(content);
    const item = ITEM.exec(content)?.[0].length;
    if (isNothing || heading || isRow || item) close();
    if (mark) fence = mark;
    if (isNothing) continue;
    if (heading) found.push({ start: from + heading, end: to, kind: "heading" });
    else if (isRow) found.push({ start: from, end: to, kind: "row" });
    else if (item) {
      if (item < content.length) open = { start: from + item, end: to, kind: "item" };
    } else {
      // The marks of a quoted paragraph's further lines stay inside the span; `proseSentences` skips them.
      const quoted = /^(?:>[ \t]?)+/.exec(content)?.[0].length ?? 0;
      extend("prose", quoted < content.length ? from + quoted : from, to);
    }
  }
  close();
  return found;
}

/** True for a line with its end, not followed by a blank line. */
const isLine = (text: string) => /^[^\n]+\n$/.test(text);

const UNDERLINE = /^(?:=+|-+)$/;

/** Bullets, numbers with a dot or bracket, 一、 （一） and ①. A space must follow "1." unless Chinese does. */
const ITEM =
  /^(?:>[ \t]?)*(?:[-*+•·●○▪–][ \t]+(?:\[[ xX]\][ \t]+)?|\(?\d{1,3}[.)](?:[ \t]+|(?=\p{Script=Han}))|[(（][一二三四五六七八九十\d]{1,3}[)）][ \t]*|[一二三四五六七八九十]{1,3}、|\d{1,3}、|[①-⑳][ \t]*)/u;

const RULER = /^(?:[-=*_][ \t]*){3,}$|^\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?[ \t]*)?$/;
/** A row without a leading bar needs two bars between spaces, so that prose with one bar stays prose. */
const ROW = /^[^|]+ \| [^|]+ \| /;

/** Returns the words of a piece of Markdown on one line, without its marks. What stands in code is no mark: `__name__`. */
export const plainWords = (text: string): string => withoutMarks(text, (code) => code.replaceAll("`", ""));

/** The same, but inline code keeps its backticks; two pieces of code side by side get a space. */
export const wordsAndCode = (text: string): string => withoutMarks(text, (code) => code).replaceAll("``", "` `");

function withoutMarks(text: string, write: (code: string) => string): string {
  const bare = text
    .replace(/!?\[([^\][\n]{1,300})\]\([^()\s]{0,500}(?:\s+"[^"\n]{0,200}")?\)/g, (_, words: string) => words)
    .replace(/^[ \t]*>+[ \t]?/gm, "")
    .split(INLINE_CODE)
    .map((part, i) =>
      i % 2 === 1 ? write(part) : part.replace(/\*{1,3}|`|~~|(?<![\p{L}\p{N}])_{1,3}|_{1,3}(?![\p{L}\p{N}])/gu, ""),
    )
    .join("");
  return onOneLine(bare);
}

const INLINE_CODE = /(`[^`\n]{1,500}`)/;

/** Joins the lines of a text by spaces, but not between Chinese characters. */
export const onOneLine = (text: string): string =>
  text
    .replace(/(?<=\p{Script=Han})\s*\n\s*(?=\p{Script=Han})/gu, "")
    .replace(/\s+/g, " ")
    .trim();
