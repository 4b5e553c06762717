import { toError } from "../../errors.js";
import { visible } from "../../text/decode.js";
import { pagesAsMarkdown } from "../../text/layout/pages.js";
import { metadataOf } from "../../text/metadata.js";
import { type PdfLine, readPdf } from "../../tools/web/read-pdf.js";
import { EncryptedError, type FormatReader, inLine, inParts, mostCharacters, numbered } from "./content.js";
import { resultOf, scanPlace, wordsOf } from "./scans.js";

/**
 * A PDF by page. Headings are recognised by letter size, paragraphs by line spacing. Headers and footers that pages
 * repeat are left out. A sentence that runs over the end of a page belongs to the page on which it begins.
 */
export const pdf: FormatReader = async (bytes, _name, scans) => {
  const read = await readPdf(bytes, {
    pages: Number.POSITIVE_INFINITY,
    characters: mostCharacters(bytes.length) + 1,
  }).catch((error: unknown) => {
    throw reasonOf(error);
  });
  const { title, modified, published, stated } = read;
  const pages = withoutFrames(read.pages.map((lines) => lines.filter(({ text }) => WORDS.test(text))));
  if (!scans && pages.every((lines) => lines.length === 0))
    throw new Error(
      `It is a scan: ${pages.length} pages of pictures without text, and nothing on this machine can read them. Install a runtime: npm install onnxruntime-web. Or recognise its text (OCR), then ingest it again.`,
    );
  const results = pages.map((lines, i) => (scans && lines.length === 0 ? resultOf(scans, bytes, i) : undefined));
  const [first] = results;
  if (first && results.every((result) => result && "reason" in result))
    throw new Error("reason" in first ? first.reason : "");
  const scanned = results.map((result) => result && wordsOf(result));
  const scannedTexts = pagesAsMarkdown(scanned.filter((page) => page !== undefined));
  const typed = pages.map(markdownOf({ ...sizes(pages.flat()), gap: usualGap(pages) }));
  const texts = typed.map((text, i) => (scanned[i] ? (scannedTexts.shift() ?? "") : text));
  const about = {
    title: UNNAMED.test(title) ? "" : title,
    reviewedAt: modified || published,
    metadata: metadataOf(stated),
  };
  const whole = withSentencesWhole(texts, pages.map(isFilled)).map((text) => ({ text }));
  const parts = numbered(whole, "p.").map(({ name, text }, i) => {
    const page = scanned[i];
    return { name: page ? scanPlace(name, text, page.certainty) : name, text };
  });
  return inParts(parts, about);
};

/** Titles that programs write into a file without a title. */
const UNNAMED = /^\W*(?:anonymous|untitled|unspecified)\W*$|\.(?:docx?|pptx?|xlsx?|odt|indd|tex|dvi)$/i;
const WORDS = /[\p{L}\p{N}]/u;

function reasonOf(thrown: unknown): Error {
  const error = toError(thrown);
  if (error.name === "PasswordException") return new EncryptedError();
  return new Error(`It cannot be read as PDF (${error.message}). It is damaged or incomplete: save it anew.`, {
    cause: error,
  });
}

/** Leaves out the first and last lines that about half of the pages share, apart from a page number in them. */
function withoutFrames(pages: readonly PdfLine[][]): PdfLine[][] {
  const isEdge = (i: number, { length }: readonly PdfLine[]) => i < EDGE || i >= length - EDGE;
  const counts = new Map<string, number>();
  for (const [page, lines] of pages.entries())
    for (const each of new Set(lines.filter((_, i) => isEdge(i, lines)).flatMap((line) => shapes(line, page))))
      counts.set(each, (counts.get(each) ?? 0) + 1);
  const least = Math.max(3, Math.floor(pages.length / 2));
  const isShared = (shape: string) => (counts.get(shape) ?? 0) >= least;
  return pages.map((lines, page) => lines.filter((line, i) => !isEdge(i, lines) || !shapes(line, page).some(isShared)));
}

/** In lines. */
const EDGE = 2;

/**
 * Returns a line as it is, and again for each number in it with that number less the page's index: lines that differ
 * only in the page number share such a shape.
 */
