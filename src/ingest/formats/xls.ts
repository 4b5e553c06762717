import { isoDate, metadataOf } from "../../text/metadata.js";
import { underName } from "./archive.js";
import { compoundFile, inCodePage, summaryOf } from "./compound.js";
import {
  allowance,
  type DocumentPart,
  EncryptedError,
  type FormatReader,
  hiddenIf,
  inParts,
  type SpendCharacters,
  TooLargeError,
} from "./content.js";
import { comment, marked } from "./marked.js";
import { builtInFormat, numberFormat, type ShowNumber } from "./numbers.js";
import { sheetTables } from "./regions.js";

/**
 * A workbook of Excel 95 to 2003 (MS-XLS): each sheet under its name, as a table of what Excel shows; dates are in ISO
 * form.
 * @throws RangeError if it is damaged.
 */
export const xls: FormatReader = (bytes) => {
  const file = compoundFile(bytes);
  const name = file.paths.find((path) => path === "Workbook") ?? file.paths.find((path) => path === "Book") ?? "";
  const stream = file.stream(name);
  const spend = allowance(bytes);
  const book = globalsIn(stream, spend);
  let cells = 0;
  const sheets = book.sheets.map(({ start, title, isHidden }): DocumentPart => {
    const { rows, comments } = sheetIn(stream, start, book, spend);
    const columns = [...new Set([...rows.values()].flatMap((row) => [...row.keys()]))].sort((a, b) => a - b);
    cells += rows.size * columns.length;
    if (cells > MAX_CELLS) throw new TooLargeError(`It has more than ${MAX_CELLS / 1_000_000} million cells.`);
    spend(rows.size * columns.length);
    const filled = [...rows].sort(([a], [b]) => a - b).map(([number, cells]) => ({ number, cells, isBold: false }));
    const tables = sheetTables(filled, new Map(), spend);
    const notes = comments.map((note) => comment({ ...note, about: cellAt(rows.get(note.row), note) }));
    return underName(hiddenIf(isHidden, { name: title, text: [...tables, ...notes].filter(Boolean).join("\n\n") }));
  });
  const about = summaryOf(file);
  return inParts(sheets, {
    title: about.title,
    reviewedAt: isoDate(about.saved.slice(0, 10)),
    metadata: metadataOf(about.stated),
  });
};

interface Font {
  isStruck: boolean;
  isRaised: boolean;
}

interface Book {
  isUnicode: boolean;
  page: number;
  /** True if days are counted from 1904, not from 1900. */
  is1904: boolean;
  sheets: { start: number; title: string; isHidden: boolean }[];
  strings: Text[];
  fonts: Font[];
  patterns: Map<number, string>;
  /** The formats used so far. */
  shown: Map<number, ShowNumber>;
  /** The formats of cells. */
  styles: { font: number; pattern: number }[];
}

/** A text, with the fonts of its parts if they differ. */
interface Text {
  text: string;
  fonts: readonly { from: number; font: number }[];
}

interface BookRecord {
  type: number;
  body: Buffer;
  /** The parts of the record that follow it because it was too long. */
  more: readonly Buffer[];
}

const CONTINUED = 0x3c;
const BEGIN = 0x809;
const END = 0x0a;

/** Yields the records of a sheet, or of the book, up to its end. */
function* recordsIn(stream: Buffer, start: number): Generator<BookRecord> {
  let depth = 0;
  for (let at = start; at + 4 <= stream.length; ) {
    const type = stream.readUInt16LE(at);
    const bodyAt = (from: number) => stream.subarray(from + 4, from + 4 + stream.readUInt16LE(from + 2));
    const body = bodyAt(at);
    at += 4 + body.length;
    const more: Buffer[] = [];
    while (at + 4 <= stream.length && stream.readUInt16LE(at) === CONTINUED) {
      more.push(bodyAt(at));
      at += 4 + stream.readUInt16LE(at + 2);
    }
    if (type === BEGIN) depth += 1;
    // A chart inside a sheet has its own beginning and end.
    if (depth === 1) yield { type, body, more };
    if (type === END && --depth <= 0) return;
  }
}

