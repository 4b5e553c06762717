import type { Span } from "../types/evidence.js";
import { around, fixedSpans } from "./fixed.js";

/** A marker that points to sources. Its span includes the white space that is removed with it. */
export interface Marker extends Span {
  /** In order; at most 100. */
  named: Named[];
}

/** A source by its number from 1, or a part of one ("2.3"). */
export interface Named {
  source: number;
  part?: number;
}

export interface MarkerOptions {
  /**
   * True if a model wrote the text and was asked for markers. Then links labelled with a number, labels of parts, and
   * numbers too high for any list of sources are markers too. Default: false.
   */
  asked?: boolean;
  /** Spans without markers, if known already. Default: `fixedSpans`. */
  fixed?: readonly Span[];
}

/**
 * Finds the citation markers of a text, in order: [1], [1][2], [1, 2], [1-3], 【1】, 【1†source】, ［1］, [[1]], [^1],
 * [Source 1], (source 1), （来源1）, <sup>[1]</sup>, superscript numbers after punctuation, and the marks of other tools,
 * which name sources that nobody else knows: 【4:2†source】, [oaicite:0]. Nothing in code, links,
 * addresses, formulas and lists of references is a marker.
 */
export function markersIn(text: string, options: MarkerOptions = {}): Marker[] {
  const { asked = false } = options;
  if (!BEGINS.test(text)) return [];
  const fixed = options.fixed ?? fixedSpans(text);
  const listed = referenceLines(text);
  const found: Marker[] = [];
  for (const match of text.matchAll(asked ? ASKED : FOUND)) {
    const { index, 0: whole, groups } = match;
    const inner = groups?.in1 ?? groups?.in2 ?? groups?.in3 ?? groups?.in4 ?? groups?.raised ?? "";
    const holder = around(fixed, index + 1);
    if (holder && !(asked && index <= holder.start && LINK.test(whole)) && !whole.startsWith("<sup")) continue;
    if (around(listed, index + 1)) continue;
    const named = namedIn(inner, asked);
    // "[0, 1]" is an interval.
    if (!asked && groups?.foreign === undefined && (named.length === 0 || /(?<!\d)0/.test(inner))) continue;
    found.push({ ...withSpace(text, index, index + whole.length), named });
  }
  return found;
}

/** Removes these markers from the text. */
export function withoutMarkers(text: string, markers: readonly Marker[] = markersIn(text)): string {
  let at = 0;
  let kept = "";
  for (const { start, end } of markers) {
    kept += text.slice(at, Math.max(at, start));
    at = Math.max(at, end);
  }
  return kept + text.slice(at);
}

/** Replaces everything that reads as a marker, even in code, links and addresses. */
export const replaceMarkers = (text: string, instead: (marker: string) => string): string =>
  BEGINS.test(text) ? text.replace(FOUND, (marker) => instead(marker)) : text;

