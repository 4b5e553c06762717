import { createHash } from "node:crypto";
import { languageOf } from "../../text/language.js";
import type { Page, Word } from "../../text/layout/words.js";
import { uncertain } from "../../text/marks.js";
import { certaintyOf, type ReadWord } from "../../tools/ocr/read-page.js";
import type { Scan, ScanResult } from "../../tools/ocr/read-scan.js";

/** The pictures of text in a document: what was read on them, and which are still to be read. */
export interface Scans {
  read: ReadonlyMap<string, ScanResult>;
  /** By key. A reader adds what it lacks, and is called again with it. */
  wanted: Map<string, Scan>;
}

/** @throws TooManyScansError if a document has too many. */
export function resultOf({ read, wanted }: Scans, bytes: Uint8Array, page: number): ScanResult | undefined {
  const key = scanKey(bytes, page);
  const result = read.get(key);
  if (result) return result;
  if (read.size + wanted.size >= MOST_SCANS)
    throw new Error(`It has more than ${MOST_SCANS} pictures of text. Split it, or leave it out.`);
  const isShared = [...wanted.values()].some((scan) => scan.bytes === bytes);
  const held = [...new Set([...wanted.values()].map((scan) => scan.bytes))].reduce(
    (sum, { length }) => sum + length,
    0,
  );
  // The others are asked for when these were read.
  if (wanted.size === 0 || isShared || held + bytes.length <= AT_ONCE) wanted.set(key, { key, bytes, page });
  return undefined;
}

/** Returns the key under which what is read on a page is remembered. */
export const scanKey = (bytes: Uint8Array, page: number): string =>
  createHash("sha256").update(`${VERSION} ${page}\n`).update(bytes).digest("hex");

/** Raise it if pages are read differently. */
const VERSION = "1";
const MOST_SCANS = 1_000;
/** In bytes: what the pictures of one round may take. */
const AT_ONCE = 50_000_000;

/** What was read on a scan, as words of a page. */
export interface ScannedPage extends Page {
  /** How sure its letters are on average, 0 to 1; undefined if nothing could be read. */
  certainty: number | undefined;
}

/**
 * Returns what was read as words of a page, in points, whose uncertain words are marked. If nothing could be read, its
 * only word says so.
 */
export function wordsOf(result: ScanResult | undefined): ScannedPage {
  if (!result || "reason" in result) {
    const words = result ? [{ text: uncertain(""), x: 0, y: 0, width: 10, height: 10 }] : [];
    return { width: 595, height: 842, words, certainty: undefined };
  }
  const { width, height, lines } = result;
  const points = (pixels: number) => Math.round(pixels * (72 / DOTS) * 10) / 10;
  const parts = levelled(lines.flatMap(partsOf));
  const heights = sizesOf(parts);
  const words: Word[] = parts.map((part, i) => {
    const [first, last] = [part[0], part.at(-1)];
    const text = part
      .map((word) => (word.confidence < DOUBTED ? uncertain(word.text) : word.text))
      .join(" ")
      .replace(AFTER_MARK, "");
    const size = (heights[i] ?? 0) * (/\p{Script=Han}/u.test(text) ? CHINESE_SIZE : SIZE);
    return {
      text,
      x: points(first?.x ?? 0),
      y: points((first?.y ?? 0) - size / 2),
      width: points((last?.x ?? 0) + (last?.width ?? 0) - (first?.x ?? 0)),
      height: points(size),
    };
  });
  return {
    width: points(width),
    height: points(height),
    words,
    certainty: lines.length === 0 ? undefined : certaintyOf(lines),
  };
}

/** The size of a font, in heights of its letters. */
const SIZE = 1.35;
const CHINESE_SIZE = 1.1;

/** How many dots of a scan are an inch, where nothing says so. */
const DOTS = 200;

/** A word with a character that is less certain than that is marked. */
const DOUBTED = 0.7;
/** Between clauses of Chinese. */
const AFTER_MARK = /(?<=[\u3001\u3002\uff01\uff0c\uff1a\uff1b\uff1f]) /g;

/** Parts a line where a gap is wide, as between the cells of a table. */
function partsOf(line: readonly ReadWord[]): ReadWord[][] {
  const parts: ReadWord[][] = [];
  for (const word of line) {
    const last = parts.at(-1)?.at(-1);
    if (last && word.x - (last.x + last.width) < WIDE * word.height) parts.at(-1)?.push(word);
    else parts.push([word]);
  }
  return parts;
}

