import type { Span } from "../types/evidence.js";
import { languageOf } from "./language.js";
import { among, OPENERS, POINTERS, set } from "./lexicon.js";
import { simplified } from "./simplified.js";
import { piecesIn } from "./token-count.js";
import { RUN } from "./tokens.js";

/** Cuts running text inside `block` into sentences: trimmed, as offsets into `text`. */
export function proseSentences(text: string, block: Span): Span[] {
  const slice = text.slice(block.start, block.end);
  const ends = slice.matchAll(END).flatMap(({ index, 0: mark }) => {
    const end = index + mark.length;
    return endsSentence(slice, index, end) ? [end] : [];
  });
  let start = 0;
  return [...ends, slice.length].flatMap((end) => {
    const body = slice.slice(start, end);
    const from = start + (LEAD.exec(body)?.[0].length ?? 0);
    const to = start + body.trimEnd().length;
    start = end;
    return to > from ? [{ start: block.start + from, end: block.start + to }] : [];
  });
}

/** Sentence marks of any script with the closing quotes, brackets, emphasis and footnote numbers after them. */
const END = /(?:(?:；|(?!\.)\p{Sentence_Terminal})+|\.+)(?:[”’"'」』）)\]】》*_`]|\[\d{1,3}\]|[⁰¹²³⁴-⁹]{1,3})*/gu;

/** White space, and the marks of a quoted line if the sentence starts on one. */
const LEAD = /^\s*(?:(?<=\n[ \t]*)(?:>[ \t]?)+\s*)?/;

function endsSentence(slice: string, at: number, end: number): boolean {
  const mark = slice.charAt(at);
  if ("。！？；".includes(mark)) return true;
  const after = slice.slice(end, end + 40);
  if (after === "") return true;
  if (!/^\s/.test(after))
    return /^\p{Script=Han}/u.test(after) && /[\p{Script=Han}!?]/u.test(slice.charAt(at - 1) + mark);
  const next = after.trimStart().replace(OPENING_MARKS, "");
  if (/^\p{Ll}/u.test(next)) return false;
  if (mark !== ".") return true;
  // "am 3. Oktober": some languages write an ordinal number with a full stop.
  if (/(?<![\p{L}\p{N}.,])\d{1,2}$/u.test(slice.slice(0, at)) && languageOf(slice) === "other") return false;
  return endsAfter(slice.slice(Math.max(0, at - 24), at), next);
}

/** True if a full stop between `before` and `next` ends a sentence. */
function endsAfter(before: string, next: string): boolean {
  const word = WORD_BEFORE.exec(before)?.[0] ?? "";
  const lower = word.toLowerCase();
  if (TITLES.has(lower)) return false;
  if (NUMBERED.has(lower)) return !/^[\p{N}IVX]/u.test(next);
  const starter = STARTERS.has(/^[\p{L}']+/u.exec(next)?.[0] ?? "");
  if (/^\p{Lu}$/u.test(word)) return starter && !/(?:\p{Lu}\.\s?)$/u.test(before.slice(0, -1));
  if (ABBREVIATIONS.has(lower) || /^(?:\p{L}\.)+\p{L}$/u.test(word)) return starter;
  return true;
}

const OPENING_MARKS = /^["'“‘«([（「『《*_`]+/u;
const WORD_BEFORE = /[\p{L}\p{M}](?:[\p{L}\p{M}.])*$/u;

/** Abbreviations before a name or a word. */
const TITLES = set(
  "mr mrs ms mx dr prof rev hon st sr jr gen col capt lt sgt cmdr gov sen rep pres messrs mt ft vs cf viz e.g i.e eg ie approx",
);
/** Abbreviations before a number; they end a sentence if none follows. */
const NUMBERED = set("no nos fig figs vol ch chap sec art pp p eq ref tab");
/** Abbreviations that end a sentence if a typical first word follows. */
const ABBREVIATIONS = set(
  "inc ltd co corp llc plc bros dept univ est etc al jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun a.m p.m am pm u.s u.k u.n e.u ph.d b.c a.d d.c ave blvd rd",
);
const STARTERS = new Set([...OPENERS, "One", "Two", "Three", "First", "Second", "See"]);
// These may be names: "Robert J. May".
for (const name of ["Can", "May", "Will"]) STARTERS.delete(name);

/** True for a question, but not for a statement that ends with a quoted one ("Who?"). */
export const asks = (sentence: string): boolean => /[?？][\s*_)）]*$/u.test(sentence);

/** True if a sentence begins with a word such as "it" or "this", and says little without the sentence before it. */
export const isAnaphoric = (sentence: string) =>
  LEANS.test(simplified(sentence.slice(0, 40))) && languageOf(sentence) !== "other";

const LEANS = new RegExp(
  `^["“*_]*(?:(?:${among(POINTERS.en)}|such|both|the (?:former|latter|same)|here|there)\\b(?! (?:is|are|was|were) no\\b)|${among(POINTERS.zh)}|两者|前者|后者)`,
  "i",
);

/**
 * Counts words; two characters of a script without spaces, such as Chinese, count as one. What is no prose, such as
 * base64 or symbols, counts as a word for every three tokens.
 */
export const sizeOf = (text: string): number => Math.max(wordsIn(text), piecesIn(text) / MOST_PIECES);

/** More than the words of any prose. */
const MOST_PIECES = 3;

function wordsIn(text: string): number {
  if (/^[\0-\x7f]*$/.test(text)) return text.match(/[A-Za-z0-9]+/g)?.length ?? 0;
  return (text.match(WORD)?.length ?? 0) - (text.match(IN_RUN)?.length ?? 0) / 2;
}

const IN_RUN = new RegExp(`[${RUN}]`, "gu");
const WORD = new RegExp(`[${RUN}]|(?:(?![${RUN}])[\\p{L}\\p{N}])+`, "gu");
