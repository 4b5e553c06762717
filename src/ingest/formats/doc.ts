import { checkBox } from "../../text/marks.js";
import { isoDate, metadataOf } from "../../text/metadata.js";
import { compoundFile, inCodePage, summaryOf } from "./compound.js";
import { allowance, EncryptedError, type FormatReader, inLine, inMarkdown, type SpendCharacters } from "./content.js";
import { counted } from "./docx.js";
import { comment, marked, type Run } from "./marked.js";
import { inBlocks, type Paragraph, type RowShape } from "./paragraphs.js";
import { symbol } from "./symbols.js";

/**
 * A document of Word 97 to 2003 (MS-DOC): headings, lists with their numbers, tables, notes, comments, headers and
 * footers, without deleted and hidden text.
 * @throws RangeError if it is damaged.
 */
export const doc: FormatReader = (bytes) => {
  const file = compoundFile(bytes);
  const main = file.stream("WordDocument");
  const flags = main.readUInt16LE(10);
  if (flags & 0x0100) throw new EncryptedError();
  if (main.readUInt16LE(2) < WORD_97)
    throw new Error("It is of Word 95 or older, which is not read. Save it as .docx, or as PDF.");
  const table = file.stream(flags & 0x0200 ? "1Table" : "0Table");
  const spend = allowance(bytes);
  const parts = { main, table, data: file.stream("Data") };
  const about = summaryOf(file);
  return inMarkdown(storiesOf(parts, spend), {
    title: about.title,
    reviewedAt: isoDate(about.saved.slice(0, 10)),
    metadata: metadataOf(about.stated),
  });
};

const WORD_97 = 0xc1;

interface Parts {
  main: Buffer;
  table: Buffer;
  data: Buffer;
}

/** The places of parts in the table stream, by their number in the header of the document. */
const PLACES = {
  styles: 1,
  noteMarks: 2,
  noteTexts: 3,
  commentMarks: 4,
  commentTexts: 5,
  headers: 11,
  characterRuns: 12,
  paragraphRuns: 13,
  fonts: 15,
  pieces: 33,
  commentAuthors: 36,
  endnoteMarks: 46,
  endnoteTexts: 47,
  lists: 73,
  listOverrides: 74,
} as const;

function storiesOf(parts: Parts, spend: SpendCharacters): string {
  const { main, table } = parts;
  const place = (name: keyof typeof PLACES) => {
    const at = 0x9a + 8 * PLACES[name];
    const start = main.readUInt32LE(at);
    return { start, end: start + main.readUInt32LE(at + 4) };
  };
  const partOf = (name: keyof typeof PLACES) => table.subarray(place(name).start, place(name).end);
  const lengths = [0x4c, 0x50, 0x54, 0x58, 0x5c, 0x60, 0x64, 0x68].map((at) => main.readInt32LE(at));
  const starts = lengths.map((_, i) => lengths.slice(0, i).reduce((sum, length) => sum + Math.max(0, length), 0));
  const [text = 0, notes = 0, headers = 0, , comments = 0, endnotes = 0, boxes = 0] = starts;

  const styles = stylesOf(partOf("styles"));
  const label = labels(partOf("lists"), table.subarray(place("lists").end), partOf("listOverrides"));
  const fonts = fontsIn(partOf("fonts"));
  const read = reader(parts, fonts, partOf("pieces"), partOf("characterRuns"), partOf("paragraphRuns"), styles, spend);
  const wordsOf = (from: number, to: number) =>
    inLine(
      read(from, to)
        .map(({ words }) => words)
        .join(" "),
    );
  /** Returns the texts of a kind of notes, by the positions of their marks. */
  const notesAt = (marks: Buffer, texts: Buffer, start: number, size: number) => {
    const count = Math.max(0, Math.floor((marks.length - 4) / (4 + size)));
    return Array.from({ length: count }, (_, i) => ({
      at: marks.readUInt32LE(4 * i),
      mark: marks.subarray(4 * (count + 1) + size * i, 4 * (count + 1) + size * (i + 1)),
      words: wordsOf(start + texts.readUInt32LE(4 * i), start + texts.readUInt32LE(4 * (i + 1))),
    }));
  };
  const authors = namesIn(partOf("commentAuthors"));
  const body = read(text, notes);
  const beside = [
    ...notesAt(partOf("noteMarks"), partOf("noteTexts"), notes, 2),
    ...notesAt(partOf("endnoteMarks"), partOf("endnoteTexts"), endnotes, 2),
    ...notesAt(partOf("commentMarks"), partOf("commentTexts"), comments, 30).map(({ at, mark, words }) => {
      const initials = mark.toString("utf16le", 2, 2 + 2 * Math.min(9, mark.readUInt16LE(0)));
      return { at, words: comment({ author: authors[mark.readUInt16LE(20)] ?? initials, words }) };
    }),
  ].sort((a, b) => a.at - b.at);
  let next = 0;
  const paragraphs = body.map((paragraph): Paragraph => {
    const own: string[] = [];
    for (; next < beside.length && (beside[next]?.at ?? 0) < paragraph.end; next++) own.push(beside[next]?.words ?? "");
    return { ...paragraph, item: label(paragraph), beside: own.filter((words) => words !== "") };
  });
  const edges = framesOf(partOf("headers")).map(({ from, to, isHeader }) => ({
    isHeader,
    words: read(headers + from, headers + to)
      .map(({ words }) => inLine(words))
      .filter((words) => /\p{L}/u.test(words))
      .join("\n\n"),
  }));
  const edge = (isTop: boolean) => new Set(edges.flatMap((one) => (one.isHeader === isTop ? [one.words] : [])));
  const boxed = inBlocks(
    read(boxes, starts[7] ?? boxes).map((one) => ({ ...one, item: undefined, beside: [] })),
    spend,
  );
  return [...edge(true), inBlocks(paragraphs, spend), boxed, ...edge(false)].filter(Boolean).join("\n\n");
}