/** In heights of its letters. */
const WIDE = 2.5;

/**
 * Levels what is left of a tilt. Short words do not show it, but the cells of a wide table would fall into rows of their
 * own: the median slope between each part and the next one to its right counts.
 */
function levelled(parts: readonly ReadWord[][]): ReadWord[][] {
  const slopes = parts.flatMap(([first]) => {
    if (!first) return [];
    const beside = parts.flatMap(([word]) => {
      const isBeside = word && word.x > first.x && Math.abs(word.y - first.y) < first.height * BESIDE;
      return isBeside ? [word] : [];
    });
    const next = beside.reduce<ReadWord | undefined>((a, b) => (a && a.x <= b.x ? a : b), undefined);
    return next ? [(next.y - first.y) / (next.x - first.x)] : [];
  });
  const slope = slopes.length < FEWEST_SLOPES ? 0 : (slopes.sort((a, b) => a - b)[slopes.length >> 1] ?? 0);
  return inLine(parts.map((part) => part.map((word) => ({ ...word, y: word.y - slope * word.x }))));
}

/** Gives parts that stand on one line the same height on the page: a box may be taller than its letters. */
function inLine(parts: readonly ReadWord[][]): ReadWord[][] {
  const heights = parts.flatMap(([first]) => first?.height ?? []).sort((a, b) => a - b);
  const near = ON_LINE * (heights[heights.length >> 1] ?? 0);
  const rows: { parts: ReadWord[][]; sum: number }[] = [];
  for (const part of parts.toSorted(([a], [b]) => (a?.y ?? 0) - (b?.y ?? 0))) {
    const y = part[0]?.y ?? 0;
    const row = rows.at(-1);
    if (row && y - row.sum / row.parts.length < near) {
      row.parts.push(part);
      row.sum += y;
    } else rows.push({ parts: [part], sum: y });
  }
  const middle = new Map(
    rows.flatMap((row) => row.parts.map((part) => [part, row.parts[row.parts.length >> 1]?.[0]?.y ?? 0] as const)),
  );
  return parts.map((part) => part.map((word) => ({ ...word, y: middle.get(part) ?? word.y })));
}

/** In usual heights of letters. */
const ON_LINE = 0.45;

/** In heights of letters. */
const BESIDE = 0.7;
const FEWEST_SLOPES = 4;

/**
 * Returns a height for each part: those that differ little count as one size, which is the middle one of them, or that
 * of most letters.
 */
function sizesOf(parts: readonly (readonly ReadWord[])[]): number[] {
  const letters = parts.flatMap((part) => part.flatMap(({ text, height }) => Array<number>(text.length).fill(height)));
  const usual = letters.sort((a, b) => a - b)[letters.length >> 1] ?? 0;
  // Short words may lack the letters that reach up or down.
  const sizes = parts.map(([{ height = 0 } = {}]) => (height < usual * ALIKE && height > usual / 2 ? usual : height));
  const order = [...sizes.keys()].sort((a, b) => (sizes[a] ?? 0) - (sizes[b] ?? 0));
  for (let start = 0; start < order.length; ) {
    const least = sizes[order[start] ?? 0] ?? 0;
    let end = start;
    while (end < order.length && (sizes[order[end] ?? 0] ?? 0) <= least * ALIKE) end += 1;
    const middle = sizes[order[(start + end) >> 1] ?? 0] ?? least;
    for (const i of order.slice(start, end)) sizes[i] = middle;
    start = end;
  }
  return sizes;
}

const ALIKE = 1.3;

/** Adds to the name of a place that it was read by OCR, and how certain that is, in the language of the text. */
export function scanPlace(name: string, text: string, certainty: number | undefined): string {
  const isChinese = languageOf(text) === "zh" || /\p{Script=Han}/u.test(name);
  const share = certainty === undefined ? undefined : Math.floor(100 * certainty);
  const what = isChinese
    ? share === undefined
      ? "图像，无法识读"
      : `扫描识别，可信度${share}%`
    : share === undefined
      ? "picture, could not be read"
      : `scan, ${share} % certain`;
  if (name === "") return what;
  return isChinese ? `${name}（${what}）` : `${name} (${what})`;
}

/** True if a picture is too small to hold text that matters, such as an icon or a line. */
export const isTiny = ({ width, height }: { width: number; height: number }): boolean =>
  width < 80 || height < 20 || width * height < 10_000;