function globalsIn(stream: Buffer, spend: SpendCharacters): Book {
  const book: Book = {
    isUnicode: true,
    page: 1252,
    is1904: false,
    sheets: [],
    strings: [],
    fonts: [],
    patterns: new Map(),
    shown: new Map(),
    styles: [],
  };
  for (const { type, body, more } of recordsIn(stream, 0)) {
    if (type === BEGIN) book.isUnicode = body.readUInt16LE(0) >= 0x600;
    else if (type === 0x2f) throw new EncryptedError();
    else if (type === 0x42) book.page = body.readUInt16LE(0);
    else if (type === 0x22) book.is1904 = body.readUInt16LE(0) === 1;
    else if (type === 0x31)
      book.fonts.push({ isStruck: (body.readUInt16LE(2) & 8) !== 0, isRaised: body.readUInt16LE(8) === 1 });
    else if (type === 0x41e) {
      const { text } = book.isUnicode ? textAt([body.subarray(2)], 2) : bytesAt(body, 2, 1, book.page);
      book.patterns.set(body.readUInt16LE(0), text);
    } else if (type === 0xe0) book.styles.push({ font: body.readUInt16LE(0), pattern: body.readUInt16LE(2) });
    else if (type === 0x85 && body[5] === 0)
      book.sheets.push({
        start: body.readUInt32LE(0),
        isHidden: ((body[4] ?? 0) & 3) !== 0,
        title: (book.isUnicode ? textAt([body.subarray(6)], 1) : bytesAt(body, 6, 1, book.page)).text,
      });
    else if (type === 0xfc) book.strings = stringsIn([body, ...more], spend);
  }
  return book;
}

/** Reads bytes over the parts of a record. */
function readerOf(parts: readonly Buffer[]) {
  let [part, at] = [0, 0];
  const left = () => (parts[part]?.length ?? 0) - at;
  const next = () => {
    part += 1;
    at = 0;
    if (part >= parts.length) throw new RangeError("A record is too short.");
  };
  return {
    number(size: 1 | 2 | 4): number {
      if (left() === 0) next();
      const number = parts[part]?.readUIntLE(at, size) ?? 0;
      at += size;
      return number;
    },
    skip(count: number): void {
      let rest = count;
      while (rest > left()) {
        rest -= left();
        next();
      }
      at += rest;
    },
    /** Each part of a text begins with a byte that tells the width of its characters. */
    characters(count: number, flags: number): string {
      let [text, isWide] = ["", flags & 1];
      while (text.length < count) {
        if (left() === 0) {
          next();
          isWide = this.number(1) & 1;
        }
        const bytes = Math.min((count - text.length) * (isWide ? 2 : 1), left());
        if (isWide && bytes < 2) throw new RangeError("A character is cut.");
        const piece = parts[part]?.subarray(at, at + bytes) ?? Buffer.alloc(0);
        text += piece.toString(isWide ? "utf16le" : "latin1");
        at += bytes;
      }
      return text;
    },
  };
}

function nextText(from: ReturnType<typeof readerOf>, size: 1 | 2): Text {
  const count = from.number(size);
  const flags = from.number(1);
  const runs = flags & 8 ? from.number(2) : 0;
  const phonetic = flags & 4 ? from.number(4) : 0;
  const text = from.characters(count, flags);
  const fonts = Array.from({ length: runs }, () => ({ from: from.number(2), font: from.number(2) }));
  if (phonetic > 0) from.skip(phonetic);
  return { text, fonts };
}

const textAt = (parts: readonly Buffer[], size: 1 | 2): Text => nextText(readerOf(parts), size);

/** Reads a text of Excel 95. */
function bytesAt(body: Buffer, at: number, size: 1 | 2, page: number): Text {
  const count = body.readUIntLE(at, size);
  return { text: inCodePage(body.subarray(at + size, at + size + count), page), fonts: [] };
}

function stringsIn(parts: readonly Buffer[], spend: SpendCharacters): Text[] {
  const from = readerOf(parts);
  from.skip(4);
  const count = from.number(4);
  const strings: Text[] = [];
  for (let i = 0; i < count; i++) {
    const text = nextText(from, 2);
    spend(text.text.length);
    strings.push(text);
  }
  return strings;
}

interface Sheet {
  rows: Map<number, Map<number, string>>;
  comments: { author: string; words: string; row: number; column: number }[];
}

