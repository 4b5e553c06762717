import { superscript } from "../../text/marks.js";
import { isoDate, metadataOf } from "../../text/metadata.js";
import { compoundFile, summaryOf } from "./compound.js";
import {
  allowance,
  EncryptedError,
  type FormatReader,
  type Item,
  inLine,
  inParts,
  listed,
  numbered,
  type SpendCharacters,
} from "./content.js";
import { tables } from "./table.js";

/**
 * A presentation of PowerPoint 97 to 2003 (MS-PPT): each slide with its title, its text, its tables and its speaker
 * notes.
 * @throws RangeError if it is damaged.
 */
export const ppt: FormatReader = (bytes) => {
  const file = compoundFile(bytes);
  const stream = file.stream("PowerPoint Document");
  const user = file.stream("Current User");
  if (user.readUInt32LE(12) === ENCRYPTED) throw new EncryptedError();
  const spend = allowance(bytes);
  const { places, document } = persistedIn(stream, user.readUInt32LE(16));
  const at = (id: number) => recordAt(stream, places.get(id) ?? stream.length);
  const lists = childrenOf(at(document)).filter(({ type }) => type === SLIDE_LIST);
  const notes = new Map(slidesIn(lists.find(({ instance }) => instance === 2)).map(({ id, place }) => [id, place]));
  const slides = slidesIn(lists.find(({ instance }) => instance === 0)).map(({ place, texts }) => {
    const slide = at(place);
    const noteId = childrenOf(slide)
      .find(({ type }) => type === SLIDE_ATOM)
      ?.body.readUInt32LE(16);
    const notePlace = notes.get(noteId ?? 0);
    const note = notePlace === undefined ? [] : shapesOf(at(notePlace), [], spend).filter(({ kind }) => kind === NOTES);
    const show = childrenOf(slide).find(({ type }) => type === SHOW)?.body;
    return {
      text: [slideText(shapesOf(slide, texts, spend), spend), ...note.map(linesTogether)].filter(Boolean).join("\n\n"),
      isHidden: show !== undefined && (show.readUInt16LE(10) & 4) !== 0,
    };
  });
  const about = summaryOf(file);
  return inParts(numbered(slides, "slide"), {
    title: about.title,
    reviewedAt: isoDate(about.saved.slice(0, 10)),
    metadata: metadataOf(about.stated),
  });
};

const ENCRYPTED = 0xf3d1c4df;
const SLIDE_LIST = 4080;
const SLIDE_PLACE = 1011;
const SLIDE_ATOM = 1007;
const SHOW = 1017;
const EDIT = 4085;
const PLACES = 6002;
const TEXT_KIND = 3999;
const WIDE_TEXT = 4000;
const NARROW_TEXT = 4008;
const TEXT_STYLE = 4001;
const TEXT_OF_LIST = 3998;
const PLACEHOLDER = 3011;
const GROUP = 0xf003;
const SHAPE = 0xf004;
const TEXT_BOX = 0xf00d;
const CLIENT_DATA = 0xf011;
const PLACE_IN_GROUP = 0xf00f;

interface PptRecord {
  type: number;
  instance: number;
  body: Buffer;
  isContainer: boolean;
}

function recordAt(bytes: Buffer, at: number): PptRecord {
  const head = bytes.readUInt16LE(at);
  const start = at + 8;
  return {
    type: bytes.readUInt16LE(at + 2),
    instance: head >> 4,
    isContainer: (head & 15) === 15,
    body: bytes.subarray(start, start + bytes.readUInt32LE(at + 4)),
  };
}

function childrenOf({ body, isContainer, type }: PptRecord): PptRecord[] {
  const children: PptRecord[] = [];
  if (!isContainer && type !== TEXT_BOX && type !== CLIENT_DATA) return children;
  for (let at = 0; at + 8 <= body.length; ) {
    const child = recordAt(body, at);
    children.push(child);
    at += 8 + body.readUInt32LE(at + 4);
  }
  return children;
}

/** Returns the offsets of the parts as the last save left them, and which of them is the document. */
function persistedIn(stream: Buffer, last: number): { places: Map<number, number>; document: number } {
  const places = new Map<number, number>();
  const seen = new Set<number>();
  let document = 0;
  for (let at = last; at !== 0 && !seen.has(at); ) {
    seen.add(at);
    const edit = recordAt(stream, at);
    if (edit.type !== EDIT) throw new RangeError("The list of edits is damaged.");
    document ||= edit.body.readUInt32LE(16);
    const { type, body } = recordAt(stream, edit.body.readUInt32LE(12));
    if (type !== PLACES) throw new RangeError("The list of parts is damaged.");
    for (let i = 0; i + 4 <= body.length; ) {
      const head = body.readUInt32LE(i);
      i += 4;
      for (let j = 0; j < head >>> 20 && i + 4 <= body.length; j++, i += 4) {
        const id = (head & 0xf_ffff) + j;
        if (!places.has(id)) places.set(id, body.readUInt32LE(i));
      }
    }
    at = edit.body.readUInt32LE(8);
  }
  return { places, document };
}

