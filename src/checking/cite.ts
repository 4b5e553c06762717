import { claimsOf, type TextClaim } from "../citing/claims.js";
import { around, fixedSpans } from "../citing/fixed.js";
import { withoutMarkers } from "../citing/markers.js";
import { type Citation, holds } from "../types/answer.js";
import type { Span } from "../types/evidence.js";
import { type TextSource, type VerifiedClaim, type VerifyOptions, verify } from "./verify.js";

export interface CitedText {
  /** The text with markers: [1][2]. Without them it equals `bare`, byte for byte. */
  text: string;
  /** The inserted markers, as offsets into `text`. */
  markers: { start: number; end: number }[];
  /**
   * What the text states, in order, as offsets into `bare`. Only supported and likely claims have citations, and thus
   * markers. Questions and leads are not checked and have no verdict.
   */
  claims: CitedClaim[];
  /** The cited sources, numbered from 1 in order of appearance. */
  references: { number: number; id: string; title: string; uri: string }[];
  /** The given text without the markers that it had. */
  bare: string;
  /** The messages of failures that did not stop the check. */
  faults: string[];
}

type CitedClaim = TextClaim & { citations: Citation[] } & Partial<Pick<VerifiedClaim, "verdict" | "reason">>;

/**
 * Cites any text, Markdown or plain, English or Chinese: checks it as `verify` does, and inserts markers after what is
 * supported or likely. Existing markers are replaced.
 * @throws the signal's reason, once it is aborted.
 */
export async function cite(
  text: string,
  sources: readonly TextSource[],
  options: VerifyOptions = {},
): Promise<CitedText> {
  const bare = withoutMarkers(text);
  const checked = await verify(bare, sources, options);
  const byStart = new Map(checked.claims.map((claim) => [claim.start, claim]));
  const found = claimsOf(bare).map((claim) => {
    const own = byStart.get(claim.start);
    if (!own) return { ...claim, citations: [] };
    const { verdict, reason, citations } = own;
    return { ...claim, verdict, reason, citations: holds({ verdict }) ? citations : [] };
  });
  const numbers = new Map<number, number>();
  for (const { reference } of found.flatMap(({ citations }) => citations))
    if (!numbers.has(reference)) numbers.set(reference, numbers.size + 1);
  const claims = found.map((claim): CitedClaim => {
    const citations = claim.citations.map((one) => ({ ...one, reference: numbers.get(one.reference) ?? 0 }));
    return { ...claim, citations };
  });
  const references = checked.references
    .flatMap(({ number, ...source }) => {
      const own = numbers.get(number);
      return own === undefined ? [] : { number: own, ...source };
    })
    .toSorted((a, b) => a.number - b.number);
  const fixed = fixedSpans(bare);
  const marked = claims.flatMap(({ citations, ...span }) => {
    const mark = [...new Set(citations.map(({ reference }) => `[${reference}]`))].join("");
    if (mark === "") return [];
    const at = placeOf(bare, span, fixed);
    const isClose = CLOSE.test(bare.slice(Math.max(span.start, at - 12), at));
    return [{ at, mark: isClose ? mark : ` ${mark}` }];
  });
  return { ...withMarkersAt(bare, marked), claims, references, bare, faults: checked.faults };
}

/**
 * Returns the place for the markers of a span: before its final mark ("Two days [1]." and "两天[1]。"), inside the last
 * cell of a table's row, and after code, links, addresses and tags, never in them.
 */
function placeOf(text: string, span: Span, fixed: readonly Span[]): number {
  let at = span.end;
  if (text.charAt(at - 1) === "|" && text.charAt(at - 2) !== "\\") at = endBefore(text, span.start, at, /[\s|]/);
  const end = at;
  at = endBefore(text, span.start, at, STOP);
  const hole = around(fixed, at);
  if (hole) at = hole.end;
  // A bracket right after the marker would make it a link.
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

/** No space separates a marker from Chinese, or from the quotation marks, brackets and emphasis after it. */
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
    // A bracket right after it would make it a link.
    if (/[([]/.test(text.charAt(at))) out += " ";
    markers.push({ start, end: out.length });
  }
  return { text: out + text.slice(from), markers };
}
