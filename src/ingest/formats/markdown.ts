import { blocks, codeIn } from "../../text/blocks.js";
import { decode, visible } from "../../text/decode.js";
import { withCharacters } from "../../text/entities.js";
import { checkBox, signsAsBoxes, struckOut, superscript } from "../../text/marks.js";
import { dateIn, MODIFIED_WORDS } from "../../tools/web/page-dates.js";
import { raisedText } from "../../tools/web/page-line.js";
import { type FormatReader, firstHeading } from "./content.js";
import { frontMatter } from "./front-matter.js";
import { allInMarkdown } from "./html.js";

export const markdown: FormatReader = (bytes) => {
  const whole = visible(decode(bytes));
  const { title, reviewedAt, metadata, bodyStart } = frontMatter(whole);
  // Invisible characters can also be written as entities.
  const text = visible(asShown(whole.slice(bodyStart)));
  return {
    title: asShown(title).trim() || firstHeading(text),
    reviewedAt: reviewedAt || reviewLine(text),
    metadata,
    format: "markdown",
    text,
  };
};

export const plainText: FormatReader = (bytes) => {
  const whole = visible(decode(bytes));
  return { title: "", reviewedAt: reviewLine(whole), format: "text", text: whole };
};

/**
 * Returns Markdown as a reader of the page sees it: without emphasis, link targets, tags, templates and anchors. Its
 * blocks and code stay as they are, and HTML becomes Markdown. Takes linear time.
 */
export function asShown(markdown: string): string {
  const text = markdown.replaceAll("\0", "").replace(ADMONITION, asBlocks);
  const names = new Set([...text.matchAll(DEFINITION)].map(([, name = ""]) => name.toLowerCase()));
  return blocksOf(text, (part, isHtml) => inlineOf(part, names, isHtml));
}

/** A box of MkDocs: a line with its kind and title, and indented lines below it. */
const ADMONITION =
  /^(?:!!!|\?{3}\+?)[ \t]+[\w-]+(?:[ \t]+"([^"\n]*)")?[ \t]*\n((?:(?: {4}|\t).*(?:\n|$)|[ \t]*\n(?=(?: {4}|\t)\S))*)/gm;

const asBlocks = (_: string, title: string | undefined, body: string): string =>
  `${title ? `${title}\n\n` : ""}${body.replace(/^(?: {4}|\t)/gm, "")}`;

function blocksOf(text: string, inline: (part: string, isHtml: boolean) => string, isTop = true): string {
  const all = blocks(text);
  const code = new Set(codeIn(text, all));
  const startOf = (i: number) => (i === 0 ? 0 : (all[i]?.lines.start ?? text.length));
  let written = all.length === 0 ? inline(text, false) : "";
  for (let i = 0; i < all.length; i++) {
    const block = all[i];
    const start = startOf(i);
    const isTopHtml = isTop && block?.kind === "html" && !block.isListed;
    // A table with blank lines in it is several blocks.
    while (isTopHtml && all[i + 1]?.kind === "html") i += 1;
    const part = text.slice(start, startOf(i + 1));
    if (block && code.has(block.lines)) written += part;
    else if (!isTopHtml) written += inline(part, block?.kind === "html");
    else {
      const shown = allInMarkdown(part).trim();
      if (shown !== "") written += `${blocksOf(shown, inline, false)}\n\n`;
    }
  }
  return written;
}

