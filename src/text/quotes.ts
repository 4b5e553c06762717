import type { Span } from "../types/evidence.js";
import { inForce } from "./marks.js";
import { LINK_MARKS } from "./markup.js";
import { memoize } from "./memoize.js";
import { hasWords } from "./tokens.js";

/**
 * Finds a quote in a text; `text.slice(start, end)` is the source's own wording of it. Looks for it exactly, then
 * ignoring white space, quotation marks, width, dashes, hyphens at line ends and Markdown marks, then also punctuation
 * at the quote's edges, then also case; at last it passes over what the text has struck out. Every other word counts: an ellipsis skips nothing, no word is found inside another,
 * and the address of a quoted link must match. A quote without words is not found.
 */
export function findQuote(text: string, quote: string): Span | undefined {
  if (!hasWords(quote)) return undefined;
  const wanted = quote.trim();
  for (const start of occurrences(text, wanted)) {
    if (isWhole(text, start, start + wanted.length)) return { start, end: start + wanted.length };
  }
  const valid = inForce(text);
  const fold = LINK_MARKS.test(wanted) ? foldBesideLinks : foldAll;
  const folded = fold(text);
  const needle = fold(wanted).text.trim();
  const bare = withoutEdges(needle);
  return (
    located(folded, needle) ??
    located(folded, bare) ??
    located({ ...folded, text: lower(folded.text) }, lower(bare)) ??
    (valid === text ? undefined : findQuote(valid, quote))
  );
}

