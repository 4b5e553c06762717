import type { Span } from "../types/evidence.js";
import { type Block, blocks } from "./blocks.js";
import { inForce } from "./marks.js";
import { withoutLinks } from "./markup.js";
import { memoize } from "./memoize.js";
import { asks, isAnaphoric, proseSentences, sizeOf } from "./prose.js";
import { hasWords } from "./tokens.js";

/** A unit of a text: a sentence, a heading, a table row or a group of code lines. */
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
  /**
   * Where its context starts: at an earlier sentence of its item, at the one that names what its first pronoun means,
   * at the question that it answers, or at `start`.
   */
  from: number;
  /** False for headings, first rows of tables, questions, bare links, and what is struck out. */
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
  /** The units with a colon above, outermost first: a nested list may have its own. */
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

/** Puts a list item after the sentence that introduces its list: "Bring: a passport". */
export const underLead = (lead: string, item: string): string => `${lead}${lead.endsWith("：") ? "" : " "}${item}`;

/** True if the words introduce a list, a table or a block of code. */
export const introduces = (words: string): boolean => /[:：]\s*$/.test(words);

/** True if there are words besides links, addresses and what is struck out. */
const saysMore = (words: string) =>
  hasWords(inForce(words)) && (!/\]\(|https?:/.test(words) || hasWords(withoutLinks(words)));

/** True if the line at `start` is indented further than that of `other`. */
const isDeeper = (source: string, start: number, other: Span) =>
  indentAt(source, other.start) < indentAt(source, start);

/** The white space before the line that holds an offset, in characters. */
export const indentAt = (source: string, start: number): number =>
  /^[^\S\n]*/.exec(source.slice(source.lastIndexOf("\n", start) + 1, start))?.[0].length ?? 0;

/** True if a sentence of an item or a paragraph needs the one before it, as the answer to a question does. Another paragraph may have another author. */
function leansOn(before: OutlineUnit, start: number, source: string): boolean {
  const between = source.slice(before.end, start);
  if (before.kind === "item") return !/\S/.test(between);
  const isBeside = before.kind === "prose" && !/\n[^\S\n]*\n/.test(between);
  return isBeside && (asks(before.text) || isAnaphoric(source.slice(start, start + 40)));
}

const startWith = (before: OutlineUnit, end: number) => (end - before.from > LONGEST_RUN ? before.start : before.from);

/** In characters. In "The crane is new. It arrived in May. It holds two tons.", the last sentence needs the first. */
const LONGEST_RUN = 500;

/** Cuts a block into sentences, and overlong sentences anywhere. */
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

/** Returns the span without white space at its edges; a span of only white space becomes empty. */
function trimmed(text: string, { start, end }: Span): Span {
  const words = text.slice(start, end).trimStart();
  return { start: end - words.length, end: end - words.length + words.trimEnd().length };
}