/** Returns the ranges of headers and footers. The first six are the lines above notes; then each section has six. */
function framesOf(places: Buffer): { from: number; to: number; isHeader: boolean }[] {
  const found: { from: number; to: number; isHeader: boolean }[] = [];
  for (let i = 6; 4 * (i + 2) <= places.length; i++) {
    const [from, to] = [places.readUInt32LE(4 * i), places.readUInt32LE(4 * (i + 1))];
    // Even, odd and first headers come before the footers in this order: header, header, footer, footer, header, footer.
    if (to > from) found.push({ from, to, isHeader: [0, 1, 4].includes(i % 6) });
  }
  return found;
}

/** Returns the names in a list of strings, each with its length before it. */
function namesIn(list: Buffer): string[] {
  const names: string[] = [];
  for (let at = 0; at + 2 <= list.length; ) {
    const length = list.readUInt16LE(at);
    names.push(list.toString("utf16le", at + 2, at + 2 + 2 * length));
    at += 2 + 2 * length;
  }
  return names;
}

/** Returns the names of fonts, each after its length and 39 bytes about its look. */
function fontsIn(list: Buffer): string[] {
  const names: string[] = [];
  for (let at = 4; at < list.length; at += 1 + (list[at] ?? 0)) {
    const name = list.toString("utf16le", at + 40, at + 1 + (list[at] ?? 0));
    names.push(name.replace(/\0.*$/s, ""));
  }
  return names;
}

/** Formatting: operands by the codes of properties (sprm). */
type Properties = ReadonlyMap<number, Buffer>;

const STRUCK = 0x0837;
const STRUCK_TWICE = 0x2a53;
const HIDDEN = 0x083c;
const DELETED = 0x0800;
const RAISED = 0x2a48;
const RAISED_BY = 0x4845;
const STYLE_OF_RUN = 0x4a30;
const SYMBOL = 0x6a09;
const FORM_DATA = 0x6a03;
/** The font of a run for letters of several kinds. */
const FONTS = [0x4a4f, 0x4a51, 0x4a50];
const IN_TABLE = 0x2416;
const ENDS_ROW = 0x2417;
const DEPTH_OF_TABLE = 0x6649;
const OUTLINE = 0x2640;
const LIST_LEVEL = 0x260a;
const LIST = 0x460b;
const CELLS = 0xd608;
const MERGED = 0xd62b;
const ELSEWHERE = new Set([0x6646, 0x646b]);

