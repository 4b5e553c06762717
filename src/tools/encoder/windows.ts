import type { Span } from "../../types/evidence.js";
import type { ModelFile } from "./model-file.js";
import type { Pieces } from "./pieces.js";
import type { Judged, Pair } from "./port.js";

/** The part of a pair that fits the model. */
export interface Window {
  pair: number;
  /** The number of the part of the question or claim, from 0. */
  part: number;
  text: Pieces;
  passage: Pieces;
  units: readonly Span[];
}

/**
 * Splits a long passage into windows that overlap by a third, so that text at an edge is whole in one of them. A claim that
 * is too long to be read at once is read in parts, likewise beside all of the passage. Of a question that is too long,
 * only the first part is read: a longer one is cut before it is asked.
 */
export function windowsOf(
  { text, as, passage, units = [] }: Pair,
  pair: number,
  tokenise: (text: string) => Pieces,
  { longest, window }: Pick<ModelFile, "longest" | "window">,
): Window[] {
  const whole = tokenise(passage);
  const { room, most } = partsOf(as, longest);
  const parts = overlapping(tokenise(text), room).slice(0, most);
  return parts.flatMap((asked, part) =>
    overlapping(whole, Math.max(window - asked.ids.length - 4, Math.floor(window / 2))).map((some) => ({
      pair,
      part,
      text: asked,
      passage: some,
      units,
    })),
  );
}

/**
 * Returns the tokens of a part of a text, and how many parts are read. A longer text is no claim, and would take too long to
 * read. 80 words of a question have about 110 tokens.
 */
const partsOf = (as: Pair["as"], longest: number) =>
  as === "question" ? { room: Math.floor(longest * 0.4), most: 1 } : { room: Math.floor(longest / 2), most: 8 };

/** Estimates the tokens of the windows of a pair from those of its texts. */
export function tokensOfPair(
  { as, text, passage }: { as: Pair["as"]; text: number; passage: number },
  { longest, window }: Pick<ModelFile, "longest" | "window">,
): number {
  const { room, most } = partsOf(as, longest);
  const parts = Math.min(most, windowsIn(text, room));
  const asked = Math.min(text, room);
  const beside = Math.max(window - asked - 4, Math.floor(window / 2));
  const windows = windowsIn(passage, beside);
  return parts * (windows * asked + (windows === 1 ? passage : windows * beside));
}

const windowsIn = (tokens: number, room: number) => Math.max(1, Math.ceil((tokens - room / 3) / ((room * 2) / 3)));

function overlapping(all: Pieces, room: number): Pieces[] {
  const found: Pieces[] = [];
  const step = Math.ceil((room * 2) / 3);
  for (let from = 0; from === 0 || from + room - step < all.ids.length; from += step)
    found.push(slice(all, from, from + room));
  return found;
}

const slice = ({ ids, starts, ends }: Pieces, from: number, to: number): Pieces => ({
  ids: ids.slice(from, to),
  starts: starts.slice(from, to),
  ends: ends.slice(from, to),
});

/** Combines the windows of a pair, of all its parts, into one judgement. */
export function combined(windows: readonly (Judged & Pick<Window, "part">)[]): Judged {
  const byPart = Map.groupBy(windows, ({ part }) => part);
  return allOf([...byPart].toSorted(([a], [b]) => a - b).map(([, some]) => together(some)));
}

/**
 * Combines the windows of one part: takes each judgement from the window where it is highest. A window that supports a
 * claim outweighs one that contradicts it, which may be about something else.
 */
function together(windows: readonly Judged[]): Judged {
  const best = (of: (one: Judged) => number) =>
    windows.reduce<Judged | undefined>((a, b) => (a && of(a) >= of(b) ? a : b), undefined);
  const nearest = best(({ supported, contradicted }) => (supported >= 0.5 ? 1 + supported : contradicted));
  const spanned = best(({ span }) => span?.probability ?? -1);
  return {
    relevance: Math.max(0, ...windows.map(({ relevance }) => relevance)),
    answerability: Math.max(0, ...windows.map(({ answerability }) => answerability)),
    supported: nearest?.supported ?? 0,
    contradicted: nearest?.contradicted ?? 0,
    neither: nearest?.neither ?? 1,
    ...(spanned?.span && { span: spanned.span }),
    wrong: nearest?.wrong ?? [],
    units: (windows[0]?.units ?? []).map((_, unit) => ({
      answers: Math.max(...windows.map(({ units }) => units[unit]?.answers ?? 0)),
      states: Math.max(...windows.map(({ units }) => units[unit]?.states ?? 0)),
    })),
  };
}

/** Combines the parts of a claim: it is supported as much as its least supported part. */
function allOf(parts: readonly Judged[]): Judged {
  const [first, ...others] = parts;
  if (!first || others.length === 0) return first ?? together([]);
  const least = parts.reduce((a, b) => (a.supported <= b.supported ? a : b));
  const units = first.units.map(({ answers }, unit) => ({
    answers,
    states: Math.min(...parts.map(({ units }) => units[unit]?.states ?? 0)),
  }));
  const { supported, contradicted, neither } = least;
  const wrong = parts.flatMap((part) => part.wrong).sort((a, b) => a.start - b.start);
  return { ...first, supported, contradicted, neither, wrong, units };
}
