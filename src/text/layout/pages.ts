import { visible } from "../decode.js";
import { struckOut } from "../marks.js";
import { gridsIn } from "./grids.js";
import { inOrder, type Line, type Piece } from "./regions.js";
import { baseline, inRows, isRaised, type Row, right, segments, textOf } from "./rows.js";
import { joined, type Table, tableAsMarkdown } from "./tables.js";
import type { Comment, Page, Rule, Word } from "./words.js";

/**
 * Returns each page as Markdown: columns one after the other, headings by size, tables with their header, without the
 * headers and footers that pages repeat. Pages without words are empty. Takes n log n time in the words of a page.
 */
export function pagesAsMarkdown(pages: readonly Page[]): string[] {
  const whole = withoutFrames(pages.map((page) => struck(sideways(page)))).map(laidOut);
  withHeaders(whole.map(({ pieces }) => pieces));
  const style = styleOf(
    pages,
    whole.flatMap(({ pieces }) => pieces),
  );
  const texts = whole.map((page) => markdownOf(page, style));
  const turned = pages.map((page) => pagesAsMarkdown(page.turned ?? []));
  const filled = whole.map(({ pieces }) => isFilled(pieces.at(-1)));
  return withSentencesWhole(texts, filled).map((text, i) => [text, ...(turned[i] ?? [])].filter(Boolean).join("\n\n"));
}

interface LaidOut {
  pieces: Piece[];
  comments: readonly Comment[];
  /** The marks of the notes at its foot. */
  notes: ReadonlySet<string>;
}

function laidOut({ words, rules = [], comments = [] }: Page): LaidOut {
  const shown = words.length > MOST_WORDS ? [] : rules;
  const { tables, rest } = gridsIn(words, shown);
  const notes = new Set(
    inRows(words).flatMap(({ words: [mark, next] }) =>
      mark && next && isRaised(mark, next) && /^(?:\d{1,3}|[*†‡§])$/.test(mark.text) ? [mark.text] : [],
    ),
  );
  return { pieces: inOrder(rest, tables, shown), comments, notes };
}

/** On a page. One with more is drawn by a program, not written. */
const MOST_WORDS = 50_000;

/** Marks words that a line crosses as struck out, and drops these lines. */
function struck(page: Page): Page {
  const { words, rules = [] } = page;
  const lines = rules.filter(({ x1, x2, y1, y2 }) => y2 - y1 < 1 && x2 - x1 > 2).sort((a, b) => a.y1 - b.y1);
  const crossed = new Map<Rule, Word[]>();
  for (const word of words) {
    const [from, to] = [word.y + 0.34 * word.height, word.y + 0.7 * word.height];
    for (let i = firstFrom(lines, from); i < lines.length; i++) {
      const line = lines[i];
      if (!line || line.y1 > to) break;
      if (Math.min(line.x2, right(word)) - Math.max(line.x1, word.x) < 0.6 * word.width) continue;
      const others = crossed.get(line);
      if (others) others.push(word);
      else crossed.set(line, [word]);
    }
  }
  // A line that goes on beside the words is drawn behind them, as in a chart.
  const strikes = new Map(
    [...crossed].filter(([{ x1, x2 }, [first, ...more]]) => {
      if (!first) return false;
      const [left, end] = [Math.min(first.x, ...more.map(({ x }) => x)), Math.max(right(first), ...more.map(right))];
      return left - x1 < first.height && x2 - end < first.height;
    }),
  );
  if (strikes.size === 0) return page;
  const all = new Set([...strikes.values()].flat());
  return {
    ...page,
    words: words.map((word) => (all.has(word) ? { ...word, text: struckOut(word.text) } : word)),
    rules: rules.filter((rule) => !strikes.has(rule)),
  };
}

/**
 * Turns a page of Chinese text that is written from the top down, letter by letter: its columns become rows, from right
 * to left.
 */
function sideways(page: Page): Page {
  const letters = page.words.filter(({ text }) => /^[\p{Script=Han}\u3000-\u303f\uff01-\uff60]$/u.test(text));
  if (letters.length < FEWEST) return page;
  const isNext = (a: Word, b: Word) =>
    Math.abs(a.x - b.x) < 0.3 * a.height && b.y - a.y > 0.8 * a.height && b.y - a.y < 1.5 * a.height;
  const isBeside = (a: Word, b: Word) => Math.abs(a.y - b.y) < 0.3 * a.height && b.x - right(a) < 0.3 * a.height;
  const count = (key: (word: Word) => number, then: (word: Word) => number, fits: (a: Word, b: Word) => boolean) => {
    const sorted = [...letters].sort((a, b) => key(a) - key(b) || then(a) - then(b));
    return sorted.filter((word, i) => i > 0 && fits(sorted[i - 1] as Word, word)).length;
  };
  const { x, y } = { x: (word: Word) => Math.round(word.x), y: (word: Word) => Math.round(word.y) };
  if (count(x, y, isNext) < 3 * count(y, x, isBeside) + FEWEST / 2) return page;
  const words = page.words.map((word) => ({
    ...word,
    x: word.y,
    y: page.width - word.x - word.height,
    width: word.height,
  }));
  return { ...page, width: page.height, height: page.width, words, rules: [] };
}