function propertiesIn(list: Buffer, data?: Buffer): Map<number, Buffer> {
  const found = new Map<number, Buffer>();
  for (let at = 0; at + 2 < list.length; ) {
    const code = list.readUInt16LE(at);
    at += 2;
    let length = LENGTHS[code >> 13] ?? 0;
    if (code === CELLS) length = 1 + list.readUInt16LE(at);
    else if (code >> 13 === 6) length = 1 + (list[at] ?? 0);
    const operand = list.subarray(at, at + length);
    at += length;
    if (ELSEWHERE.has(code) && data && operand.length === 4) {
      const place = operand.readUInt32LE(0);
      if (place + 2 > data.length) continue;
      const more = data.subarray(place + 2, place + 2 + data.readUInt16LE(place));
      for (const [key, value] of propertiesIn(more)) found.set(key, value);
    } else found.set(code, operand);
  }
  return found;
}

const LENGTHS = [1, 1, 2, 4, 2, 2, 0, 3];

interface Style {
  /** Built-in styles have fixed numbers: 1 to 9 are headings, 62 the title. */
  kind: number;
  properties: Properties;
}

/** Returns the styles by their index. A style has the properties of the one that it is based on too. */
function stylesOf(sheet: Buffer): Style[] {
  if (sheet.length < 6) return [];
  const header = sheet.readUInt16LE(0);
  const count = sheet.readUInt16LE(2);
  const size = sheet.readUInt16LE(4);
  const own: { kind: number; base: number; properties: Map<number, Buffer> }[] = [];
  for (let at = 2 + header, i = 0; i < count && at + 2 <= sheet.length; i++) {
    const length = sheet.readUInt16LE(at);
    const style = sheet.subarray(at + 2, at + 2 + length);
    at += 2 + length + (length % 2);
    const properties = new Map<number, Buffer>();
    if (length < size + 4) {
      own.push({ kind: -1, base: NO_STYLE, properties });
      continue;
    }
    const isOfParagraphs = (style.readUInt16LE(2) & 0xf) === 1;
    let place = size + 2 + 2 * (style.readUInt16LE(size) + 1);
    for (let part = 0; part < (isOfParagraphs ? 2 : 1) && place + 2 <= style.length; part++) {
      const bytes = style.readUInt16LE(place);
      const skipped = isOfParagraphs && part === 0 ? 2 : 0;
      const list = style.subarray(place + 2 + skipped, place + 2 + bytes);
      for (const [key, value] of propertiesIn(list)) properties.set(key, value);
      place += 2 + bytes + (bytes % 2);
    }
    own.push({ kind: style.readUInt16LE(0) & 0xfff, base: style.readUInt16LE(2) >> 4, properties });
  }
  return own.map(({ kind }, i) => {
    const all = new Map<number, Buffer>();
    let heading = 0;
    for (let [at, depth] = [i, 0]; at !== NO_STYLE && depth < 20; depth++) {
      const style = own[at];
      if (!style) break;
      for (const [key, value] of style.properties) if (!all.has(key)) all.set(key, value);
      if (heading === 0 && (isHeading(style.kind) || style.kind === TITLE)) heading = style.kind;
      at = style.base;
    }
    return { kind: heading || kind, properties: all };
  });
}

const NO_STYLE = 0xfff;
const TITLE = 62;
const isHeading = (kind: number) => kind >= 1 && kind <= 9;
/** Lines of a table of contents repeat the headings. */
const isContents = (kind: number) => kind >= 19 && kind <= 27;

/** A paragraph before its number in a list is known. */
type RawParagraph = {
  words: string;
  level: number;
  /** The position after it. */
  end: number;
  list: number;
  depth: number;
} & ({ place: "text" | "in a cell" | "ends a cell" } | { place: "ends a row"; row: RowShape });

interface Piece {
  from: number;
  to: number;
  start: number;
  isWide: boolean;
}

function piecesIn(pieces: Buffer): Piece[] {
  let at = 0;
  while (pieces[at] === 1) at += 3 + pieces.readUInt16LE(at + 1);
  const table = pieces.subarray(at + 5, at + 5 + pieces.readUInt32LE(at + 1));
  const count = Math.floor((table.length - 4) / 12);
  return Array.from({ length: count }, (_, i) => {
    const place = table.readUInt32LE(4 * (count + 1) + 8 * i + 2);
    const isWide = (place & 0x4000_0000) === 0;
    return {
      from: table.readUInt32LE(4 * i),
      to: table.readUInt32LE(4 * (i + 1)),
      start: isWide ? place : (place & 0x3fff_ffff) / 2,
      isWide,
    };
  });
}

