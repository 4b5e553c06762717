import type { Span } from "../types/evidence.js";
import { around } from "./fixed.js";

/** Where markers go into a text, and how they are written there. */
export interface Place {
  at: number;
  /** What stands before the markers: a space in English, nothing in Chinese. */
  before: "" | " ";
}

/**
 * The place for the markers of what stands at `span`: before the mark that ends it ("Two days [1]." and "两天[1]。"),
 * inside the last cell of a table's row, and behind code, links, addresses and tags, never in them.
 */
export function placeOf(text: string, span: Span, fixed: readonly Span[]): Place {
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
export function withMarkersAt(text: string, markers: readonly { place: Place; mark: string }[]) {
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