/** Every marker has one of these. Most texts have none, and the patterns of markers take 30 ms to compile. */
const BEGINS = /[[［【(（<⁰¹²³⁴⁵⁶⁷⁸⁹\ue200]/;

const WORD =
  "(?:sources?|src|docs?|documents?|refs?|references?|citations?|cite|passages?|来源|资料|文献|参考文献|参考资料|参考|文档|引用|出处|来源于|见)";
const LEAD = `(?:${WORD}[ :：_#-]{0,2})`;
const BETWEEN = "(?:[,，、;；&+]|and|和|及|与|[-–—~～]|to|至|到)";
const list = (number: string) =>
  `\\^?${LEAD}?#?${number}\\^?(?:†[^\\]】\\n]{0,80})?(?:\\s{0,2}${BETWEEN}\\s{0,2}\\^?${LEAD}?${number}(?:†[^\\]】\\n]{0,80})?)*`;

/** The words that make a marker in round brackets. "(document 5)" is not one, since it may be part of the sentence. */
const SURELY = "(?:(?:sources?|citations?|来源|出处|参考文献)[ :：_#-]{0,2})";

const marker = (number: string, link: string, named: string) =>
  [
    `(?:(?<!\\\\)\\[|［|【|\\\\\\[)(?:\\[|(?!\\[))\\s?(?<in1>${list(number)})\\s?(?:\\\\?\\]|］|】)(?:\\]|(?!\\]))${link}`,
    `[(（]${LEAD}?\\s?\\[(?<in2>${list(number)})\\][)）]`,
    `[(（]\\s?(?<in3>${named}${list(number)})\\s?[)）]`,
    `<sup>\\s?\\[(?<in4>${list(number)})\\]\\s?</sup>`,
    "(?<=[.,;:!?。，；：！？”’\"'」』])(?<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})",
    "(?<foreign>【\\d{1,3}:\\d{1,3}†[^】\\n]{0,80}】|(?::contentReference)?\\[oaicite:\\d{1,4}\\](?:\\{index=\\d{1,4}\\})?|\ue200cite(?:\ue202[\\w-]{1,30})+\ue201)",
  ].join("|");

/** Followed by an opening bracket, it is a link; at the start of a line and followed by a colon, it is a definition. */
const FOUND = new RegExp(marker("\\d{1,3}", "(?!\\(|(?<=^[ \\t]{0,3}\\[[^\\]\\n]{1,20}\\]):)", SURELY), "gimu");
const ASKED = new RegExp(marker("\\d{1,400}(?:\\.\\d{1,400})?", "(?:\\([^()\\s]{0,800}\\))?", LEAD), "gimu");
const LINK = /\]\(/;

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const NUMBER = /(?<number>\d+)(?:\.(?<part>\d+))?|(?<range>[-–—~～至到]|\bto\b)|†[^,，、;；\]】]{0,80}/giu;

function namedIn(inner: string, parts: boolean): Named[] {
  const digits = inner.replace(/[⁰¹²³⁴⁵⁶⁷⁸⁹]/gu, (digit) => String(RAISED.indexOf(digit)));
  const named: Named[] = [];
  let reaching = false;
  for (const { groups } of digits.matchAll(NUMBER)) {
    if (groups?.range !== undefined) {
      reaching = true;
      continue;
    }
    if (groups?.number === undefined) continue;
    const source = Number(groups.number);
    const from = named.at(-1);
    const whole = groups.part === undefined;
    if (reaching && from && whole && from.part === undefined && source - from.source <= LONGEST_RANGE)
      for (let next = from.source + 1; next < source; next++) named.push({ source: next });
    reaching = false;
    if (source >= 1 && Number.isSafeInteger(source) && named.length < MOST_NAMED)
      named.push(whole || !parts ? { source } : { source, part: Number(groups.part) });
  }
  return named.slice(0, MOST_NAMED);
}

const LONGEST_RANGE = 30;
const MOST_NAMED = 100;

/** Extends the span by one space before it or, at the start of a line, after it. */
function withSpace(text: string, start: number, end: number): Span {
  const before = text.charAt(start - 1);
  if (before === " " || before === "\t") return { start: /\S/.test(text.charAt(start - 2)) ? start - 1 : start, end };
  const opens = start === 0 || before === "\n";
  return { start, end: opens && text.charAt(end) === " " ? end + 1 : end };
}

/** Numbers sources from 1 in the order of their first citation. */
export function numbersOf(cited: readonly { evidenceId: string }[]): Map<string, number> {
  const ids = new Set(cited.map(({ evidenceId }) => evidenceId));
  return new Map([...ids].map((id, i) => [id, i + 1]));
}

/**
 * Finds the lines that list sources and state nothing: definitions ("[^1]: …", "[1]: …"), numbered lines with an address,
 * and the list below a line that says "Sources" or 参考文献.
 */
export function referenceLines(text: string): Span[] {
  const found: Span[] = [];
  let listing = false;
  for (const match of text.matchAll(/[^\n]+/g)) {
    const line = match[0];
    if (line.trim() === "") continue;
    listing = TITLE.test(line) || (listing && ENTRY.test(line));
    if (listing || DEFINITION.test(line) || (NUMBERED.test(line) && ADDRESS.test(line)))
      found.push({ start: match.index, end: match.index + line.length });
  }
  return found;
}

const TITLE =
  /^[\s#>*_]{0,20}(?:sources?|references?|bibliography|citations?|footnotes?|works cited|来源|资料来源|信息来源|参考文献|参考资料|参考来源|引用|引用来源|脚注)(?:\s?\/\s?\p{L}{1,20})?[\s:：*_]{0,8}$/iu;
const ENTRY = /^\s{0,8}(?:>\s?)?(?:[-*+•]\s|\[?\^?\d{1,3}[\].)、:：]|【\d{1,3}】|［\d{1,3}］|<?https?:)/;
const NUMBERED = /^\s{0,8}(?:[-*+•]\s)?(?:\[\^?\d{1,3}\]|【\d{1,3}】|［\d{1,3}］)/;
const DEFINITION = /^ {0,3}\[\^?[^\]\n]{1,40}\]:/;
const ADDRESS = /https?:\/\//;