/** A text with its kind. */
interface TextBody {
  kind: number;
  lines: Item[];
}

const TITLES = new Set([0, 6]);
const NOTES = 2;

/** Returns the slides of a list in order, with the texts that the list keeps for them. */
function slidesIn(list: PptRecord | undefined): { id: number; place: number; texts: TextBody[] }[] {
  const slides: { id: number; place: number; records: PptRecord[] }[] = [];
  for (const record of list ? childrenOf(list) : [])
    if (record.type === SLIDE_PLACE)
      slides.push({ place: record.body.readUInt32LE(0), id: record.body.readUInt32LE(12), records: [] });
    else slides.at(-1)?.records.push(record);
  return slides.map(({ records, ...slide }) => ({ ...slide, texts: textsIn(records) }));
}

/** Returns the texts in a list of records: each has its kind, its characters and their formatting. */
function textsIn(records: readonly PptRecord[]): TextBody[] {
  const texts: { kind: number; text: string; style: Buffer | undefined }[] = [];
  for (const { type, body } of records)
    if (type === TEXT_KIND) texts.push({ kind: body.readUInt32LE(0), text: "", style: undefined });
    else {
      const last = texts.at(-1);
      if (!last) continue;
      if (type === WIDE_TEXT) last.text = body.toString("utf16le");
      else if (type === NARROW_TEXT) last.text = body.toString("latin1");
      else if (type === TEXT_STYLE) last.style = body;
    }
  return texts.map(({ kind, text, style }) => ({ kind, lines: linesOf(text, style) }));
}

function linesOf(text: string, style: Buffer | undefined): Item[] {
  const { depths, raised } = style ? formattingIn(style, text.length) : { depths: [], raised: [] };
  const lines: Item[] = [];
  let start = 0;
  for (const line of text.split("\r")) {
    const end = start + line.length;
    const depth = depths.find(({ to }) => start < to)?.value ?? 0;
    let words = "";
    let at = start;
    for (const { from, to } of raised) {
      if (to <= at || from >= end) continue;
      words += text.slice(at, Math.max(at, from)) + superscript(text.slice(Math.max(at, from), Math.min(end, to)));
      at = Math.min(end, to);
    }
    words += text.slice(at, end);
    if (words.trim() !== "") lines.push({ words: words.replaceAll("\v", "\n").trim(), depth: Math.min(8, depth) });
    start = end + 1;
  }
  return lines;
}