interface Folded {
  readonly text: string;
  /** For each UTF-16 unit of `text`, where its character starts and ends in the source. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

function located(folded: Folded, needle: string): Span | undefined {
  if (!hasWords(needle)) return undefined;
  for (const at of occurrences(folded.text, needle)) {
    const start = folded.starts[at];
    const end = folded.ends[at + needle.length - 1];
    // "½" is folded to "1⁄2", and a part of that is not a quote.
    if (start === folded.starts[at - 1] || end === folded.ends[at + needle.length]) continue;
    if (start !== undefined && end !== undefined && isWhole(folded.text, at, at + needle.length)) return { start, end };
  }
  return undefined;
}

/** Folds a text for comparison and keeps the offsets of its source. */
const foldedBy =
  (pieces: RegExp) =>
  (source: string): Folded => {
    const out: string[] = [];
    const starts: number[] = [];
    const ends: number[] = [];
    const emit = (unit: string, start: number, end: number) => {
      out.push(unit);
      starts.push(start);
      ends.push(end);
    };
    let gap: Span | undefined;
    for (const { index: start, 0: piece, groups = {} } of source.matchAll(pieces)) {
      const end = start + piece.length;
      if (groups.skip !== undefined) continue;
      if (groups.gap !== undefined) {
        gap = { start: gap?.start ?? start, end };
        continue;
      }
      const isRun = groups.run !== undefined;
      const characters = isRun ? piece : (SAME.get(piece) ?? (DASHES.test(piece) ? "-" : piece.normalize("NFKD")));
      const last = out.at(-1);
      const next = isRun ? piece.charAt(0) : characters;
      if (gap && last && !CLOSE_SET.test(`${last} ${next}`)) emit(" ", gap.start, gap.end);
      gap = undefined;
      for (let i = 0; i < characters.length; i++)
        emit(characters.charAt(i), isRun ? start + i : start, isRun ? start + i + 1 : end);
    }
    return { text: out.join(""), starts: Int32Array.from(starts), ends: Int32Array.from(ends) };
  };

/**
 * Marks of emphasis (not "2*3"), soft hyphens, zero-width characters, and hyphens between letters, also at a line end.
 */
const MARK =
  /(?<!\p{N})[*_`~]|[*_`~](?!\p{N})|[\u00ad\u200b-\u200d\u2060\ufeff]|(?<=\p{L})[-\u2010\u2011](?:[ \t]*\r?\n[ \t]*)?(?=\p{L})/u;
/** White space, bars of tables, and marks at the start of a line. */
const GAP = /\s+|\||(?<=^[ \t]{0,8})(?:#{1,6}|>|[-+•])(?=[ \t])/mu;

/** One step through a text; a run of plain characters is one. */
const piece = (skip: string) =>
  new RegExp(`(?<skip>${skip})|(?<gap>${GAP.source})|(?<run>[A-Za-z0-9]+|[\\u4e00-\\u9fff]+)|.`, "gmsu");
const foldAll = memoize(foldedBy(piece(`${MARK.source}|${LINK_MARKS.source}`)));
const foldBesideLinks = memoize(foldedBy(piece(MARK.source)));

/** White space beside Chinese does not count. */
const CLOSE_SET = /[\p{Script=Han}\u3000-\u303f，。；：！？、]/u;
const DASHES = /^\p{Pd}$|^−$/u;
const SAME: ReadonlyMap<string, string> = new Map([
  ...[..."“”„‟«»「」『』＂〝〞"].map((mark): [string, string] => [mark, '"']),
  ...[..."‘’‚‛′＇"].map((mark): [string, string] => [mark, "'"]),
  ["。", "."],
  ["、", ","],
  ["【", "["],
  ["】", "]"],
]);

/** Removes the punctuation before the first word and after the last, but not the signs of a number. */
function withoutEdges(text: string): string {
  const characters = [...text];
  const first = characters.findIndex((character) => /[\p{L}\p{N}]/u.test(character));
  const last = characters.findLastIndex((character) => /[\p{L}\p{N}%‰°℃)）]/u.test(character));
  return first < 0 ? "" : characters.slice(first, last + 1).join("");
}

/** Lower-cases the letters that keep their length. */
const lower = (text: string) =>
  text.replace(/\p{Lu}/gu, (letter) => (letter.toLowerCase().length === letter.length ? letter.toLowerCase() : letter));

/** True if neither edge cuts a word or a number in two. */
const isWhole = (text: string, start: number, end: number) => !isInsideWord(text, start) && !isInsideWord(text, end);

function isInsideWord(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 2), at);
  const after = text.slice(at, at + 2);
  if (/[\ud800-\udbff]$/.test(before) && /^[\udc00-\udfff]/.test(after)) return true;
  if (/\p{Script=Han}$/u.test(before) || /^\p{Script=Han}/u.test(after)) return false;
  if (/[\p{L}\p{N}\p{M}]$/u.test(before) && /^[\p{L}\p{N}\p{M}]/u.test(after)) return true;
  return /\p{N}$/u.test(before) ? /^[.,]\p{N}/u.test(after) : /\p{N}[.,]$/u.test(before) && /^\p{N}/u.test(after);
}

/** Finds every place of `needle` in `text` in linear time (Knuth, Morris, Pratt). */
function* occurrences(text: string, needle: string): Generator<number> {
  if (needle === "" || needle.length > text.length) return;
  // The runtime's own search is many times faster, but quadratic at worst: it is tried first if even that is cheap.
  if (text.length * needle.length < 10_000_000 && !text.includes(needle)) return;
  const back = new Int32Array(needle.length);
  for (let i = 1, k = 0; i < needle.length; i++) {
    while (k > 0 && needle.charCodeAt(i) !== needle.charCodeAt(k)) k = back[k - 1] ?? 0;
    if (needle.charCodeAt(i) === needle.charCodeAt(k)) k += 1;
    back[i] = k;
  }
  for (let i = 0, k = 0; i < text.length; i++) {
    while (k > 0 && text.charCodeAt(i) !== needle.charCodeAt(k)) k = back[k - 1] ?? 0;
    if (text.charCodeAt(i) === needle.charCodeAt(k)) k += 1;
    if (k === needle.length) {
      yield i + 1 - k;
      k = back[k - 1] ?? 0;
    }
  }
}