/** In letters. */
const FEWEST = 20;

/** Returns the index of the first line that lies at or below `y`. */
function firstFrom(lines: readonly Rule[], y: number): number {
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle]?.y1 ?? 0) < y) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Leaves out the first and last rows that about half of the pages share, apart from a page number in them. */
function withoutFrames(pages: readonly Page[]): Page[] {
  const rows = pages.map(({ words }) => inRows(words));
  const edges = rows.map((all) => all.filter((_, i) => i < EDGE || i >= all.length - EDGE));
  const counts = new Map<string, number>();
  for (const [page, lines] of edges.entries())
    for (const each of new Set(lines.flatMap((row) => shapes(row, page))))
      counts.set(each, (counts.get(each) ?? 0) + 1);
  const least = Math.max(3, Math.floor(pages.length / 2));
  const isShared = (shape: string) => (counts.get(shape) ?? 0) >= least;
  return pages.map((page, i) => {
    const frames = (edges[i] ?? []).filter((row) => shapes(row, i).some(isShared) && !isHead(row, rows[i] ?? []));
    if (frames.length === 0) return page;
    const dropped = new Set(frames.flatMap(({ words }) => words));
    return { ...page, words: page.words.filter((word) => !dropped.has(word)) };
  });
}

/** In rows. */
const EDGE = 2;

/** True for a row whose columns go on in the row below: the header of a table that is repeated on each page. */
function isHead(row: Row, rows: readonly Row[]): boolean {
  const below = rows[rows.indexOf(row) + 1];
  const parts = segments(row, 1);
  if (!below || parts.length < 2 || below.y - row.y > 3 * row.height) return false;
  return segments(below, 1).length >= parts.length;
}

/**
 * Returns a row as it is, and again for each number in it with that number less the page's index: rows that differ only
 * in the page number share such a shape.
 */
function shapes({ words }: Row, page: number): string[] {
  const line = textOf(words).trim();
  const numbers = line.length > LONGEST_FRAME ? [] : [...line.matchAll(/\d+/g)];
  return [
    line,
    ...numbers.map(({ 0: n, index }) => `${line.slice(0, index)}\0${Number(n) - page}${line.slice(index + n.length)}`),
  ];
}

/** In characters. */
const LONGEST_FRAME = 300;

/** Gives a table that goes on from the page before the header of its first part. */
function withHeaders(pages: readonly Piece[][]): void {
  for (const [i, pieces] of pages.entries()) {
    const [above, table] = [pages[i - 1]?.at(-1), pieces[0]];
    if (!above || !table || !("rows" in above) || !("rows" in table)) continue;
    const [head] = above.rows;
    const isSame =
      head !== undefined &&
      table.title === "" &&
      head.length === table.rows[0]?.length &&
      Math.abs(above.x - table.x) < NEAR_PAGE &&
      Math.abs(above.width - table.width) < NEAR_PAGE;
    if (!isSame || table.rows[0]?.every((cell, c) => cell === head[c])) continue;
    if (above.hasHeader) table.rows.unshift(head);
    table.hasHeader = above.hasHeader;
  }
}

/** In points. */
const NEAR_PAGE = 20;

interface Style {
  /** The size of most letters. */
  body: number;
  /** Larger sizes, largest first. */
  headings: readonly number[];
  /** The most frequent distance between two lines. */
  pitch: number;
}