/** A line that defines the target of a link, such as `[guide]: https://example.org`, but not a footnote. */
const DEFINITION = /^ {0,3}\[([^\]^\n][^\]\n]{0,200})\]:[ \t]*(?:\n[ \t]*)?[^\s[]\S*[ \t]*(?:["'(].*)?$\n?/gim;

/** The text of a link, which may contain brackets. */
const SHOWN = "([^[\\]]{0,500}(?:\\[[^[\\]]{0,200}\\][^[\\]]{0,200}){0,3})";
const TARGET = `\\((?:<[^<>\\n]*>|[^()\\s]*(?:\\([^()\\s]*\\)[^()\\s]*){0,9})(?:\\s+["'][^"'\\n]{0,500}["'])?\\s*\\)`;
const IMAGE = new RegExp(`!\\[${SHOWN}\\]${TARGET}`, "g");
const LINK = new RegExp(`\\[${SHOWN}\\]${TARGET}`, "g");

/** Limits the length of every match, since many marks that open and never close would take quadratic time. */
function inlineOf(part: string, names: ReadonlySet<string>, isHtml: boolean): string {
  const code: string[] = [];
  // A <name> that is never closed is a placeholder, so it stays.
  const closed = new Set([...part.matchAll(/<\/([a-z][\w:.-]*)/gi)].map(([, name = ""]) => name.toLowerCase()));
  const named = (whole: string, words: string, name?: string) =>
    names.has((name || words).toLowerCase()) ? words : whole;
  const shown = marksOf(withCode(part, (span) => `\0${code.push(span) - 1}\0`))
    .replace(/<!--[\s\S]{0,5000}?-->|<%[\s\S]{0,1000}?%>|\{\/\*[\s\S]{0,1000}?\*\/\}/g, "")
    .replace(/^(?:import\s[^\n]*?\sfrom\s+["'][^"'\n]*["'];?|export\s+(?:const|default|let)\s[^\n]*)$/gm, "")
    .replace(/^#{1,6}[ \t]*$/gm, "")
    .replace(/^\[{1,2}_?toc_?\]{1,2}[ \t]*$/gim, "")
    .replace(/^((?:[ \t]*>)+[ \t]*)\[!\w+\][+-]?[ \t]*(?:\n(?=[ \t]*>)[ \t>]*)?/gm, "$1")
    .replace(/^\[\^[^\]^\s]{1,60}\]:[ \t]*|\[\^[^\]^\s]{1,60}\]/gm, "")
    .replace(DEFINITION, "")
    .replace(IMAGE, "$1")
    .replace(LINK, "$1")
    .replace(/!\[([^[\]]{1,500})\](?:\[([^[\]]{0,200})\])?/g, named)
    .replace(/\[([^[\]]{1,500})\](?:\[([^[\]]{0,200})\])?/g, named)
    .replace(/<((?:https?|mailto):[^\s<>]{1,2000})>/gi, "$1")
    .replace(/<br\s*\/?>|(?<=\S)<\/?(?:dd|div|dt|h[1-6]|li|ol|p|td|th|tr|ul)(?:\s[^<>]{0,500})?>(?=\S)/gi, " ")
    .replace(/<(\/?)([a-z][\w:.-]*)((?:[\s@:#][^<>]{0,50000})?)(\/?)>/gi, (whole, end, name, attributes, alone) => {
      if (/^(?:img|svg)$/i.test(name)) return allInMarkdown(whole);
      return isHtml || end || attributes || alone || closed.has(name.toLowerCase()) ? "" : whole;
    })
    .replace(/\{\{[^{}\n]{0,500}\}\}|\{%[^%\n]{0,500}%\}|[ \t]*\{[#.:][^{}\n]{0,200}\}/g, "")
    .replace(/^([ \t]*):{3,}[ \t]*[\w-]*[ \t]*(.*)$/gm, (_, indent, title) => (title ? `${indent}${title}\n` : indent))
    .replace(/(?<!\*)\*{4}(?!\*)/g, "")
    .replace(/\*\*(?=[^\s*])((?:[^*]|\*(?!\*)){1,1000}?)\*\*/g, "$1")
    .replace(/(?<![\p{L}\p{N}_])__(?=[^\s_])([^\n]{1,500}?)(?<!\s)__(?![\p{L}\p{N}_])/gu, "$1")
    .replace(/(?<![\w*\\])\*(?=[^\s*])([^*\n]{1,500}?)(?<!\s)\*(?![\w*])/g, "$1")
    .replace(/(?<![\p{L}\p{N}_\\])_(?=[^\s_])([^_\n]{1,500}?)(?<!\s)_(?![\p{L}\p{N}_])/gu, "$1")
    .replace(/(?<!^[ \t]*)\\([_*[\]])/gm, "$1");
  return withCharacters(shown, inCell).replace(/\0(\d+)\0/g, (_, i: string) => code[Number(i)] ?? "");
}

/** Writes what is struck out, raised or checked in one way, whichever marks or tags a text has for it. */
const marksOf = (text: string): string =>
  signsAsBoxes(text)
    .replace(/(?<![\\$\w])\$(?![\s$])([^$\n|]{1,80}?)(?<![\s\\])\$(?![\d$])/g, powersIn)
    .replace(/(\d?)<sup>(\d{1,9})<\/sup>[ \t]*[/⁄][ \t]*<sub>(\d{1,9})<\/sub>/gi, "$1 $2/$3")
    .replace(/<(su[pb])(?:\s[^<>]{0,500})?>((?:(?!<\/?su[pb])[\s\S]){1,500}?)<\/\1>/gi, raisedBy)
    .replace(/(?<=[\p{L}\p{N})\]])\^([^\s^~|[\]]{1,20})\^(?![\w^])/gu, (_, words: string) => superscript(words))
    .replace(/(?<=[A-Za-z])~(\d{1,3}|\p{L})~(?![\d~])/gu, "$1")
    .replace(
      /<(s|del|strike)(?:\s[^<>]{0,500})?>((?:(?!<\/?\1[\s>])[\s\S]){1,2000}?)<\/\1>/gi,
      (_, __, words: string) => struckOut(words),
    )
    .replace(/\{--([^\n]{1,500}?)--\}|\{~~([^\n]{1,500}?)~>([^\n]{0,500}?)~~\}|\{\+\+([^\n]{1,500}?)\+\+\}/g, edited)
    .replace(/(?<![\p{L}\p{N}~\\])~(?=[^\s~/])([^~\n]{1,500}?)(?<!\s)~(?![\p{L}\p{N}~])/gu, "~~$1~~")
    .replace(/<input\b([^<>]{0,500})>/gi, (_, attributes: string) => boxIn(attributes))
    .replace(/^([ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+)\[X\](?=[ \t])/gm, "$1[x]");

/** Writes a formula as text if it has powers and is simple: $4 \times 10^{5}$ as 4 × 10⁵. */
function powersIn(whole: string, formula: string): string {
  const plain = formula
    .replace(/\\(?:times|cdot)(?![a-z])/gi, (name) => (name === "\\times" ? "×" : "·"))
    .replace(/\\[,;! ]/g, " ")
    .replace(/\\(?:mathrm|text|mathit|mathbf)\{([^{}]{0,40})\}/g, "$1");
  const isSimple = plain.includes("^") && !/[\\{}_^]/.test(plain.replace(POWER, ""));
  return isSimple ? plain.replace(POWER, (_, more?: string, one?: string) => superscript(more ?? one ?? "")) : whole;
}

const POWER = /\^(?:\{([^{}^\\]{1,40})\}|([\p{L}\p{N}+-]))/gu;

function raisedBy(_: string, name: string, inner: string, at: number, text: string): string {
  if (/^\s*<a\s[^<>]{0,500}href\s*=\s*["']?[^"'\s>]{0,300}#/i.test(inner)) return "";
  const raised = name.toLowerCase() === "sup" ? "sup" : "sub";
  const words = inner.replace(/<[^<>]{0,500}>/g, "");
  const next = text.slice(at + _.length, at + _.length + 1);
  return raisedText({ text: words, isStruck: false, raised }, text.slice(Math.max(0, at - 1), at), {
    text: next,
    isStruck: false,
  });
}

/** Writes the marks of an editor, such as {--deleted--}, {~~old~>new~~} and {++added++}. */
const edited = (_: string, deleted = "", old = "", now = "", added = "") =>
  [struckOut(deleted || old), now, added].filter((words) => words !== "").join(" ");

const boxIn = (attributes: string) =>
  /\btype\s*=\s*["']?(?:checkbox|radio)\b/i.test(attributes) ? checkBox(/\schecked\b/i.test(attributes)) : "";

/** A character of an entity starts neither a line nor a cell of a table. */
const inCell = (character: string) => character.replace(/\s/g, " ").replace("|", "\\|");

/** Replaces inline code, which is between two runs of equally many backticks. */
function withCode(text: string, replaced: (span: string) => string): string {
  const runs = [...text.matchAll(/`+/g)];
  const later = new Map<number, number>();
  const closing = new Map<number, number>();
  for (let i = runs.length - 1; i >= 0; i--) {
    const size = runs[i]?.[0].length ?? 0;
    const close = later.get(size);
    if (close !== undefined) closing.set(i, close);
    later.set(size, i);
  }
  let written = "";
  let at = 0;
  for (let i = 0; i < runs.length; i++) {
    const [open, close] = [runs[i], runs[closing.get(i) ?? -1]];
    if (!open || !close) continue;
    written += text.slice(at, open.index) + replaced(text.slice(open.index, close.index + close[0].length));
    at = close.index + close[0].length;
    i = closing.get(i) ?? i;
  }
  return written + text.slice(at);
}

/**
 * Returns the ISO date that a line of its own near the top or the end of a text gives as that of its last change, such
 * as "Last reviewed: 2026-03-14" or 最后审核：2026年3月14日. Empty if there is none.
 */
function reviewLine(text: string): string {
  const first = text.trim().split("\n", NEAR);
  const last = text.trim().slice(-FAR).split("\n").slice(1);
  const dates = [...first, ...last.slice(-NEAR)].map((line) => dateIn(LINE.exec(line)?.[1] ?? ""));
  return dates.find((date) => date !== "") ?? "";
}

/** In lines. */
const NEAR = 8;
/** In characters. */
const FAR = 2_000;
const LINE = new RegExp(
  `^[\\s>*_]{0,9}(?:${MODIFIED_WORDS})[*_]{0,3}\\s?[:：][*_]{0,3}\\s*([^\\s:：][^:：]{5,19}?)[\\s*_.。]*$`,
  "i",
);
