import type { Block } from "../text/blocks.js";
import { introduces, outlineOf } from "../text/outline.js";
import { isAnaphoric } from "../text/prose.js";
import { measureTokens, tokensIn } from "../text/token-count.js";
import type { Span } from "../types/evidence.js";
import { LARGEST_HEAD } from "./formats/content.js";

/** The most tokens in a passage, unless a single piece has more. */
export const LARGEST = 400;
/** A passage with fewer tokens says too little on its own and may be joined with a neighbour. */
export const SMALL = 200;
const IDEAL = 300;

/** A block with the marks and blank lines around it, so that neighbours touch. */
export interface PassageBlock extends Pick<Block, "kind" | "depth" | "start" | "end"> {
  /** Only for a row of a table: its line. */
  row?: Span;
  /** Only for the first row of a table: its line and the ruler below it. */
  head?: Span;
}

/** A piece of a document's text. Neighbours touch. */
type TextPiece = Piece & Span & { heading?: Span };

/** Splits blocks into pieces, in order, which together cover them. */
export function piecesOf(text: string, blocks: readonly PassageBlock[]): TextPiece[] {
  let lead: Pick<TextPiece, "heading" | "head"> | undefined;
  return runsOf(text, blocks).flatMap((run, i, runs) => {
    const [{ kind }] = run;
    const before = runs[i - 1];
    const isListed = kind === "item" && before?.[0].kind === "item";
    if (!isListed) lead = kind === "item" ? leadOf(text, before?.at(-1)) : undefined;
    const pieces = cut(text, run, isListed ? 0.05 : between(text, before?.at(-1), run[0]));
    return pieces.map((piece, at) => (lead && (isListed || at > 0) ? { ...piece, ...lead } : piece));
  });
}

/**
 * Groups blocks that stay together if they fit: the rows of a table, or a list item and the blocks indented under it.
 */
function runsOf(text: string, blocks: readonly PassageBlock[]): Group<PassageBlock>[] {
  const runs: Group<PassageBlock>[] = [];
  for (const block of blocks) {
    const run = runs.at(-1);
    const [first] = run ?? [];
    const isRow = first?.kind === "row" && block.kind === "row" && !block.head;
    const isUnder = first?.kind === "item" && indent(text, block) > indent(text, first);
    if (run && (isRow || isUnder)) run.push(block);
    else runs.push([block]);
  }
  return runs;
}

const indent = (text: string, { start }: Span) => /^[ \t]*/.exec(text.slice(start, start + 80))?.[0].length ?? 0;

/** Returns the cost of beginning a passage with `block`. */
function between(text: string, before: PassageBlock | undefined, block: PassageBlock): number {
  if (!before) return 0;
  const isLed = before.kind === "prose" && LED_IN.has(block.kind) && introduces(text.slice(before.start, before.end));
  return isLed || opensWithPronoun(text, block) ? 0.3 : 0;
}

const LED_IN: ReadonlySet<Block["kind"]> = new Set(["item", "row", "code", "html"]);

const opensWithPronoun = (text: string, { start }: Pick<Span, "start">) =>
  isAnaphoric(text.slice(start, start + 80).trimStart());

/** Returns the sentence that introduces a list, as the heading of the parts that the list may be cut into. */
function leadOf(text: string, before: PassageBlock | undefined): Pick<TextPiece, "heading" | "head"> | undefined {
  const last = before?.kind === "prose" ? outlineOf(text.slice(before.start, before.end)).at(-1) : undefined;
  if (!before || !last || !introduces(last.text)) return undefined;
  const heading = { start: before.start + last.start, end: before.start + last.end };
  const head = tokensIn(text, heading.start, heading.end);
  return head <= LARGEST_HEAD ? { heading, head } : undefined;
}

function cut(text: string, run: Group<PassageBlock>, cost: number): TextPiece[] {
  const [first, ...rest] = run;
  const whole = { start: first.start, end: (run.at(-1) ?? first).end };
  const size = tokensIn(text, whole.start, whole.end);
  if (first.kind !== "prose" && size <= LARGEST) return [{ ...whole, size, cost }];
  if (first.kind === "row") return rows(text, run, cost);
  const own = within(text, first, CODE.has(first.kind) ? lines(text, first) : sentenceStarts(text, first), cost);
  return [...own, ...piecesOf(text, rest).map((piece) => ({ ...piece, cost: Math.max(piece.cost, 0.05) }))];
}

const CODE: ReadonlySet<Block["kind"]> = new Set(["code", "html"]);

/** In tokens. A larger table row is cut. */
const LARGEST_ROW = 4 * LARGEST;

/** Splits a table into rows. The header stays with the first row. A passage that begins with a later row repeats it. */
function rows(text: string, [head, first, ...rest]: Group<PassageBlock>, cost: number): TextPiece[] {
  const heading = head.head;
  const size = heading ? tokensIn(text, heading.start, heading.end) : 0;
  const repeated = heading && size <= LARGEST_HEAD ? { heading, head: size } : {};
  return [{ ...head, end: first?.end ?? head.end }, ...rest].flatMap((row, i) => {
    const size = tokensIn(text, row.start, row.end);
    const before = i === 0 ? cost : 0.05;
    if (size > LARGEST_ROW) return within(text, row, sentenceStarts(text, row), before);
    return [{ start: row.start, end: row.end, size, cost: before, ...(i === 0 ? {} : repeated) }];
  });
}

