import { settle } from "../language/support.js";
import type { Citation } from "../types/answer.js";
import type { Span } from "../types/evidence.js";
import { atOnce, withPauses } from "../waiting.js";
import { type Attached, attaching, type Citable } from "./attach.js";
import { claimsOf, isStatement, type TextClaim } from "./claims.js";
import { around, fixedSpans } from "./fixed.js";
import { numbersOf, withoutMarkers } from "./markers.js";

/** A source that a text may be cited to or checked against. */
export interface TextSource {
  /** Default: its position among the sources, from "1". */
  id?: string | undefined;
  title?: string | undefined;
  /** A path or an address. */
  uri?: string | undefined;
  text: string;
}

export interface CitedText {
  /** The text with markers: [1][2]. Without them it equals `bare`, byte for byte. */
  text: string;
  /** The inserted markers, as offsets into `text`. */
  markers: { start: number; end: number }[];
  /** What the text states, in order, as offsets into `bare`. A claim without citations has no marker: nothing supports it. */
  claims: (TextClaim & { citations: Citation[] })[];
  /** The cited sources, numbered from 1 in order of appearance. */
  references: { number: number; id: string; title: string; uri: string }[];
  /** The given text without the markers that it had. */
  bare: string;
}

/**
 * Cites any text, Markdown or plain, English or Chinese: finds the sentences of the sources that support each sentence,
 * list item and table row best, and inserts markers. Existing markers are replaced. A claim that the nearest source
 * contradicts, or has other numbers or names for, gets none. Nothing else is judged: a citation says where to look, not
 * that the claim is true; see `verify`.
 */
export function cite(text: string, sources: readonly TextSource[]): CitedText {
  return atOnce(citing(text, sources));
}

/** The same for a program that does other work meanwhile. @throws the signal's reason, once it is aborted. */
export const citeInTurns = (text: string, sources: readonly TextSource[], signal?: AbortSignal): Promise<CitedText> =>
  withPauses(citing(text, sources), signal);

function* citing(text: string, sources: readonly TextSource[]): Generator<void, CitedText> {
  const bare = withoutMarkers(text);
  const named = sources.map((source, i): Citable & TextSource => ({
    ...source,
    id: source.id ?? `${i + 1}`,
    title: source.title ?? "",
  }));
  const find = yield* attaching(named);
  const found: (TextClaim & { attached: Attached[] })[] = [];
  for (const claim of claimsOf(bare)) {
    yield;
    found.push({ ...claim, attached: isStatement(claim) ? supporting(claim.text, find(claim.text)) : [] });
  }

  const numbers = numbersOf(found.flatMap(({ attached }) => attached));
  const claims = found.map(({ attached, ...claim }) => ({
    ...claim,
    citations: attached.map(({ evidenceId, ...quoted }) => ({ ...quoted, reference: numbers.get(evidenceId) ?? 0 })),
  }));
  const references = [...numbers].map(([id, number]) => {
    const { title = "", uri = "" } = named.find((source) => source.id === id) ?? {};
    return { number, id, title, uri };
  });
  const fixed = fixedSpans(bare);
  const marked = claims.flatMap(({ citations, ...span }) => {
    const mark = [...new Set(citations.map(({ reference }) => `[${reference}]`))].join("");
    if (mark === "") return [];
    const at = placeOf(bare, span, fixed);
    const isClose = CLOSE.test(bare.slice(Math.max(span.start, at - 12), at));
    return [{ at, mark: isClose ? mark : ` ${mark}` }];
  });
  return { ...withMarkersAt(bare, marked), claims, references, bare };
}

/** Drops quotes that contradict the claim, or have another number or name. */
function supporting(claim: string, attached: Attached[]): Attached[] {
  const quotes = attached.map(({ quote }) => quote);
  const { verdict } = settle(claim, quotes);
  return verdict === "supported" || verdict === "doubtful" ? attached : [];
}

/**
 * Returns the place for the markers of a span: before its final mark ("Two days [1]." and "两天[1]。"), inside the last cell
 * of a table's row, and behind code, links, addresses and tags, never in them.
 */
function placeOf(text: string, span: Span, fixed: readonly Span[]): number {
  let at = span.end;
  if (text.charAt(at - 1) === "|" && text.charAt(at - 2) !== "\\") at = endBefore(text, span.start, at, /[\s|]/);
  const end = at;
  at = endBefore(text, span.start, at, STOP);
  const hole = around(fixed, at);
  if (hole) at = hole.end;
  // A bracket behind the marker would make it a link.
  if (/[([]/.test(text.charAt(at)) && !/[([]/.test(text.charAt(end)) && !around(fixed, end)) at = end;
  // The stop of "8.30 a.m." belongs to the word.
  if (text.charAt(at) === "." && /\.\p{L}$/u.test(text.slice(Math.max(span.start, at - 2), at))) at += 1;
  return at;
}

const STOP = /[\s.!?;:…。！？；：]/u;

function endBefore(text: string, start: number, end: number, skipped: RegExp): number {
  let at = end;
  while (at > start && skipped.test(text.charAt(at - 1))) at -= 1;
  return at === start ? end : at;
}

/** No space separates a marker from Chinese, and from the quotes, brackets and emphasis around it. */
const CLOSE = /[\p{Script=Han}，。！？；：、][”’」』）》】"'*_~]*$/u;

/** Inserts markers, and returns their spans in the new text. */
function withMarkersAt(text: string, inserted: readonly { at: number; mark: string }[]) {
  const markers: Span[] = [];
  let from = 0;
  let out = "";
  for (const { at, mark } of inserted.toSorted((a, b) => a.at - b.at)) {
    out += text.slice(from, at);
    from = at;
    const start = out.length;
    out += mark;
    // A bracket right behind it would make it a link.
    if (/[([]/.test(text.charAt(at))) out += " ";
    markers.push({ start, end: out.length });
  }
  return { text: out + text.slice(from), markers };
}