function shapes({ text }: PdfLine, page: number): string[] {
  const line = inLine(text);
  const numbers = line.length > LONGEST_FRAME ? [] : [...line.matchAll(/\d+/g)];
  return [
    line,
    ...numbers.map(({ 0: n, index }) => `${line.slice(0, index)}\0${Number(n) - page}${line.slice(index + n.length)}`),
  ];
}

/** In characters. */
const LONGEST_FRAME = 300;

/**
 * Returns the height of most letters, and the larger heights, largest first: headings, unless many letters are larger.
 */
function sizes(lines: readonly PdfLine[]): { body: number; headings: number[] } {
  const letters = new Map<number, number>();
  for (const { text, height } of lines) letters.set(step(height), (letters.get(step(height)) ?? 0) + text.length);
  const all = [...letters.values()].reduce((sum, count) => sum + count, 0);
  const [[body] = [0]] = [...letters].sort(([, a], [, b]) => b - a);
  const larger = [...letters].filter(([height]) => height >= body * LARGER);
  const isFew = larger.reduce((sum, [, count]) => sum + count, 0) < all * FEW;
  return { body, headings: isFew ? larger.map(([height]) => height).sort((a, b) => b - a) : [] };
}

const LARGER = 1.15;
const FEW = 0.3;
const step = (height: number) => Math.round(height * 2) / 2;

/** Returns the most frequent distance between two lines. */
function usualGap(pages: readonly PdfLine[][]): number {
  const gaps = new Map<number, number>();
  for (const lines of pages)
    for (const [i, { y }] of lines.entries()) {
      const gap = step((lines[i - 1]?.y ?? y) - y);
      if (gap > 0) gaps.set(gap, (gaps.get(gap) ?? 0) + 1);
    }
  const [[usual] = [0]] = [...gaps].sort(([, a], [, b]) => b - a);
  return usual;
}

/** Returns a function that writes a page as Markdown. */
const markdownOf =
  ({ body, headings, gap: usual }: { body: number; headings: readonly number[]; gap: number }) =>
  (lines: readonly PdfLine[]): string => {
    let text = "";
    let before: { y: number; level: number } | undefined;
    for (const { text: raw, height, y } of lines) {
      const words = inLine(visible(raw));
      const level = words.length <= LONGEST_HEADING ? headings.indexOf(step(height)) + 1 : 0;
      const gap = before ? before.y - y : 0;
      const isApart = before !== undefined && (level !== before.level || gap > usual * APART || gap < -body);
      if (text === "" || isApart)
        text += `${text === "" ? "" : "\n\n"}${level > 0 ? `${"#".repeat(Math.min(level, 4))} ` : ""}${words}`;
      else text = level > 0 ? `${text} ${words}` : withLine(text, words);
      before = { y, level };
    }
    return text;
  };

const LONGEST_HEADING = 150;

/** A line begins a paragraph if its distance from the line above is more than this many usual distances. */
const APART = 1.3;

/** Joins two lines of a paragraph. Drops the line end inside a hyphenated word and between Chinese characters. */
function withLine(text: string, line: string): string {
  const end = text.slice(-3);
  if (/\p{Ll}-$/u.test(end) && /^\p{Ll}/u.test(line)) return text.slice(0, -1) + line;
  return CHINESE_END.test(end) && CHINESE_START.test(line) ? text + line : `${text}\n${line}`;
}

const CHINESE_END = /[\p{Script=Han}\u3000-\u303f\uff01-\uff65]$/u;
const CHINESE_START = /^[\p{Script=Han}\u3000-\u303f\uff01-\uff65]/u;

/** True if the last line of a page is about as long as the others, so that its sentence may go on. */
function isFilled(lines: readonly PdfLine[]): boolean {
  const longest = lines.reduce((most, { text }) => Math.max(most, text.trim().length), 0);
  return (lines.at(-1)?.text.trim().length ?? 0) >= longest / 2;
}

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
      whole[i - 1] = withLine(before, end);
      whole[i] = page.slice(end.length).trimStart();
    }
  }
  return whole;
}

const OPEN_END = /[\p{L}\p{N},，、;；-]$/u;
const OPEN_START = /^[\p{Ll}\p{Script=Han}]/u;