interface Cut {
  at: number;
  cost: number;
}

/** Cuts a span at the given places, and within sentences if a part is still too large. */
function within(text: string, span: Span, cuts: readonly Cut[], cost: number): TextPiece[] {
  const inside = [{ at: span.start, cost }, ...cuts.filter(({ at }) => at > span.start && at < span.end)];
  return inside.flatMap((from, i) => {
    const piece = { start: from.at, end: inside[i + 1]?.at ?? span.end, cost: from.cost };
    const size = tokensIn(text, piece.start, piece.end);
    return size <= LARGEST ? [{ ...piece, size }] : clauses(text, piece);
  });
}

const sentenceStarts = (text: string, { start, end }: Span): Cut[] =>
  outlineOf(text.slice(start, end))
    .map((sentence) => start + sentence.start)
    .filter((at) => !isInside(text, at))
    .map((at) => ({ at, cost: opensWithPronoun(text, { start: at }) ? 0.3 : 0.1 }));

/** Returns the starts of the lines of code. A cut after a blank line costs less. */
function lines(text: string, { start, end }: Span): Cut[] {
  const slice = text.slice(start, end);
  return [...slice.matchAll(/(?<=\n)[^\n]*\S/g)].map((match) => ({
    at: start + match.index,
    cost: /\n[ \t\r]*\n$/.test(slice.slice(Math.max(0, match.index - 80), match.index)) ? 0.05 : 0.2,
  }));
}

/** Cuts a sentence that is too long for a passage: at line ends, else commas, else spaces, else anywhere. */
function clauses(text: string, { start, end, cost }: Span & { cost: number }): TextPiece[] {
  const found: TextPiece[] = [];
  for (let at = start; at < end; ) {
    const full = measureTokens(text, at, end, CLAUSE).at;
    const to = full >= end ? end : boundary(text, at, full);
    found.push({ start: at, end: to, size: tokensIn(text, at, to), cost: at === start ? cost : 1 });
    at = to;
  }
  return found;
}

const CLAUSE = LARGEST / 4;

function boundary(text: string, start: number, end: number): number {
  const half = Math.ceil((end - start) / 2);
  const window = text.slice(end - half, end);
  for (const mark of [/^[\s\S]*\n/, /^[\s\S]*(?:[，；、：]|[,;:](?=\s))/, /^[\s\S]*\s/]) {
    const kept = mark.exec(window)?.[0].length;
    if (kept) return end - half + kept;
  }
  let at = end;
  while (at > end - LONGEST_CHARACTER && at > start + 1 && isInside(text, at)) at -= 1;
  return at;
}

/** In UTF-16 units. A longer stack of accents is cut. */
const LONGEST_CHARACTER = 40;

/** True inside a surrogate pair, before a combining mark, or inside an emoji sequence. */
const isInside = (text: string, at: number) =>
  /[\ud800-\udbff\u200d]/.test(text.charAt(at - 1)) ||
  /^(?:\p{M}|\p{Emoji_Modifier}|\u200d)/u.test(text.slice(at, at + 2));

/** An indivisible part of a passage. */
interface Piece {
  /** In tokens. */
  size: number;
  /**
   * The cost of beginning a passage here: 0 at a new block, 0.05 between list items or rows and after a blank line of
   * code, 0.1 between sentences, 0.2 between lines of code, 0.3 after the text that introduces this piece or explains
   * its first pronoun, 1 inside a sentence.
   */
  cost: number;
  /** The size of the table header or list introduction that a passage beginning here repeats. */
  head?: number;
}

/**
 * Groups pieces into passages, in order. Minimises the cost of cutting plus the squared relative deviation of each passage
 * from 300 tokens.
 */
export function pack<T extends Partial<Piece> & { size: number }>(pieces: readonly T[]): Group<T>[] {
  const best: { cost: number; from: number }[] = [{ cost: 0, from: 0 }];
  for (let to = 1; to <= pieces.length; to++) {
    let chosen = { cost: Number.POSITIVE_INFINITY, from: to - 1 };
    let size = 0;
    for (let from = to - 1; from >= 0; from--) {
      const piece = pieces[from];
      const before = best[from];
      if (!piece || !before) break;
      size += Math.max(1, piece.size);
      const whole = size + (piece.head ?? 0);
      if (whole > LARGEST && from < to - 1) break;
      const cost = before.cost + (from === 0 ? 0 : (piece.cost ?? 0)) + ((whole - IDEAL) / IDEAL) ** 2;
      if (cost < chosen.cost) chosen = { cost, from };
    }
    best.push(chosen);
  }
  const groups: Group<T>[] = [];
  for (let to = pieces.length; to > 0; ) {
    const from = best[to]?.from ?? 0;
    const [first, ...rest] = pieces.slice(from, to);
    if (first) groups.push([first, ...rest]);
    to = from;
  }
  return groups.reverse();
}

export type Group<T> = [T, ...T[]];
