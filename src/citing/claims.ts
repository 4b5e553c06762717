import { markdownNodes, type Node } from "../corpus/nodes.js";
import { type Block, blocks } from "../text/blocks.js";
import { plainWords } from "../text/plain-words.js";
import { proseSentences } from "../text/prose.js";
import { readRow } from "../text/tables.js";
import { hasWords } from "../text/tokens.js";
import type { Span } from "../types/evidence.js";
import { around, between, codeBlocks, fixedSpans, joined } from "./fixed.js";
import { type Marker, type MarkerOptions, markersIn, type Named, withoutMarkers } from "./markers.js";
import { referenceLines } from "./reference-lines.js";

/** Something that a text states, and where: `start` and `end` are offsets into the text, markers and marks included. */
export interface TextClaim extends Span {
  /** In plain words: without Markdown marks and citation markers, on one line; a table's row under its headings. */
  text: string;
  /**
   * A "lead" only introduces the list, table or code below it, and a "question" asks: they state little or nothing, and
   * whoever checks may pass over them.
   */
  kind: "sentence" | "item" | "row" | "lead" | "question";
  /** The numbers of the markers it carries, in order, each once: [1], [2-4], 【1】, [^1] and so on. */
  markers: number[];
}

/**
 * What a text, Markdown or plain, English or Chinese, states: its sentences, list items and table rows, in order, never
 * overlapping. Headings, the head of a table, code, comments, and lists of references state nothing. A sentence is not
 * cut inside a quotation, an abbreviation or a decimal, and takes the markers behind its stop along.
 */
export function claimsOf(text: string): TextClaim[] {
  return claimsWritten(text).map(({ named, written: _, ...claim }) => ({
    ...claim,
    markers: [...new Set(named.map(({ source }) => source))],
  }));
}

/** A claim with all that its markers name, and as it is written: on one line, without markers, but with Markdown's marks. */
export type WrittenClaim = Omit<TextClaim, "markers"> & { named: Named[]; written: string };

/** @param asked whether a model wrote the text and was asked for markers. */
export function claimsWritten(text: string, { asked = false }: MarkerOptions = {}): WrittenClaim[] {
  const nodes = markdownNodes(text);
  const fixed = fixedSpans(text, nodes);
  const markers = markersIn(text, { fixed, asked });
  const silent = joined([...silentNodes(text, nodes), ...codeBlocks(text, nodes), ...referenceLines(text)]);
  const tables = tablesOf(nodes);
  const masked = mask(text, fixed, markers);
  const all = blocks(text).filter(
    ({ start, kind }) => kind !== "heading" && kind !== "code" && !around(silent, start + 1),
  );
  return all.flatMap((block, i) => {
    const own = between(markers, block.start, block.end);
    const spans =
      block.kind === "row" ? [{ start: block.start, end: block.end }] : sentencesIn(text, masked, block, own);
    return spans.flatMap((span) => {
      const mine = between(own, span.start, span.end);
      const inside = mine.map(({ start, end, named }) => ({
        start: Math.max(0, start - span.start),
        end: end - span.start,
        named,
      }));
      const bare = withoutMarkers(text.slice(span.start, span.end), inside);
      const said =
        block.kind === "row" ? rowText(bare, headOf(text, tables, span.start)) : plainWords(withoutTags(bare));
      if (!hasWords(said)) return [];
      const named = mine.flatMap((marker) => marker.named);
      const written = block.kind === "row" ? said : onOneLine(bare);
      return [{ text: said, ...span, kind: kindOf(said, block, all[i + 1]), named, written }];
    });
  });
}

const onOneLine = (text: string) =>
  text
    .replace(/\n[ \t]*(?:>[ \t]?)+/g, "\n")
    .replace(/(?<=\p{Script=Han})\s*\n\s*(?=\p{Script=Han})/gu, "")
    .replace(/\s+/g, " ")
    .trim();

