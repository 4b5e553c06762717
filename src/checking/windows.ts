import { type Unit, unitsOf } from "../reading/units.js";
import { headLine } from "../text/head-line.js";
import { hasWords } from "../text/tokens.js";
import type { Evidence, Span } from "../types/evidence.js";
import { rangeIn, unitsIn } from "./source-units.js";

/** A run of whole sentences that a judge reads at once. */
export interface Window {
  /** Its spans of the evidence, in order; of more than one piece only if the pieces are short. */
  parts: readonly Part[];
  /** Its title and headings, the head of the table in which it begins, then its words. */
  text: string;
}

interface Part extends Span {
  evidence: Evidence;
  /** Where it begins in the text of the window. */
  at: number;
}

/** A sentence of a window. */
export interface Place extends Span {
  evidence: Evidence;
  /** Its span of the text of the window. */
  at: Span;
  /** The sentence, after the one before it in its section. A row stands alone. */
  units: readonly Unit[];
}

/**
 * Cuts the sources into windows of about 60 to 160 words (two Chinese characters count as one). Each overlaps the last
 * third of the one before it, unless a heading is between. A long piece shares no window with another, since parts of
 * two could add up to a statement that neither makes. Neighbouring short pieces share one, since one sentence alone
 * lacks its context.
 */
export function windowsOf(evidence: readonly Evidence[]): Window[] {
  const windows: Window[] = [];
  for (const units of runs(evidence)) {
    let from = 0;
    while (from < units.length) {
      let [to, size] = [from, 0];
      for (let unit = units[to]; unit && (to === from || fits(unit, size)); unit = units[to]) {
        size += unit.size;
        to += 1;
      }
      windows.push(windowOf(units.slice(from, to)));
      const next = units[to];
      if (!next) break;
      from = next.kind === "heading" ? to : withLastThird(units, from, to);
    }
  }
  return windows;
}

/** Returns a window around these spans of one piece: their sentences, and as many neighbouring ones as fit. */
export function windowAround(evidence: Evidence, quotes: readonly Span[]): Window {
  const units = unitsOf(evidence);
  const kept = new Set<number>();
  for (const quote of quotes) {
    const { from, to } = rangeIn(units, quote);
    for (let i = from; i < to; i++) kept.add(i);
  }
  const inOrder = () => [...kept].sort((a, b) => a - b);
  let size = [...kept].reduce((sum, i) => sum + (units[i]?.size ?? 0), 0);
  for (let grown = true; grown && size < MAX_WORDS; ) {
    const beside = new Set(
      inOrder()
        .flatMap((i) => [i - 1, i + 1])
        .filter((i) => !kept.has(i)),
    );
    grown = false;
    for (const i of beside) {
      const unit = units[i];
      if (!unit || size + unit.size > MAX_WORDS) continue;
      kept.add(i);
      size += unit.size;
      grown = true;
    }
  }
  return windowOf(inOrder().flatMap((i) => units[i] ?? []));
}

/** Returns the sentences of a window, without headings. */
export const placesIn = ({ parts }: Window): Place[] =>
  parts.flatMap(({ evidence, start, end, at }) => {
    const units = unitsIn(evidence, { start, end }).filter(
      (unit) => unit.start >= start && unit.end <= end && unit.kind !== "heading",
    );
    return units.map((unit, i): Place => {
      const before = units[i - 1];
      const isAlone = unit.kind === "row" || before?.headings !== unit.headings;
      return {
        evidence,
        start: unit.start,
        end: unit.end,
        at: { start: at + unit.start - start, end: at + unit.end - start },
        units: units.slice(isAlone ? i : i - 1, i + 1),
      };
    });
  });

/** Returns a small window of a sentence and the one before it. */
export const closeUp = ({ units }: Place): Window => windowOf(units);

/** In words. Windows of 90 were no better on two sets (research/RESULTS.md). */
const MAX_WORDS = 160;
const MIN_WORDS = 60;
/** The most characters of a piece that may share a window with its neighbours. */
const SHORT = 400;

const fits = (unit: Unit, size: number) =>
  size + unit.size <= MAX_WORDS && !(unit.kind === "heading" && size >= MIN_WORDS);

function withLastThird(units: readonly Unit[], from: number, to: number): number {
  let [back, shared] = [to, 0];
  while (back > from + 1 && shared + (units[back - 1]?.size ?? 0) <= MAX_WORDS / 3) {
    back -= 1;
    shared += units[back]?.size ?? 0;
  }
  return back;
}

/** Returns the sentences of each piece, with those of neighbouring short pieces joined. */
function runs(evidence: readonly Evidence[]): Unit[][] {
  const all: Unit[][] = [];
  let open: Unit[] | undefined;
  for (const piece of evidence) {
    const units = [...unitsOf(piece)];
    const isShort = piece.text.length <= SHORT;
    if (open && isShort) open.push(...units);
    else all.push(units);
    open = isShort ? (open ?? units) : undefined;
  }
  return all;
}

function windowOf(units: readonly Unit[]): Window {
  const spans: Omit<Part, "at">[] = [];
  for (const { evidence, start, end } of units) {
    const last = spans.at(-1);
    const gap = last?.evidence === evidence && evidence.text.slice(last.end, start);
    if (last && typeof gap === "string" && !hasWords(gap)) last.end = end;
    else spans.push({ evidence, start, end });
  }
  const [first] = units;
  const above = first ? [headLine(first.evidence, first.headings), first.head?.text ?? ""] : [];
  let text = above.flatMap((line) => (line === "" ? [] : `${line}\n`)).join("");
  const parts = spans.map((span): Part => {
    const part = { ...span, at: text.length };
    text += `${span.evidence.text.slice(span.start, span.end)}\n`;
    return part;
  });
  return { parts, text: text.slice(0, -1) };
}