/** The formatting of the bytes from one place of the document to another. */
interface FormattedRange {
  from: number;
  to: number;
  /** Of a paragraph. */
  style: number;
  properties: Properties;
}

/** Returns a function that finds the formatting of the byte at a place. */
function formatting({ main, data }: Parts, table: Buffer, isOfParagraphs: boolean): (place: number) => FormattedRange {
  const count = Math.floor((table.length - 4) / 8);
  const pages = new Set(
    Array.from({ length: Math.max(0, count) }, (_, i) => table.readUInt32LE(4 * (count + 1) + 4 * i) & 0x3f_ffff),
  );
  const ranges: FormattedRange[] = [];
  for (const number of pages) {
    const page = main.subarray(number * 512, (number + 1) * 512);
    const runs = page[511] ?? 0;
    for (let i = 0; i < runs && 4 * (i + 2) <= page.length; i++) {
      const at = 2 * (page[4 * (runs + 1) + i * (isOfParagraphs ? 13 : 1)] ?? 0);
      const length = at === 0 ? 0 : (page[at] ?? 0);
      const [start, size] = !isOfParagraphs
        ? [at + 1, length]
        : length === 0
          ? [at + 2, 2 * (page[at + 1] ?? 0)]
          : [at + 1, 2 * length - 1];
      const list = at === 0 ? Buffer.alloc(0) : page.subarray(start, start + size);
      ranges.push({
        from: page.readUInt32LE(4 * i),
        to: page.readUInt32LE(4 * (i + 1)),
        style: isOfParagraphs && list.length >= 2 ? list.readUInt16LE(0) : 0,
        properties: propertiesIn(isOfParagraphs ? list.subarray(2) : list, data),
      });
    }
  }
  ranges.sort((a, b) => a.from - b.from);
  let last: FormattedRange | undefined;
  return (place) => {
    if (last && place >= last.from && place < last.to) return last;
    let [low, high] = [0, ranges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ranges[middle]?.from ?? 0) <= place) low = middle + 1;
      else high = middle;
    }
    const found = ranges[low - 1];
    last =
      found && place < found.to
        ? found
        : { from: place, to: ranges[low]?.from ?? Number.POSITIVE_INFINITY, style: 0, properties: new Map() };
    return last;
  };
}

