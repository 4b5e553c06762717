import { type Block, blocks, codeIn } from "../text/blocks.js";
import { LINK_DEFINITION, onOneLine, PLAIN_TAG, wordsAndLinks } from "../text/markup.js";
import { proseSentences } from "../text/prose.js";
import { readRow } from "../text/tables.js";
import { hasWords } from "../text/tokens.js";
import type { Span } from "../types/evidence.js";
import { around, between, fixedSpans, joinSpans } from "./fixed.js";
import { type Marker, type MarkerOptions, markersIn, type Named, referenceLines, withoutMarkers } from "./markers.js";

/** Something that a text states. Its span includes citation markers and Markdown marks. */
export interface TextClaim extends Span {
  /**
   * Plain words on one line, without Markdown marks, tags that only format and citation markers; a table's row under its
   * headings. Links, pictures and other tags stay as they are written, since they are checked too.
   */
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
  const targets = new Map(
    [...text.matchAll(LINK_DEFINITION)].map(({ groups: { name = "", target = "", title = "" } = {} }) => [
      name.toLowerCase(),
      `(${[target, title.trim()].filter(Boolean).join(" ")})`,
    ]),
  );
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
      const linked = targets.size === 0 ? bare : withTargets(bare, text.slice(span.start, span.end), targets);
      const said = wordsAndLinks((isRow ? readRow(block.head, linked) : linked).replace(PLAIN_TAG, " "));
      if (!hasWords(said)) return [];
      const named = mine.flatMap((marker) => marker.named);
      const written = isRow ? said : onOneLine(linked.replace(/\n[ \t]*(?:>[ \t]?)+/g, "\n"));
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
const UNSEEN = /^<!--(?:(?!-->)[\s\S])*(?:-->)?$|^<pre/i;

/**
 * Writes the targets of links that only name them: [guide][1], [guide][] and [guide].
 * @param marked the same with its markers, one of which may be such a name.
 */
function withTargets(bare: string, marked: string, targets: ReadonlyMap<string, string>): string {
  const targetOf = (name: string) => targets.get(name.toLowerCase());
  const named = bare.replace(NAMED_LINK, (link, words: string, name = "") => {
    const target = targetOf(name || words);
    return target ? `[${words}]${target}` : link;
  });
  const numbered = [...marked.matchAll(NAMED_LINK)].flatMap(([, words = "", name = ""]) => {
    const target = /^\d+$/.test(name) && !/^\d+$/.test(words) && targetOf(name);
    return target ? [` [${words}]${target}`] : [];
  });
  return named + numbered.join("");
}

const NAMED_LINK = /\[([^[\]]{1,200})\](?:\[([^[\]]{0,200})\])?(?![[(:])/g;

/**
 * Cuts a block into sentences, never inside a quotation, each with its markers.
 * @param shown the text as `masked` returns it.
 */
function sentencesIn(text: string, shown: string, block: Block, markers: readonly Marker[]): Span[] {
  const whole: Span[] = [];
  const parts = proseSentences(shown, block).flatMap((part) =>
    cutAtMarkers(text, part, between(markers, part.start, part.end)),
  );
  for (const part of parts) {
    const last = whole.at(-1);
    if (last && goesOn(text.slice(last.start, last.end), text.slice(part.start, part.end))) last.end = part.end;
    else whole.push({ ...part });
  }
  return withMarkers(whole, markers);
}

/** Cuts at markers between a full stop and a capital, even if the full stop belongs to an abbreviation. */
function cutAtMarkers(text: string, span: Span, markers: readonly Marker[]): Span[] {
  const parts: Span[] = [];
  let { start } = span;
  for (let i = 0; i < markers.length; i++) {
    const from = markers[i]?.start ?? 0;
    // Adjacent markers count as one.
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

/** True if the second part continues the first: a quotation or bracket is open, or "he said" follows a closed one. */
function goesOn(first: string, second: string): boolean {
  if (first.length > LONGEST_OPEN) return false;
  if (isOpen(first)) return closesIn(first, second);
  return /[。！？!?]["”」』]$/u.test(first) && SAYS.test(second);
}

const LONGEST_OPEN = 600;

/** The words after a quotation that name its speaker: “走吧。”他说。 */
const SAYS =
  /^(?:\p{Script=Han}{0,8}?(?:说道|说|问道|问|喊道|答道|回答|表示|指出|写道|补充道|补充|强调)|(?:he|she|they|it|I|we) )(?:[，。：,:]|\p{Script=Han}{0,6}[，。]|\w)/iu;

const PAIRS = ["“”", "「」", "『』", "（）", "()"];

const count = (text: string, mark: string) => text.split(mark).length - 1;

const isOpen = (text: string) =>
  PAIRS.some(([open = "", close = ""]) => count(text, open) > count(text, close)) || count(text, '"') % 2 === 1;

/** True if what is open closes soon. A bracket that never closes must not join a whole paragraph. */
function closesIn(first: string, second: string): boolean {
  const near = second.slice(0, LONGEST_OPEN);
  if (count(first, '"') % 2 === 1 && near.includes('"')) return true;
  return PAIRS.some(([open = "", close = ""]) => count(first, open) > count(first, close) && near.includes(close));
}

/** Masks markers with spaces, and punctuation inside links and code with "x", so that no sentence ends there. */
function masked(text: string, fixed: readonly Span[], markers: readonly Marker[]): string {
  let at = 0;
  let shown = "";
  const spans = [
    ...fixed.map((span) => ({ ...span, blank: false })),
    ...markers.map((span) => ({ ...span, blank: true })),
  ];
  for (const { start, end, blank } of spans.toSorted((a, b) => a.start - b.start)) {
    if (start < at) continue;
    const inside = text.slice(start, end);
    shown +=
      text.slice(at, start) + (blank ? inside.replace(/[^\n]/g, " ") : inside.replace(/[.!?;。！？；`*_[\]"']/g, "x"));
    at = end;
  }
  return shown + text.slice(at);
}

/** Adds markers between two sentences to the first or, if the block opens with one, to the second: "[1] Eight. [2] Nine." */
function withMarkers(spans: readonly Span[], markers: readonly Marker[]): Span[] {
  const taken = spans.map((span) => ({ ...span }));
  const opening = (markers[0]?.start ?? Number.POSITIVE_INFINITY) < (spans[0]?.start ?? 0);
  let i = 0;
  for (const { start, end } of markers) {
    while (i < taken.length && (taken[i]?.end ?? 0) <= start) i++;
    const [before, after] = [taken[i - 1], taken[i]];
    if (after && after.start < end) after.end = Math.max(after.end, end);
    else if (after && opening) after.start = Math.min(after.start, start);
    else if (before) before.end = Math.max(before.end, end);
  }
  return taken;
}
