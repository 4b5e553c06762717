import { type Block, blocks } from "../language/blocks.js";
import { plainWords } from "../language/function-words.js";
import { markdownNodes, type Node } from "../language/markdown.js";
import { readRow } from "../language/tables.js";
import { hasWords } from "../language/tokens.js";
import type { Span } from "../types/evidence.js";
import { around, between, codeBlocks, fixedSpans, joined } from "./fixed.js";
import { type MarkerOptions, markersIn, type Named, referenceLines, withoutMarkers } from "./markers.js";
import { masked, sentencesIn } from "./split.js";

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
  const shown = masked(text, fixed, markers);
  const all = blocks(text).filter(
    ({ start, kind }) => kind !== "heading" && kind !== "code" && !around(silent, start + 1),
  );
  return all.flatMap((block, i) => {
    const own = between(markers, block.start, block.end);
    const spans =
      block.kind === "row" ? [{ start: block.start, end: block.end }] : sentencesIn(text, shown, block, own);
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