/** Returns a function that reads the paragraphs from one position of the text to another. */
function reader(
  parts: Parts,
  fonts: readonly string[],
  pieceTable: Buffer,
  characterRuns: Buffer,
  paragraphRuns: Buffer,
  styles: readonly Style[],
  spend: SpendCharacters,
): (from: number, to: number) => RawParagraph[] {
  const { main, data } = parts;
  const pieces = piecesIn(pieceTable);
  const runAt = formatting(parts, characterRuns, false);
  const paragraphAt = formatting(parts, paragraphRuns, true);
  const fontOf = ({ properties }: FormattedRange) =>
    FONTS.flatMap((code) => {
      const font = properties.get(code);
      return font ? [fonts[font.readUInt16LE(0)] ?? ""] : [];
    }).find((name) => symbol(name, 0) !== undefined) ?? "";

  return (from, to) => {
    const paragraphs: RawParagraph[] = [];
    let runs: { text: string; run: FormattedRange }[] = [];
    const fields: { isShown: boolean; code: string; box: string }[] = [];
    const add = (text: string, run: FormattedRange) => {
      const field = fields.at(-1);
      if (field && !field.isShown) field.code += text;
      if (fields.some(({ isShown }) => !isShown)) return;
      const last = runs.at(-1);
      if (last?.run === run) last.text += text;
      else runs.push({ text, run });
    };
    const end = (mark: string, place: number, position: number) => {
      const { style, properties } = paragraphAt(place);
      const { kind = 0, properties: inherited = NONE } = styles[style] ?? {};
      const words = marked(runs.flatMap(({ text, run }) => shownRun(text, run, styles, inherited)));
      runs = [];
      const property = (code: number) => properties.get(code) ?? inherited.get(code);
      const outline = property(OUTLINE)?.[0] ?? 9;
      const level = isHeading(kind) ? kind : kind === TITLE ? 1 : outline < 9 ? outline + 1 : 0;
      const isInTable = property(IN_TABLE)?.[0] === 1;
      const isNested = (property(DEPTH_OF_TABLE)?.readUInt32LE(0) ?? 1) > 1;
      const common = {
        words: isContents(kind) ? "" : words,
        level,
        end: position + 1,
        list: property(LIST)?.readUInt16LE(0) ?? 0,
        depth: Math.min(8, property(LIST_LEVEL)?.[0] ?? 0),
      };
      if (!isInTable) paragraphs.push({ ...common, place: "text" });
      else if (mark !== "\u0007" || isNested) paragraphs.push({ ...common, place: "in a cell" });
      else if (property(ENDS_ROW)?.[0] === 1)
        paragraphs.push({ ...common, place: "ends a row", row: shapeOf(properties) });
      else paragraphs.push({ ...common, place: "ends a cell" });
    };

    for (const piece of pieces) {
      const [first, last] = [Math.max(from, piece.from), Math.min(to, piece.to)];
      if (first >= last) continue;
      spend(last - first);
      const size = piece.isWide ? 2 : 1;
      const start = piece.start + (first - piece.from) * size;
      const bytes = main.subarray(start, start + (last - first) * size);
      const text = piece.isWide ? bytes.toString("utf16le") : inCodePage(bytes, 1252);
      for (let i = 0; i < text.length; i++) {
        const character = text[i] ?? "";
        const place = start + i * size;
        const run = runAt(place);
        if (character === "\r" || character === "\u0007" || character === "\f" || character === "\u000e")
          end(character, place, first + i);
        else if (character === "\u0013") fields.push({ isShown: false, code: "", box: "" });
        else if (character === "\u0014" || character === "\u0015") {
          const field = character === "\u0014" ? fields.at(-1) : fields.pop();
          if (field?.isShown === false) {
            field.isShown = true;
            if (/FORMCHECKBOX/i.test(field.code)) add(field.box, run);
          }
        } else if (character === "\u0001") {
          const field = fields.at(-1);
          if (field) field.box = boxOf(data, run.properties.get(FORM_DATA));
        } else if (character === "\u001e") add("-", run);
        else if (character === "\v") add("\n", run);
        else if (character === "(" && run.properties.has(SYMBOL)) {
          const sign = run.properties.get(SYMBOL) ?? Buffer.alloc(4);
          add(symbol(fonts[sign.readUInt16LE(0)] ?? "", sign.readUInt16LE(2)) ?? "", run);
        } else if (character >= "\uf000" && character <= "\uf0ff")
          add(symbol(fontOf(run), character.charCodeAt(0)) ?? character, run);
        else if (character === "\t" || character >= " ") add(character === "\t" ? " " : character, run);
      }
    }
    if (runs.length > 0) end("\r", 0, to);
    return paragraphs;
  };
}

const NONE: Properties = new Map();

function shownRun(
  text: string,
  { properties }: FormattedRange,
  styles: readonly Style[],
  inherited: Properties,
): Run[] {
  const ofRun = styles[properties.get(STYLE_OF_RUN)?.readUInt16LE(0) ?? NO_STYLE]?.properties ?? NONE;
  const isOn = (code: number) => {
    const inStyle = (ofRun.get(code) ?? inherited.get(code))?.[0] === 1;
    const own = properties.get(code)?.[0];
    return own === undefined || own === 0x80 ? inStyle : own === 0x81 ? !inStyle : own === 1;
  };
  if (isOn(HIDDEN) || isOn(DELETED)) return [];
  const property = (code: number) => properties.get(code) ?? ofRun.get(code);
  const place = property(RAISED)?.[0];
  const isRaised = place === 1 || (property(RAISED_BY)?.readInt16LE(0) ?? 0) > 3;
  return [{ text, isStruck: isOn(STRUCK) || isOn(STRUCK_TWICE), isRaised, isLowered: place === 2 }];
}