function styleOf(pages: readonly Page[], pieces: readonly Piece[]): Style {
  const letters = new Map<number, number>();
  for (const { height, text } of pages.flatMap(({ words }) => words))
    letters.set(step(height), (letters.get(step(height)) ?? 0) + text.length);
  const pitches = new Map<number, number>();
  let before: Line | undefined;
  for (const piece of pieces) {
    if ("rows" in piece) {
      before = undefined;
      continue;
    }
    const pitch = before ? step(baseline(piece) - baseline(before)) : 0;
    if (pitch > 0) pitches.set(pitch, (pitches.get(pitch) ?? 0) + 1);
    before = piece;
  }
  const all = [...letters.values()].reduce((sum, count) => sum + count, 0);
  const most = (counts: Map<number, number>) => [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? 0;
  const body = most(letters);
  const larger = [...letters].filter(([height]) => height >= body * LARGER);
  const isFew = larger.reduce((sum, [, count]) => sum + count, 0) < all * FEW;
  const headings = isFew ? larger.map(([height]) => height).sort((a, b) => b - a) : [];
  return { body, headings, pitch: most(pitches) };
}

const LARGER = 1.15;
const FEW = 0.3;
const step = (height: number) => Math.round(height * 2) / 2;

/** Writes a page: paragraphs, headings, lists of tasks, tables, and each comment after what it stands beside. */
function markdownOf({ pieces, comments, notes }: LaidOut, { body, headings, pitch }: Style): string {
  let text = "";
  let before: { line: Line; level: number; isEntry: boolean } | undefined;
  const after = Map.groupBy(comments, (comment) => nearest(pieces, comment));
  const isLast = (i: number) => {
    const [piece, next] = [pieces[i], pieces[i + 1]];
    return !piece || !next || "rows" in piece || "rows" in next || isApart(next, piece, pitch, body);
  };
  const waiting: Comment[] = [...(after.get(-1) ?? [])];
  const add = (block: string) => {
    text += `${text === "" ? "" : "\n\n"}${block}`;
  };
  for (const [i, piece] of pieces.entries()) {
    if ("rows" in piece) {
      add(tableAsMarkdown(piece as Table));
      before = undefined;
    } else {
      const words = visible(textOf(piece.words, notes))
        .replace(/~~( ?)~~/g, "$1")
        .trim();
      if (words !== "") {
        const isTask = /^\[[ x]\] (?!.*\[[ x]\])/.test(words);
        const level = words.length <= LONGEST_HEADING && !isTask ? headings.indexOf(step(piece.height)) + 1 : 0;
        const line = isTask ? `- ${words}` : words;
        const goesOn =
          before &&
          level === 0 &&
          piece.isNextColumn &&
          before.line.right > before.line.edge - 2 * body &&
          OPEN_END.test(text) &&
          OPEN_START.test(words);
        const isEntry = ENTRY.test(words);
        const isNew =
          !before ||
          (!goesOn &&
            (level !== before.level || (isEntry && before.isEntry) || isApart(piece, before.line, pitch, body)));
        if (isNew) add(`${level > 0 ? `${"#".repeat(Math.min(level, 4))} ` : ""}${line}`);
        else text = isTask ? `${text}\n${line}` : joined(text, words, level > 0 ? " " : "\n");
        before = { line: piece, level, isEntry };
      }
    }
    waiting.push(...(after.get(i) ?? []));
    if (isLast(i)) for (const comment of waiting.splice(0)) add(commented(comment));
  }
  for (const comment of waiting) add(commented(comment));
  return text;
}

const LONGEST_HEADING = 150;

/** A line of a form or of the head of a letter: a label, a colon and a value. Two of them are two statements. */
const ENTRY = /^(?:\p{Lu}[^\n:.!?。！？]{0,40}:\s|\p{Script=Han}[^\n：。！？]{0,15}：)/u;

/** True if a line begins a paragraph: it is far from the line above, or of another size. */
function isApart(line: Line, above: Line, pitch: number, body: number): boolean {
  const gap = baseline(line) - baseline(above);
  return (
    line.isApart ||
    above.isLast ||
    gap > pitch * APART ||
    gap < -body ||
    Math.abs(line.height - above.height) > 0.12 * above.height
  );
}

/** A line begins a paragraph if its distance from the line above is more than this many usual distances. */
const APART = 1.3;

/** Returns the index of the piece beside which a comment stands. */
function nearest(pieces: readonly Piece[], { x, y }: Comment): number {
  let best = -1;
  let least = Number.POSITIVE_INFINITY;
  for (const [i, piece] of pieces.entries()) {
    const end = "rows" in piece ? piece.x + piece.width : piece.right;
    const below = Math.max(0, piece.y - y, y - piece.y - piece.height);
    const beside = Math.max(0, piece.x - x, x - end);
    if (below * 3 + beside < least) [best, least] = [i, below * 3 + beside];
  }
  return best;
}

function commented({ author, text }: Comment): string {
  const words = visible(text).replace(/\s+/g, " ").trim();
  const isChinese = /\p{Script=Han}/u.test(words);
  if (author === "") return isChinese ? `> 批注：${words}` : `> Comment: ${words}`;
  return isChinese ? `> 批注（${author}）：${words}` : `> Comment by ${author}: ${words}`;
}

/** True if the last line of a page is about as long as the others of its column, so that its sentence may go on. */
const isFilled = (piece: Piece | undefined): boolean =>
  piece !== undefined && "words" in piece && piece.right - piece.x >= (piece.edge - piece.x) / 2;

/**
 * Moves the end of a sentence to the page on which it began, and a heading to the page of its text.
 * @param filled for each page, whether its last line is filled (`isFilled`).
 */
function withSentencesWhole(pages: readonly string[], filled: readonly boolean[]): string[] {
  const whole = [...pages];
  for (let i = 1; i < whole.length; i++) {
    const [before = "", page = ""] = [whole[i - 1], whole[i]];
    const heading = /(?:^|\n\n)(#{1,4} [^\n]*)$/.exec(before);
    const end = /^.{1,400}?(?:[.!?](?=\s|$)|[。！？])/s.exec(page)?.[0];
    if (heading && page !== "") {
      whole[i - 1] = before.slice(0, heading.index);
      whole[i] = `${heading[1]}\n\n${page}`;
    } else if (filled[i - 1] && end && !end.includes("\n\n") && OPEN_END.test(before) && OPEN_START.test(page)) {
      whole[i - 1] = joined(before, end, "\n");
      whole[i] = page.slice(end.length).trimStart();
    }
  }
  return whole;
}

const OPEN_END = /[\p{L}\p{N},，、;；-]$/u;
const OPEN_START = /^[\p{Ll}\p{Script=Han}]/u;
