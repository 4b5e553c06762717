import type { Page } from "./words.js";

/** A part of a page, in shares of its width and height, from its top left. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A letter of a page in lower case, and where it stands. */
interface Letter {
  /** The index of its word. */
  word: number;
  /** Where it begins and ends within its word, in shares. */
  from: number;
  to: number;
}

/**
 * Returns the boxes of quotes on the page as it is shown: one for each line, or part of a line, of a quote. Only letters and
 * figures are compared, so that hyphens, bullets and the marks of Markdown do not matter. A quote that goes on elsewhere, or
 * whose words are drawn in another order, is found in pieces. What is not found has no box.
 * @param text the passage with the quotes. What stands before a quote tells it from the same words elsewhere on the page.
 */
export function quoteBoxes(page: Page, text: string, quotes: readonly string[]): Box[] {
  const frames = [page, ...(page.turned ?? [])].map((frame) => ({ frame, ...lettersOf(frame) }));
  return quotes.flatMap((quote) => {
    const at = text.indexOf(quote);
    const before = at < 0 ? "" : plain(text.slice(Math.max(0, at - CONTEXT), at));
    const found = frames.map(({ frame, letters, all }) => ({
      frame,
      letters,
      runs: runsOf(plain(quote).slice(0, LONGEST), { letters, all }, before),
    }));
    const [best] = found.toSorted((a, b) => lengthOf(b.runs) - lengthOf(a.runs));
    return best ? best.runs.flatMap((run) => boxesOf(best.frame, best.letters.slice(run.start, run.end))) : [];
  });
}

/** In letters. */
const CONTEXT = 300;
const LONGEST = 5_000;

interface Run {
  start: number;
  end: number;
}

const lengthOf = (runs: readonly Run[]) => runs.reduce((sum, { start, end }) => sum + end - start, 0);

const plain = (text: string) =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");

function lettersOf({ words }: Page) {
  const letters: Letter[] = [];
  let all = "";
  for (const [word, { text }] of words.entries()) {
    const signs = [...text];
    const own = signs.flatMap((sign, i) =>
      plain(sign)
        .split("")
        .map((letter): [string, Letter] => [letter, { word, from: i / signs.length, to: (i + 1) / signs.length }]),
    );
    for (const [i, [letter, place]] of own.entries()) {
      // Other signs at the ends of a word belong to its outer letters.
      letters.push({ ...place, ...(i === 0 && { from: 0 }), ...(i === own.length - 1 && { to: 1 }) });
      all += letter;
    }
  }
  return { letters, all };
}

/** Finds the whole quote, or else its longest pieces from left to right. */
function runsOf(quote: string, { letters, all }: ReturnType<typeof lettersOf>, before: string): Run[] {
  if (quote === "") return [];
  const [whole] = placesOf(quote, all).toSorted((a, b) => alike(all, b, before) - alike(all, a, before));
  if (whole !== undefined) return [{ start: whole, end: whole + quote.length }];
  const runs: Run[] = [];
  let after = 0;
  for (let at = 0; at < quote.length; ) {
    const piece = quote.slice(at, at + (/\p{Script=Han}/u.test(quote[at] ?? "") ? SHORTEST_CHINESE : SHORTEST));
    const found = piece.length < SHORTEST_CHINESE ? [] : placesOf(piece, all);
    const candidates = found.map((start) => ({ start, end: endOf(quote, at, all, start) }));
    const [best] = candidates.toSorted(
      (a, b) => b.end - b.start - (a.end - a.start) || Math.abs(a.start - after) - Math.abs(b.start - after),
    );
    if (best && (best.end - best.start >= SHORTEST || piece.length < SHORTEST)) {
      // Its last letters may be the first ones of a word that is there by chance.
      const isWithin = (end: number) => letters[end - 1]?.word === letters[end]?.word;
      let { start, end } = best;
      if (at + end - start < quote.length) while (end > start && isWithin(end)) end -= 1;
      if (end === start) end = best.end;
      runs.push({ start, end });
      after = end;
      at += end - start;
    } else at += 1;
  }
  return runs;
}

/** In letters. A shorter piece may stand anywhere by chance. */
const SHORTEST = 10;
const SHORTEST_CHINESE = 4;

function placesOf(piece: string, all: string): number[] {
  const places: number[] = [];
  for (let at = all.indexOf(piece); at >= 0 && places.length < MOST; at = all.indexOf(piece, at + 1)) places.push(at);
  return places;
}

/** How many places are compared. */
const MOST = 200;

/** How many letters before a place are those before the quote. */
function alike(all: string, at: number, before: string): number {
  let count = 0;
  while (count < before.length && count < at && all[at - 1 - count] === before[before.length - 1 - count]) count += 1;
  return count;
}

function endOf(quote: string, at: number, all: string, start: number): number {
  let length = 0;
  while (at + length < quote.length && quote[at + length] === all[start + length]) length += 1;
  return start + length;
}

/** Returns the boxes of letters that follow each other: one for those on a line without a wide gap. */
function boxesOf({ words, width, height, degrees = 0 }: Page, letters: readonly Letter[]): Box[] {
  const parts: Box[] = [];
  for (const { word, from, to } of letters) {
    const place = words[word];
    if (!place) continue;
    const last = parts.at(-1);
    if (place.shownAt && degrees === 0) {
      const { x1, y1, x2, y2 } = place.shownAt;
      if (last?.x !== x1 || last.y !== y1) parts.push({ x: x1, y: y1, width: x2 - x1, height: y2 - y1 });
      continue;
    }
    const x = place.x + from * place.width;
    const end = place.x + to * place.width;
    const goesOn =
      last &&
      Math.abs(last.y - place.y) < LEVEL * place.height &&
      x > last.x - place.height / 2 &&
      x - (last.x + last.width) < WIDE * place.height;
    if (goesOn) last.width = Math.max(last.width, end - last.x);
    else parts.push({ x, y: place.y, width: end - x, height: place.height });
  }
  return parts.map((part) => shown(part, width, height, degrees));
}

/** The least gap, in sizes, that parts the boxes of a line. */
const WIDE = 2;
/** How far from each other the words of a box may stand, in sizes: the lines of a scan slope. */
const LEVEL = 0.15;

/** Turns a box back to the page as it is shown, and gives it in shares. Nothing is turned by other angles than right ones. */
function shown({ x, y, width, height }: Box, pageWidth: number, pageHeight: number, degrees: number): Box {
  const upright = { x: x / pageWidth, y: y / pageHeight, width: width / pageWidth, height: height / pageHeight };
  const side = { width: upright.height, height: upright.width };
  if (degrees === 90) return { x: 1 - upright.y - upright.height, y: upright.x, ...side };
  if (degrees === 270) return { x: upright.y, y: 1 - upright.x - upright.width, ...side };
  if (degrees === 180) return { ...upright, x: 1 - upright.x - upright.width, y: 1 - upright.y - upright.height };
  return upright;
}