/** Returns the mark of a check box in a form; empty for any other field. */
function boxOf(data: Buffer, place: Buffer | undefined): string {
  const at = place?.readUInt32LE(0) ?? data.length;
  const start = at + (data.length > at + 6 ? data.readUInt16LE(at + 4) : 0);
  if (start + 12 > data.length || start === at) return "";
  const bits = data.readUInt16LE(start + 4);
  if ((bits & 3) !== 1) return "";
  const state = (bits >> 2) & 31;
  if (state !== UNDECIDED) return checkBox(state === 1);
  const after = start + 10 + 2 + 2 * data.readUInt16LE(start + 10) + 2;
  return checkBox(after + 2 <= data.length && data.readUInt16LE(after) === 1);
}

const UNDECIDED = 25;

/** Returns where the cells of a row are, from the properties of its end. */
function shapeOf(properties: Properties): RowShape {
  const cells = properties.get(CELLS);
  const count = cells?.[2] ?? 0;
  if (!cells || 3 + 2 * (count + 1) > cells.length) return { edges: [], start: 0, goesOn: [] };
  const edges = Array.from({ length: count }, (_, i) => cells.readInt16LE(5 + 2 * i));
  const flags = 3 + 2 * (count + 1);
  const goesOn = Array.from({ length: count }, (_, i) => {
    const at = flags + 20 * i;
    const bits = at + 2 <= cells.length ? cells.readUInt16LE(at) : 0;
    return (bits & 0x60) === 0x20;
  });
  const merged = properties.get(MERGED);
  if (merged && merged.length >= 3) goesOn[merged[1] ?? 0] = merged[2] === 1;
  return { edges, start: cells.readInt16LE(3), goesOn };
}

interface ListLevel {
  start: number;
  format: number;
  /** Characters below 9 stand for the number of that level. */
  text: string;
}

/** Returns a function that counts the numbered paragraphs, in order, and returns the place of each in its list. */
function labels(
  lists: Buffer,
  levels: Buffer,
  overrides: Buffer,
): (paragraph: RawParagraph) => Paragraph["item"] | undefined {
  const levelsOf = new Map<number, ListLevel[]>();
  let at = 0;
  for (let i = 0; lists.length >= 2 && i < lists.readUInt16LE(0); i++) {
    const list = 2 + 28 * i;
    const found: ListLevel[] = [];
    const count = (lists[list + 26] ?? 0) & 1 ? 1 : 9;
    for (let level = 0; level < count && at + 30 <= levels.length; level++) {
      const text = at + 28 + (levels[at + 24] ?? 0) + (levels[at + 25] ?? 0);
      const length = levels.readUInt16LE(text);
      found.push({
        start: levels.readInt32LE(at),
        format: levels[at + 4] ?? 0,
        text: levels.toString("utf16le", text + 2, text + 2 + 2 * length),
      });
      at = text + 2 + 2 * length;
    }
    levelsOf.set(lists.readInt32LE(list), found);
  }
  const listOf = (number: number) =>
    4 + 16 * number <= overrides.length ? overrides.readInt32LE(16 * number - 12) : 0;
  const counters = new Map<number, number[]>();
  return ({ list, depth, words }) => {
    if (list === 0 || list >= 0xf801 || words.trim() === "") return undefined;
    const id = listOf(list);
    const own = levelsOf.get(id) ?? [];
    const { format, text } = own[depth] ?? { format: BULLET, text: "" };
    const counts = counters.get(id) ?? [];
    counters.set(id, counts);
    counts.length = Math.min(counts.length, depth + 1);
    for (let i = 0; i <= depth; i++) counts[i] ??= (own[i]?.start ?? 1) - (i === depth ? 1 : 0);
    counts[depth] = (counts[depth] ?? 0) + 1;
    if (format === BULLET || format === 255) return { depth, number: "" };
    const number = [...text].map((character) => {
      const level = character.charCodeAt(0);
      return level > 8 ? character : counted(counts[level] ?? 1, FORMATS[own[level]?.format ?? 0] ?? "chinese");
    });
    return { depth, number: number.join("").trim() };
  };
}

const BULLET = 23;
/** Formats after these are of East Asia, but for a few that write digits. */
const FORMATS: Readonly<Record<number, string>> = {
  0: "decimal",
  1: "upperRoman",
  2: "lowerRoman",
  3: "upperLetter",
  4: "lowerLetter",
  5: "decimal",
  14: "decimal",
  18: "decimal",
  19: "decimal",
  22: "decimal",
  26: "decimal",
};