function sheetIn(stream: Buffer, start: number, book: Book, spend: SpendCharacters): Sheet {
  const rows: Sheet["rows"] = new Map();
  const comments: Sheet["comments"] = [];
  const notes = new Map<number, string>();
  let cells = 0;
  let object = 0;
  let formula: [row: number, column: number, style: number] | undefined;
  const set = (row: number, column: number, style: number, { text, fonts }: Text) => {
    cells += 1;
    if (cells > MAX_CELLS) throw new TooLargeError(`It has more than ${MAX_CELLS / 1_000_000} million cells.`);
    const shown = marksIn(text, fonts, book, style);
    spend(shown.length);
    if (shown.trim() === "") return;
    const values = rows.get(row) ?? new Map<number, string>();
    rows.set(row, values.set(column, shown));
  };
  const plain = (text: string): Text => ({ text, fonts: [] });
  const number = (row: number, column: number, style: number, value: number) =>
    set(row, column, style, plain(numberShown(value, book, style)));
  for (const { type, body, more } of recordsIn(stream, start)) {
    const [row, column, style] = body.length < 6 ? [0, 0, 0] : [0, 2, 4].map((at) => body.readUInt16LE(at));
    const cell = [row ?? 0, column ?? 0, style ?? 0] as const;
    if (type === 0xfd) set(...cell, book.strings[body.readUInt32LE(6)] ?? plain(""));
    else if (type === 0x203) number(...cell, body.readDoubleLE(6));
    else if (type === 0x27e) number(...cell, compact(body.readInt32LE(6)));
    else if (type === 0xbd)
      for (let at = 4, i = 0; at + 6 <= body.length - 2; at += 6, i++)
        number(cell[0], cell[1] + i, body.readUInt16LE(at), compact(body.readInt32LE(at + 2)));
    else if (type === 0x204 || type === 0xd6)
      set(...cell, book.isUnicode ? textAt([body.subarray(6), ...more], 2) : bytesAt(body, 6, 2, book.page));
    else if (type === 0x205) set(...cell, plain(body[7] === 0 ? (body[6] === 1 ? "TRUE" : "FALSE") : ""));
    else if (type === 0x06) {
      formula = [...cell];
      if (body.readUInt16LE(12) !== 0xffff) number(...cell, body.readDoubleLE(6));
      else if (body[6] === 1) set(...cell, plain(body[8] === 1 ? "TRUE" : "FALSE"));
    } else if (type === 0x207 && formula)
      set(...formula, book.isUnicode ? textAt([body, ...more], 2) : bytesAt(body, 0, 2, book.page));
    else if (type === 0xe5)
      for (let at = 2; at + 8 <= body.length; at += 8) {
        const [top = 0, bottom = 0, left = 0] = [0, 2, 4].map((place) => body.readUInt16LE(at + place));
        repeat(rows, top, bottom, left, spend);
      }
    else if (type === 0x5d && body.length >= 8) object = body.readUInt16LE(6);
    else if (type === 0x1b6 && more[0] && body.length >= 12) {
      const [first, ...rest] = more;
      const flags = first[0] ?? 0;
      notes.set(object, readerOf([first.subarray(1), ...rest]).characters(body.readUInt16LE(10), flags));
    } else if (type === 0x1c && book.isUnicode && body.length > 11) {
      const author = textAt([body.subarray(8)], 2).text;
      const words = notes.get(body.readUInt16LE(6)) ?? "";
      comments.push({ author, words, row: cell[0], column: cell[1] });
    }
  }
  return { rows, comments };
}

/** Names a cell by the first cell of its row, its place and its value. */
function cellAt(
  cells: ReadonlyMap<number, string> | undefined,
  { row, column }: { row: number; column: number },
): string {
  const value = cells?.get(column) ?? "";
  const first = cells?.get(Math.min(...cells.keys())) ?? "";
  const letter = (number: number) => String.fromCharCode(65 + (number % 26));
  const place = `${column < 26 ? "" : letter(Math.floor(column / 26) - 1)}${letter(column)}${row + 1}`;
  return [first === value ? "" : first, value === "" ? place : `${place}: ${value}`].filter(Boolean).join(", ");
}

/** Returns a number that is stored in 30 bits. */
function compact(bits: number): number {
  const buffer = Buffer.alloc(8);
  buffer.writeInt32LE(bits & ~3, 4);
  const number = bits & 2 ? bits >> 2 : buffer.readDoubleLE(0);
  return bits & 1 ? number / 100 : number;
}

function numberShown(value: number, { styles, patterns, is1904, shown }: Book, style: number): string {
  const id = styles[style]?.pattern ?? 0;
  const format = shown.get(id) ?? numberFormat(patterns.get(id) ?? builtInFormat(id), is1904);
  shown.set(id, format);
  return format(value);
}

function marksIn(text: string, fonts: Text["fonts"], book: Book, style: number): string {
  // There is no font of number 4.
  const fontOf = (number: number) => book.fonts[number > 4 ? number - 1 : number] ?? PLAIN;
  const whole = fontOf(book.styles[style]?.font ?? 0);
  const starts = [{ from: 0, ...whole }, ...fonts.map(({ from, font }) => ({ from, ...fontOf(font) }))];
  return marked(starts.map((part, i) => ({ ...part, text: text.slice(part.from, starts[i + 1]?.from) })));
}

const PLAIN: Font = { isStruck: false, isRaised: false };

/** Repeats the text of merged cells in each row. */
function repeat(rows: Sheet["rows"], top: number, bottom: number, column: number, spend: SpendCharacters): void {
  const value = rows.get(top)?.get(column);
  if (value === undefined) return;
  for (let row = top + 1; row <= Math.min(bottom, top + MOST_MERGED); row++) {
    spend(rows.has(row) ? value.length : 1);
    rows.get(row)?.set(column, value);
  }
}

const MOST_MERGED = 1_000;
const MAX_CELLS = 5_000_000;
