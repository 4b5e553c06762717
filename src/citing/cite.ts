import { settle } from "../language/support.js";
import type { Citation } from "../types/answer.js";
import type { Span } from "../types/evidence.js";
import { type Attached, attacher } from "./attach.js";
import { claimsOf, type TextClaim } from "./claims.js";
import { around, fixedSpans } from "./fixed.js";
import { withoutMarkers } from "./markers.js";
import type { Citable } from "./units.js";

/** Where a text's words may come from. Without an id it has its place among the sources, from "1". */
export interface TextSource {
  id?: string | undefined;
  title?: string | undefined;
  /** Where a reader finds it: a path, or an address. */
  uri?: string | undefined;
  text: string;
}

export interface CitedText {
  /** The text with its markers: [1][2]. Without them it is what was given, byte for byte. */
  text: string;
  /** The markers that were put in, as offsets into `text`. */
  markers: { start: number; end: number }[];
  /**
   * What the text states, in order, with the words of the sources that carry it. Offsets are into `bare`. Those without
   * citations have no marker: nothing was found to support them.
   */
  claims: (TextClaim & { citations: Citation[] })[];
  /** What is cited, numbered from 1 in order of appearance. */
  references: { number: number; id: string; title: string; uri: string }[];
  /** The text without the markers that stood in it before: they are replaced. */
  bare: string;
}

/**
 * Attaches citations to any text, Markdown or plain, English or Chinese: the sentences of the sources that carry each
 * sentence, list item and table row best, with markers put in. Markers that were there are replaced. What a
 * source comes near and contradicts, or has other numbers or names for, gets none; beyond that nothing is judged, and a
 * citation says where to look, not that it is so: see `verify`.
 */
export function cite(text: string, sources: readonly TextSource[]): CitedText {
  const bare = withoutMarkers(text);
  const named = sources.map((source, i): Citable & TextSource => ({
    ...source,
    id: source.id ?? `${i + 1}`,
    title: source.title ?? "",
  }));
  const find = attacher(named);
  const found = claimsOf(bare).map((claim) => ({
    ...claim,
    attached: states(claim) ? supporting(claim.text, find(claim.text)) : [],
  }));

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
    return mark === "" ? [] : [{ place: placeOf(bare, span, fixed), mark }];
  });
  const { text: cited, spans } = withMarkersAt(bare, marked);
  return { text: cited, markers: spans, claims, references, bare };
}

/** What comes near and says otherwise, or has another number or name, supports nothing. */
function supporting(claim: string, attached: Attached[]): Attached[] {
  const quotes = attached.map(({ quote }) => quote);
  const { verdict } = settle(claim, quotes);
  return verdict === "supported" || verdict === "doubtful" ? attached : [];
}

const states = ({ kind }: TextClaim) => kind !== "question" && kind !== "lead";

/** Dense, from 1, in order of appearance. */
function numbersOf(attached: readonly Attached[]): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const { evidenceId } of attached) if (!numbers.has(evidenceId)) numbers.set(evidenceId, numbers.size + 1);
  return numbers;
}

/** Where markers go into a text, and how they are written there. */
interface Place {
  at: number;
  /** What stands before the markers: a space in English, nothing in Chinese. */
  before: "" | " ";
}

/**
 * The place for the markers of what stands at `span`: before the mark that ends it ("Two days [1]." and "两天[1]。"),
 * inside the last cell of a table's row, and behind code, links, addresses and tags, never in them.
 */
function placeOf(text: string, span: Span, fixed: readonly Span[]): Place {
  let at = span.end;
  if (text.charAt(at - 1) === "|" && text.charAt(at - 2) !== "\\") at = endBefore(text, span.start, at, /[\s|]/);
  const end = at;
  at = endBefore(text, span.start, at, STOP);
  const hole = around(fixed, at);
  if (hole) at = hole.end;
  // Behind it must not stand what would make a link of the marker.
  if (/[([]/.test(text.charAt(at)) && !/[([]/.test(text.charAt(end)) && !around(fixed, end)) at = end;
  // The stop of "8.30 a.m." belongs to the word.
  if (text.charAt(at) === "." && /\.\p{L}$/u.test(text.slice(Math.max(span.start, at - 2), at))) at += 1;
  return { at, before: closes(text.slice(Math.max(span.start, at - 12), at)) ? "" : " " };
}

const STOP = /[\s.!?;:…。！？；：]/u;

function endBefore(text: string, start: number, end: number, skipped: RegExp): number {
  let at = end;
  while (at > start && skipped.test(text.charAt(at - 1))) at -= 1;
  return at === start ? end : at;
}

/** Whether a marker stands close to this: behind Chinese characters, and the quotes, brackets and emphasis around them. */
const closes = (before: string) => /[\p{Script=Han}，。！？；：、][”’」』）》】"'*_~]*$/u.test(before);

/** Puts markers into a text, each at its place. The places come back as spans of the new text. */
function withMarkersAt(text: string, markers: readonly { place: Place; mark: string }[]) {
  const spans: Span[] = [];
  let at = 0;
  let out = "";
  for (const { place, mark } of markers.toSorted((a, b) => a.place.at - b.place.at)) {
    out += text.slice(at, place.at);
    at = place.at;
    const start = out.length;
    out += place.before + mark;
    // A bracket right behind would make a link of it.
    if (/[([]/.test(text.charAt(at))) out += " ";
    spans.push({ start, end: out.length });
  }
  return { text: out + text.slice(at), spans };
}
