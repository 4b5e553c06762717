import type { Span } from "../types/evidence.js";

/** A piece of Markdown, or of plain text, that a sentence cannot reach across. */
export type Block = Span & { kind: "prose" | "item" | "row" | "heading" | "code" };

/**
 * Cuts a text into blocks by its lines: paragraphs (hard-wrapped lines joined), list items with what is indented under
 * them, table rows, headings, and groups of code lines. Offsets are into `text`, without markers' leading space;
 * markers, fences and rulers are left out.
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

  for (const { start, end, line } of lines(text)) {
    const content = line.trim();
    const from = start + (line.length - line.trimStart().length);
    const to = from + content.length;
    const mark = /^(?:`{3,}(?=[^`]*$)|~{3,})/.exec(content)?.[0];
    if (fence !== "") {
      if (mark?.startsWith(fence) && content === mark) {
        close();
        fence = "";
      } else if (content === "") close();
      else extend("code", from, to);
      continue;
    }
    if (mark) {
      close();
      fence = mark;
      continue;
    }
    if (content === "" || RULER.test(content)) {
      close();
      continue;
    }
    const heading = /^#{1,6}[ \t]+/.exec(content);
    if (heading) {
      close();
      found.push({ start: from + heading[0].length, end: to, kind: "heading" });
      continue;
    }
    if (content.startsWith("|") || ROW.test(content)) {
      close();
      found.push({ start: from, end: to, kind: "row" });
      continue;
    }
    const item = ITEM.exec(content);
    if (item) {
      close();
      const skip = item[0].length;
      if (skip < content.length) open = { start: from + skip, end: to, kind: "item" };
      continue;
    }
    const quoted = /^(?:>[ \t]?)+/.exec(content);
    if (quoted && quoted[0].length < content.length) {
      // A quoted paragraph is hard-wrapped with its marks; they stay inside the span and are no part of the words.
      extend("prose", from + quoted[0].length, to);
      continue;
    }
    if (end > start) extend("prose", from, to);
  }
  close();
  return found;
}

/** Bullets; numbers with a dot or bracket; 一、 （一） ① and 第一条. What follows a number must be set apart by a space. */
const ITEM =
  /^(?:>[ \t]?)*(?:[-*+•·●○▪–][ \t]+(?:\[[ xX]\][ \t]+)?|\(?\d{1,3}[.)](?:[ \t]+|(?=\p{Script=Han}))|[(（][一二三四五六七八九十\d]{1,3}[)）][ \t]*|[一二三四五六七八九十]{1,3}、|\d{1,3}、|[①-⑳][ \t]*)/u;

const RULER = /^(?:[-=*_][ \t]*){3,}$|^\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?[ \t]*)?$/;
/** A row without a leading bar needs two bars set apart by spaces, so that prose with a bar in it stays prose. */
const ROW = /^[^|]+ \| [^|]+ \| /;

function* lines(text: string): Generator<{ start: number; end: number; line: string }> {
  let start = 0;
  while (start <= text.length) {
    const at = text.indexOf("\n", start);
    const end = at < 0 ? text.length : at;
    yield { start, end, line: text.slice(start, end) };
    start = end + 1;
  }
}