/** Returns the levels of paragraphs, and which characters are raised. */
function formattingIn(style: Buffer, length: number) {
  const depths: { to: number; value: number }[] = [];
  const raised: { from: number; to: number }[] = [];
  let at = 0;
  // What cannot be read has no formatting: the text counts.
  try {
    for (let covered = 0; covered <= length; ) {
      covered += style.readUInt32LE(at);
      depths.push({ to: covered, value: style.readUInt16LE(at + 4) });
      const mask = style.readUInt32LE(at + 6);
      at += 10;
      if (mask & 0xf) at += 2;
      for (const [bit, size] of PARAGRAPH_FIELDS) if (mask & bit) at += size;
      if (mask & 0x10_0000) at += 2 + 4 * style.readUInt16LE(at);
      if (mask & 0x1_0000) at += 2;
      if (mask & 0xe_0000) at += 2;
      if (mask & 0x20_0000) at += 2;
    }
    for (let covered = 0; covered <= length; ) {
      const count = style.readUInt32LE(at);
      const mask = style.readUInt32LE(at + 4);
      at += 8;
      if (mask & 0xffff) at += 2;
      for (const [bit, size] of CHARACTER_FIELDS) if (mask & bit) at += size;
      if (mask & 0x8_0000) {
        if (style.readInt16LE(at) > 0) raised.push({ from: covered, to: covered + count });
        at += 2;
      }
      covered += count;
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return { depths, raised };
}

/** The bits of fields and their sizes, in the order in which they are stored. */
const PARAGRAPH_FIELDS: readonly (readonly [bit: number, size: number])[] = [
  [0x80, 2],
  [0x10, 2],
  [0x40, 2],
  [0x20, 4],
  [0x800, 2],
  [0x1000, 2],
  [0x2000, 2],
  [0x4000, 2],
  [0x100, 2],
  [0x400, 2],
  [0x8000, 2],
];
const CHARACTER_FIELDS: readonly (readonly [bit: number, size: number])[] = [
  [0x1_0000, 2],
  [0x20_0000, 2],
  [0x40_0000, 2],
  [0x80_0000, 2],
  [0x2_0000, 2],
  [0x4_0000, 4],
];

type Shape = TextBody | { kind: "table"; rows: string[][] };

const linesTogether = (shape: Shape) =>
  shape.kind === "table" ? "" : shape.lines.map(({ words }) => words).join("\n");

function slideText(shapes: readonly Shape[], spend: SpendCharacters): string {
  const isTitle = ({ kind }: Shape) => kind !== "table" && TITLES.has(kind);
  return shapes
    .toSorted((a, b) => Number(isTitle(b)) - Number(isTitle(a)))
    .map((shape) => {
      if (shape.kind === "table") return tables(shape.rows, spend);
      if (shape.lines.length === 0) return "";
      if (isTitle(shape)) return `## ${inLine(shape.lines.map(({ words }) => words).join(" "))}`;
      return shape.lines.length > 1 ? listed(shape.lines) : (shape.lines[0]?.words ?? "");
    })
    .filter(Boolean)
    .join("\n\n");
}

/**
 * Returns the texts and tables of a slide.
 * @param texts the texts that the list of slides keeps: shapes refer to them by number.
 */
function shapesOf(slide: PptRecord, texts: readonly TextBody[], spend: SpendCharacters): Shape[] {
  const used = new Set<TextBody>();
  const shapes: Shape[] = [];
  const visit = (record: PptRecord, depth: number) => {
    if (record.type === SHAPE) {
      const text = textOf(record, texts);
      if (text) {
        used.add(text);
        shapes.push(text);
      }
      return;
    }
    const children = childrenOf(record);
    const cells = record.type === GROUP ? cellsOf(children, texts) : [];
    if (cells.length > 0) shapes.push({ kind: "table", rows: inRows(cells, spend) });
    else if (depth < DEEPEST) for (const child of children) visit(child, depth + 1);
  };
  visit(slide, 0);
  // A text that no shape shows belongs to the slide all the same.
  return [...texts.filter((text) => !used.has(text)), ...shapes];
}

const DEEPEST = 50;

/** Returns the text of a shape; undefined for none, and for the date, number, header and footer of a slide. */
function textOf(shape: PptRecord, texts: readonly TextBody[]): TextBody | undefined {
  const children = childrenOf(shape);
  const data = children.find(({ type }) => type === CLIENT_DATA);
  const placeholder = data && childrenOf(data).find(({ type }) => type === PLACEHOLDER)?.body[4];
  if (placeholder !== undefined && placeholder >= 7 && placeholder <= 10) return undefined;
  const box = children.find(({ type }) => type === TEXT_BOX);
  if (!box) return undefined;
  const records = childrenOf(box);
  const number = records.find(({ type }) => type === TEXT_OF_LIST)?.body.readUInt32LE(0);
  return number === undefined ? textsIn(records)[0] : texts[number];
}

interface Cell {
  left: number;
  top: number;
  text: string;
}

/** Returns the cells of a table, which is a group of shapes that says so; empty for any other group. */
function cellsOf(children: readonly PptRecord[], texts: readonly TextBody[]): Cell[] {
  const [group] = children;
  if (!group || group.type !== SHAPE || !childrenOf(group).some(isOfTable)) return [];
  return children.slice(1).flatMap((shape) => {
    const anchor = childrenOf(shape).find(({ type }) => type === PLACE_IN_GROUP)?.body;
    const text = textOf(shape, texts);
    if (!anchor || !text) return [];
    const words = text.lines.map((line) => line.words).join(" ");
    return [{ left: anchor.readInt32LE(0), top: anchor.readInt32LE(4), text: inLine(words) }];
  });
}

/** True for the options of a shape that make a table of its group. */
function isOfTable({ type, instance, body }: PptRecord): boolean {
  if (type !== 0xf122 && type !== 0xf00b) return false;
  return Array.from({ length: instance }, (_, i) => 6 * i).some(
    (at) =>
      at + 6 <= body.length && (body.readUInt16LE(at) & 0x3fff) === 0x39f && (body.readUInt32LE(at + 2) & 1) === 1,
  );
}

function inRows(cells: readonly Cell[], spend: SpendCharacters): string[][] {
  const lefts = [...new Set(cells.map(({ left }) => left))].sort((a, b) => a - b);
  const tops = [...new Set(cells.map(({ top }) => top))].sort((a, b) => a - b);
  spend(lefts.length * tops.length);
  const rows = tops.map(() => lefts.map(() => ""));
  for (const { left, top, text } of cells) {
    const row = rows[tops.indexOf(top)];
    if (row) row[lefts.indexOf(left)] = text;
  }
  return rows;
}
