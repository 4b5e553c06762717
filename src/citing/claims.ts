import { type Block, blocks, codeIn } from "../text/blocks.js";
import { onOneLine, plainWords } from "../text/markup.js";
import { readRow } from "../text/tables.js";
import { hasWords } from "../text/tokens.js";
import type { Span } from "../types/evidence.js";
import { around, between, fixedSpans, joinSpans } from "./fixed.js";
import { type MarkerOptions, markersIn, type Named, referenceLines, withoutMarkers } from "./markers.js";
import { masked, sentencesIn } from "./split.js";

/** Something that a text states. Its span includes citation markers and Markdown marks. */
export interface TextClaim extends Span {
  /** Plain words on one line, without Markdown marks and citation markers; a table's row under its headings. */
  text: string;
  /** A "lead" introduces the list, table or code below it. Leads and questions state nothing. */
  kind: "sentence" | "item" | "row" | "lead" | "question";
  /** The numbers in its markers, in order, each once: [1], [2-4], 【1】, [^1] and so on. */
  markers: number[];
}

/**
 * Finds what a text states, Markdown or plain, English or Chinese: its sentences, list items and table rows, in order,
 * never overlapping. Headings, heads of tables, code, comments and lists of references are left out. A sentence is not
 * cut inside a quotation, an abbreviation or a decimal, and includes the markers after its full stop.
 */
export function claimsOf(text: string): TextClaim[] {
  return claimsWritten(text).map(({ named, written: _, ...claim }) => ({
    ...claim,
    markers: [...new Set(named.map(({ source }) => source))],
  }));
}

/** True if a claim states something: it is neither a question nor a lead. */
export const isStatement = ({ kind }: TextClaim) => kind !== "question" && kind !== "lead";

/** A claim with everything that its markers name. `written` is on one line without markers, but with Markdown marks. */
type WrittenClaim = Omit<TextClaim, "markers"> & { named: Named[]; written: string };

/** @param options `asked`: true if a model wrote the text and was asked for markers. */
export function claimsWritten(text: string, { asked = false }: MarkerOptions = {}): WrittenClaim[] {
  const found = blocks(text);
  const code = codeIn(text, found);
  const fixed = fixedSpans(text, code);
  const markers = markersIn(text, { fixed, asked });
  const silent = joinSpans([...code, ...referenceLines(text)]);
  const shown = masked(text, fixed, markers);
  let head = "";
  const all = found.flatMap((block, i) => {
    const { kind, start, end, isRuled } = block;
    const words = text.slice(start, end);
    if (isRuled) head = words;
    else if (kind !== "row" || found[i - 1]?.kind !== "row") head = "";
    const isUnseen = kind === "heading" || isRuled || (kind === "html" && UNSEEN.test(words));
    return isUnseen || around(silent, start + 1) ? [] : [{ ...block, head }];
  });
  return all.flatMap((block, i) => {
    const own = between(markers, block.start, block.end);
    const isRow = block.kind === "row";
    const spans = isRow ? [{ start: block.start, end: block.end }] : sentencesIn(text, shown, block, own);
    return spans.flatMap((span) => {
      const mine = between(own, span.start, span.end);
      const inside = mine.map(({ start, end, named }) => ({
        start: Math.max(0, start - span.start),
        end: end - span.start,
        named,
      }));
      const bare = withoutMarkers(text.slice(span.start, span.end), inside);
      const said = plainWords(withoutTags(isRow ? readRow(block.head, bare) : bare));
      if (!hasWords(said)) return [];
      const named = mine.flatMap((marker) => marker.named);
      const written = isRow ? said : onOneLine(bare.replace(/\n[ \t]*(?:>[ \t]?)+/g, "\n"));
      return [{ text: said, ...span, kind: kindOf(said, block, all[i + 1]), named, written }];
    });
  });
}

function kindOf(said: string, block: Block, next: Block | undefined): TextClaim["kind"] {
  if (/[?？]["'”’)）」』]*$/u.test(said)) return "question";
  if (block.kind === "row") return "row";
  if (/[:：]$/.test(said) && (block.kind !== "item" || next?.kind === "item")) return "lead";
  return block.kind === "item" ? "item" : "sentence";
}

/** HTML that is not shown as text. */
const UNSEEN = /^<(?:!--|script|style|pre)/i;

const withoutTags = (text: string) => text.replace(/<\/?[A-Za-z][^<>\n]{0,300}>/g, " ");
