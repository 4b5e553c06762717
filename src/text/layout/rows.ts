import { superscript } from "../marks.js";
import type { Word } from "./words.js";

/** Words on one baseline, from left to right. */
export interface Row {
  words: Word[];
  /** Of most of its letters: the top, and the size. */
  y: number;
  height: number;
}

/** Groups words by their baselines, from the top down. Raised and lowered small words belong to the row beside them. */
export function inRows(words: readonly Word[]): Row[] {
  const rows: Row[] = [];
  for (const word of [...words].sort((a, b) => baseline(a) - baseline(b))) {
    const row = rows.at(-1);
    const isSame = row && Math.abs(baseline(word) - baseline(row)) <= 0.3 * Math.min(word.height, row.height);
    if (isSame) row.words.push(word);
    else rows.push({ words: [word], y: word.y, height: word.height });
  }
  for (const row of rows) measure(row);
  const whole = withSmallWords(rows).sort((a, b) => a.y - b.y);
  for (const { words } of whole) words.sort((a, b) => a.x - b.x);
  return whole;
}

/** Where letters stand, from the top of the page. */
export const baseline = ({ y, height }: { y: number; height: number }): number => y + 0.8 * height;
export const right = ({ x, width }: Word): number => x + width;

function measure(row: Row): void {
  const letters = new Map<number, number>();
  for (const { height, text } of row.words) letters.set(height, (letters.get(height) ?? 0) + text.length);
  const [[most] = [row.height]] = [...letters].sort(([, a], [, b]) => b - a);
  const word = row.words.find(({ height }) => height === most) ?? row;
  row.y = word.y;
  row.height = word.height;
}

/** Moves raised and lowered words to the row of the larger word before them. */
function withSmallWords(rows: readonly Row[]): Row[] {
  for (const [i, row] of rows.entries()) {
    const beside = [rows[i + 1], rows[i + 2], rows[i - 1], rows[i - 2]].filter(
      (other): other is Row =>
        other !== undefined &&
        row.height < SMALLER * other.height &&
        Math.abs(baseline(row) - baseline(other)) < 0.85 * row.height,
    );
    if (beside.length === 0) continue;
    const left = new Set<Word>();
    for (const word of row.words.sort((a, b) => a.x - b.x)) {
      const near = (other: Word) =>
        other.height * SMALLER > word.height &&
        word.x - right(other) < 0.6 * other.height &&
        right(word) - other.x > -0.6 * other.height;
      const home = beside.find(({ words }) => words.some(near));
      if (home) home.words.push(word);
      else left.add(word);
    }
    row.words = [...left];
  }
  return rows.filter(({ words }) => words.length > 0);
}

const SMALLER = 0.92;

/**
 * Cuts a row where it is blank for more than `gap`, in sizes of its letters.
 */
export function segments({ words, height }: Row, gap: number): Word[][] {
  const parts: Word[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const word of words) {
    const part = parts.at(-1);
    if (part && word.x - end <= gap * Math.max(height, 1)) part.push(word);
    else parts.push([word]);
    end = Math.max(end, right(word));
  }
  return parts;
}

/**
 * Joins the words of a row. A small raised word after another is a superscript, unless it is one of the notes of the
 * page, whose marks are left out.
 * @param notes the marks of the notes that the page has.
 */
export function textOf(words: readonly Word[], notes: ReadonlySet<string> = NONE): string {
  let text = "";
  let raised = "";
  let before: Word | undefined;
  /** The last word that is not raised. */
  let base: Word | undefined;
  const finish = () => {
    if (raised !== "" && !(notes.has(raised) && !isPower(text)))
      text += /^\[.*\]$/.test(raised) ? raised : superscript(raised);
    raised = "";
  };
  for (const word of words) {
    const gap = before ? word.x - right(before) : 0;
    if (before && base && isRaised(word, base) && gap < 0.35 * base.height) raised += word.text;
    else {
      finish();
      const isNote = before !== undefined && before === words[0] && isRaised(before, word);
      const isApart =
        before && (isNote || gap > SPACE * Math.min(word.height, before.height) || isBox(word) || isBox(before));
      if (isApart && !(HAN_END.test(text) && HAN_START.test(word.text) && gap < word.height / 2)) text += " ";
      text += word.text;
      base = word;
    }
    before = word;
  }
  finish();
  return text;
}

const NONE: ReadonlySet<string> = new Set();
const SPACE = 0.13;
const HAN_END = /[\p{Script=Han}\u3000-\u303f\uff01-\uff65]$/u;
const HAN_START = /^[\p{Script=Han}\u3000-\u303f\uff01-\uff65]/u;

const isBox = ({ text }: Word) => /^\[[ x]\]$/.test(text);

/** True after a short name or the number 10, which are raised to a power, such as m², and not marked by a note. */
const isPower = (text: string) => /(?:^|[^\p{L}\p{N}])(?:[\p{Script=Latin}\p{Script=Greek}]{1,2}|10)$/u.test(text);

export function isRaised(word: Word, base: Word): boolean {
  const rise = baseline(base) - baseline(word);
  return word.height <= SMALLER * base.height && rise > 0.15 * base.height && rise < 0.8 * base.height;
}