function kindOf(said: string, block: Block, next: Block | undefined): TextClaim["kind"] {
  if (/[?？]["'”’)）」』]*$/u.test(said)) return "question";
  if (block.kind === "row") return "row";
  if (/[:：]$/.test(said) && (block.kind !== "item" || next?.kind === "item")) return "lead";
  return block.kind === "item" ? "item" : "sentence";
}

/** The sentences of one block, none cut inside a quotation, each with the markers that belong to it. */
function sentencesIn(text: string, masked: string, block: Block, markers: readonly Marker[]): Span[] {
  const whole: Span[] = [];
  const parts = proseSentences(masked, block).flatMap((part) =>
    cutAtMarkers(text, part, between(markers, part.start, part.end)),
  );
  for (const part of parts) {
    const last = whole.at(-1);
    if (last && goesOn(text.slice(last.start, last.end), text.slice(part.start, part.end))) last.end = part.end;
    else whole.push({ ...part });
  }
  return withMarkers(whole, markers);
}

/** A marker between a stop and a capital ends a sentence, whatever abbreviation the stop may belong to. */
function cutAtMarkers(text: string, span: Span, markers: readonly Marker[]): Span[] {
  const parts: Span[] = [];
  let { start } = span;
  for (let i = 0; i < markers.length; i++) {
    const from = markers[i]?.start ?? 0;
    // Markers side by side are one.
    while (i + 1 < markers.length && text.slice(markers[i]?.end, markers[i + 1]?.start).trim() === "") i++;
    const to = markers[i]?.end ?? from;
    const before = text.slice(start, from).trimEnd();
    const next = to + (/^\s*/.exec(text.slice(to, span.end))?.[0].length ?? 0);
    if (!/[.!?]$/.test(before) || !/^[\p{Lu}\p{Script=Han}]/u.test(text.slice(next, Math.min(next + 2, span.end))))
      continue;
    parts.push({ start, end: start + before.length });
    start = next;
  }
  return [...parts, { start, end: span.end }];
}

/** Whether the second part belongs to the first: a quotation or bracket is open, or the one that closed was only quoted. */
function goesOn(first: string, second: string): boolean {
  if (first.length > LONGEST_OPEN) return false;
  if (isOpen(first)) return closesIn(first, second);
  return /[。！？!?]["”」』]$/u.test(first) && SAYS.test(second);
}

const LONGEST_OPEN = 600;

/** “走吧。”他说。 — the words behind a quotation that name its speaker. */
const SAYS =
  /^(?:\p{Script=Han}{0,8}?(?:说道|说|问道|问|喊道|答道|回答|表示|指出|写道|补充道|补充|强调)|(?:he|she|they|it|I|we) )(?:[，。：,:]|\p{Script=Han}{0,6}[，。]|\w)/iu;

const PAIRS = ["“”", "「」", "『』", "（）", "()"];

const count = (text: string, mark: string) => text.split(mark).length - 1;

const isOpen = (text: string) =>
  PAIRS.some(([open = "", close = ""]) => count(text, open) > count(text, close)) || count(text, '"') % 2 === 1;

/** Whether what is open closes soon: a bracket or mark that never closes must not swallow a paragraph. */
function closesIn(first: string, second: string): boolean {
  const near = second.slice(0, LONGEST_OPEN);
  if (count(first, '"') % 2 === 1 && near.includes('"')) return true;
  return PAIRS.some(([open = "", close = ""]) => count(first, open) > count(first, close) && near.includes(close));
}

/** What splitting must not see: markers are blank, and a stop inside a link or in code ends nothing. */
function mask(text: string, fixed: readonly Span[], markers: readonly Marker[]): string {
  let at = 0;
  let masked = "";
  const spans = [
    ...fixed.map((span) => ({ ...span, blank: false })),
    ...markers.map((span) => ({ ...span, blank: true })),
  ];
  for (const { start, end, blank } of spans.toSorted((a, b) => a.start - b.start)) {
    if (start < at) continue;
    const inside = text.slice(start, end);
    masked +=
      text.slice(at, start) + (blank ? inside.replace(/[^\n]/g, " ") : inside.replace(/[.!?;。！？；`*_[\]"']/g, "x"));
    at = end;
  }
  return masked + text.slice(at);
}

/** Markers between two sentences belong to the one before, unless the block opens with one: "[1] Eight. [2] Nine." */
function withMarkers(spans: readonly Span[], markers: readonly Marker[]): Span[] {
  const taken = spans.map((span) => ({ ...span }));
  const opening = (markers[0]?.start ?? Number.POSITIVE_INFINITY) < (spans[0]?.start ?? 0);
  let i = 0;
  for (const { start, end } of markers) {
    while (i < taken.length && (taken[i]?.end ?? 0) <= start) i++;
    const [before, after] = [taken[i - 1], taken[i]];
    if (after && after.start < end) after.end = Math.max(after.end, end);
    else if (after && (opening || !before)) after.start = Math.min(after.start, start);
    else if (before) before.end = Math.max(before.end, end);
  }
  return taken;
}

/** Headings in all their forms, heads of tables, and what HTML does not show. */
function silentNodes(text: string, nodes: readonly Node[]): Span[] {
  return nodes.flatMap((node): Span[] => {
    const { start, end, kind, children } = node;
    const unseen = kind === "html" && /^\s*<(?:!--|script|style|pre)/i.test(text.slice(start, start + 200));
    return kind === "heading" || kind === "head" || unseen ? [{ start, end }] : silentNodes(text, children);
  });
}

/** The tables that have a head. */
const tablesOf = (nodes: readonly Node[]): Node[] =>
  nodes.flatMap((node) =>
    node.kind !== "table" ? tablesOf(node.children) : node.children[0]?.kind === "head" ? [node] : [],
  );

function headOf(text: string, tables: readonly Node[], at: number): string {
  const table = around(tables, at + 1);
  return table ? (text.slice(table.start, table.children[0]?.end).split(/\r?\n/, 1)[0] ?? "") : "";
}

const rowText = (row: string, head: string) => plainWords(withoutTags(readRow(head, row)));

const withoutTags = (text: string) => text.replace(/<\/?[A-Za-z][^<>\n]{0,300}>/g, " ");
