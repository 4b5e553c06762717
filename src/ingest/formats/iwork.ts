import { visible } from "../../text/decode.js";
import { type Archive, underName, unzip } from "./archive.js";
import {
  allowance,
  type Content,
  type DocumentPart,
  EncryptedError,
  type FormatReader,
  hiddenIf,
  inParts,
  numbered,
  type SpendCharacters,
  TooLargeError,
} from "./content.js";
import { marked, type Run } from "./marked.js";
import { withTitles } from "./table.js";

/**
 * A file of Pages, Keynote or Numbers: its preview, if that is a PDF, else its texts and tables, without the layout of
 * pages and headings. The formats are those of iWork since 2013.
 * @throws RangeError if it is damaged.
 */
export const iwork: FormatReader = async (bytes, name) => {
  const archive = await unzip(bytes, (path) =>
    /(?:^|\/)QuickLook\/Preview\.pdf$|\.iwa$|(?:^|\/)Index\.zip$|\.iwpv2$/i.test(path),
  );
  if ([...archive.keys()].some((path) => path.endsWith(".iwpv2"))) throw new EncryptedError();
  const preview = [...archive].find(([path]) => /Preview\.pdf$/i.test(path))?.[1];
  if (preview) return (await import("./pdf.js")).pdf(preview);
  const spend = allowance(bytes);
  const inner = [...archive].find(([path]) => /(?:^|\/)Index\.zip$/.test(path))?.[1];
  const objects = objectsIn(inner ? await unzip(inner, (path) => path.endsWith(".iwa")) : archive);
  if (objects.size === 0)
    throw new Error("It was saved by iWork 2009 or older, without a preview. Export it as PDF, or save it anew.");
  const content = contentOf(objects, name, spend);
  if (content.text === "") throw new Error("There is no text in it that can be read. Export it as PDF.");
  return content;
};

function contentOf(objects: Objects, name: string, spend: SpendCharacters): Content {
  const about = { title: "", reviewedAt: "" };
  const texts = [...objects.values()].filter(({ type, file }) => type === TEXT && !TEMPLATES.test(file));
  const ofKind = (...kinds: readonly number[]) =>
    texts
      .filter(({ fields }) => kinds.includes(numberOf(fields, 1)))
      .map(({ fields }) => textIn(fields, objects))
      .filter(Boolean)
      .join("\n\n");
  if (/\.numbers$/i.test(name)) return inParts([...sheetsIn(objects, spend), { name: "", text: ofKind(3) }], about);
  const tables = [...objects.values()]
    .filter(({ type }) => type === TABLE)
    .map(({ fields }) => tableIn(fields, objects, spend));
  const slides = slidesIn(objects);
  if (slides.length > 0) return inParts([...numbered(slides, "slide"), ...tables], about);
  const parts = [ofKind(1), ofKind(0), ofKind(2), ofKind(3, 4)].filter(Boolean);
  return inParts([{ name: "", text: parts.join("\n\n") }, ...tables], about);
}

// The numbers of types of objects.
const TEXT = 2_001;
const TABLE_OF_SHEET = 6_000;
const TABLE = 6_001;
const SHEET_OF_DOCUMENT = 2;
const SLIDE = 5;
/** Files of texts that a document begins with, not those that it has. */
const TEMPLATES = /Stylesheet|Template|Master|Theme/;

/** The fields of a message by their numbers (Protocol Buffers): numbers, and bytes for everything else. */
type Fields = ReadonlyMap<number, readonly (bigint | Buffer)[]>;
interface Stored {
  type: number;
  fields: Fields;
  /** The file of the archive that holds it. */
  file: string;
}
type Objects = ReadonlyMap<bigint, Stored>;

function fieldsOf(message: Buffer): Fields {
  const fields = new Map<number, (bigint | Buffer)[]>();
  for (let at = 0; at < message.length; ) {
    const key = varint(message, at);
    at = key.end;
    const wire = Number(key.value & 7n);
    let value: bigint | Buffer;
    if (wire === 0) ({ value, end: at } = varint(message, at));
    else {
      const length = wire === 2 ? varint(message, at) : { value: wire === 1 ? 8n : 4n, end: at };
      if (wire > 2 && wire !== 5) throw new RangeError("A field is of no known kind.");
      at = length.end + Number(length.value);
      if (at > message.length) throw new RangeError("A field is too long.");
      value = message.subarray(length.end, at);
    }
    const number = Number(key.value >> 3n);
    const values = fields.get(number);
    if (values) values.push(value);
    else fields.set(number, [value]);
  }
  return fields;
}

function varint(bytes: Buffer, start: number): { value: bigint; end: number } {
  let value = 0n;
  for (let i = 0; i < 10; i++) {
    const byte = bytes[start + i];
    if (byte === undefined) break;
    value |= BigInt(byte & 127) << BigInt(7 * i);
    if (byte < 128) return { value, end: start + i + 1 };
  }
  throw new RangeError("A number has no end.");
}

const messagesOf = (fields: Fields | undefined, number: number): Fields[] =>
  (fields?.get(number) ?? []).flatMap((value) => (Buffer.isBuffer(value) ? [fieldsOf(value)] : []));
const messageOf = (fields: Fields | undefined, number: number): Fields | undefined => messagesOf(fields, number)[0];
const bytesOf = (fields: Fields, number: number): Buffer => {
  const value = fields.get(number)?.[0];
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
};
const numberOf = (fields: Fields | undefined, number: number): number => {
  const value = fields?.get(number)?.[0];
  return typeof value === "bigint" ? Number(value) : 0;
};
/** Returns the objects that a field refers to. */
const referredBy = (fields: Fields | undefined, number: number, objects: Objects): Stored[] =>
  messagesOf(fields, number).flatMap((reference) => objectAt(reference, objects) ?? []);
const objectAt = (reference: Fields | undefined, objects: Objects): Stored | undefined => {
  const id = reference?.get(1)?.[0];
  return typeof id === "bigint" ? objects.get(id) : undefined;
};

/** Reads the objects of all files: a header that gives the id and the types, then the messages themselves. */
function objectsIn(archive: Archive): Objects {
  const objects = new Map<bigint, Stored>();
  for (const [file, packed] of archive) {
    if (!file.endsWith(".iwa")) continue;
    const stream = unpacked(Buffer.from(packed.buffer, packed.byteOffset, packed.length));
    for (let at = 0; at < stream.length; ) {
      const length = varint(stream, at);
      const start = length.end + Number(length.value);
      const header = fieldsOf(stream.subarray(length.end, start));
      const id = header.get(1)?.[0];
      at = start;
      for (const info of messagesOf(header, 2)) {
        const message = stream.subarray(at, at + numberOf(info, 3));
        at += numberOf(info, 3);
        const type = numberOf(info, 1);
        if (typeof id === "bigint" && READ.has(type) && !objects.has(id))
          objects.set(id, { type, fields: fieldsOf(message), file });
      }
    }
  }
  return objects;
}

/** The types of objects that texts and tables are made of. */
const READ = new Set([1, 2, 4, SLIDE, 6, 15, TEXT, 2_021, 2_022, TABLE_OF_SHEET, TABLE, 6_002, 6_005, 6_218]);

/** Unpacks blocks of Snappy, each after its length in three bytes. */
function unpacked(packed: Buffer): Buffer {
  const blocks: Buffer[] = [];
  for (let at = 0; at + 4 <= packed.length; ) {
    const length = packed.readUIntLE(at + 1, 3);
    blocks.push(snappy(packed.subarray(at + 4, at + 4 + length)));
    at += 4 + length;
  }
  return Buffer.concat(blocks);
}

function snappy(packed: Buffer): Buffer {
  const length = varint(packed, 0);
  // A block is 64 kB at most.
  if (length.value > 1_000_000n) throw new RangeError("A block is too large.");
  const out = Buffer.alloc(Number(length.value));
  let [at, to] = [length.end, 0];
  while (at < packed.length && to < out.length) {
    const tag = packed[at++] ?? 0;
    let size = tag >> 2;
    if ((tag & 3) === 0) {
      if (size >= 60) {
        const width = size - 59;
        size = packed.readUIntLE(at, width);
        at += width;
      }
      size += 1;
      packed.copy(out, to, at, at + size);
      at += size;
      to += size;
      continue;
    }
    let offset: number;
    if ((tag & 3) === 1) {
      size = (size & 7) + 4;
      offset = ((tag >> 5) << 8) | (packed[at++] ?? 0);
    } else {
      size += 1;
      const width = (tag & 3) === 2 ? 2 : 4;
      offset = packed.readUIntLE(at, width);
      at += width;
    }
    if (offset === 0 || offset > to) throw new RangeError("A copy begins before its block.");
    for (let i = 0; i < size && to < out.length; i++, to++) out[to] = out[to - offset] ?? 0;
  }
  return out;
}

/** Returns a text, without what is deleted in it. Struck and raised parts have their marks. */
function textIn(fields: Fields, objects: Objects): string {
  const text = (fields.get(3) ?? []).map((part) => (Buffer.isBuffer(part) ? part.toString("utf8") : "")).join("");
  const styles = attributesIn(fields, 8, objects);
  const paragraphs = attributesIn(fields, 5, objects);
  const deleted = attributesIn(fields, 22, objects);
  const starts = [0, ...[styles, paragraphs, deleted].flatMap((table) => table.map(({ from }) => from))];
  const edges = [...new Set(starts)].filter((at) => at < text.length).sort((a, b) => a - b);
  const at = (table: readonly { from: number; object: Stored | undefined }[], place: number) =>
    table.findLast(({ from }) => from <= place)?.object;
  const runs = edges.flatMap((from, i): Run[] => {
    if (at(deleted, from)) return [];
    const look = { ...appearance(at(paragraphs, from), objects), ...appearance(at(styles, from), objects) };
    const part = text
      .slice(from, edges[i + 1])
      .replaceAll("\ufffc", "\n")
      .replaceAll("\u2028", "\n");
    return [{ text: part, isStruck: look.isStruck ?? false, isRaised: look.isRaised ?? false }];
  });
  return visible(marked(runs))
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("\n\n");
}

/** Returns which object applies from which character on. */
const attributesIn = (fields: Fields, number: number, objects: Objects) =>
  messagesOf(messageOf(fields, number), 1)
    .slice(0, MOST_ATTRIBUTES)
    .map((entry) => ({ from: numberOf(entry, 1), object: objectAt(messageOf(entry, 2), objects) }));

const MOST_ATTRIBUTES = 10_000;

/** Returns what a style, or one that it is based on, says about strikes and superscripts. */
function appearance(style: Stored | undefined, objects: Objects): { isStruck?: boolean; isRaised?: boolean } {
  let look: { isStruck?: boolean; isRaised?: boolean } = {};
  for (let [at, depth] = [style, 0]; at && depth < 20; depth++) {
    const properties = messageOf(at.fields, 11);
    if (properties?.has(12)) look = { isStruck: numberOf(properties, 12) > 0, ...look };
    if (properties?.has(10)) look = { isRaised: numberOf(properties, 10) === 1, ...look };
    at = objectAt(messageOf(messageOf(at.fields, 1), 3), objects);
  }
  return look;
}

/** Returns the slides of a presentation in their order; empty for any other document. */
function slidesIn(objects: Objects): { text: string; isHidden: boolean }[] {
  const shows = [...objects.values()].filter(({ type, fields }) => type === 2 && fields.has(3));
  const nodes = shows.flatMap(({ fields }) => referredBy(messageOf(fields, 3), 2, objects));
  return nodes.flatMap(({ type, fields }) => {
    const [slide] = type === 4 ? referredBy(fields, 2, objects) : [];
    if (!slide) return [];
    const texts = [...objects.values()].filter((object) => object.type === TEXT && object.file === slide.file);
    const text = texts.map((object) => textIn(object.fields, objects)).filter(Boolean);
    return [{ text: text.join("\n\n"), isHidden: numberOf(fields, 4) === 1 }];
  });
}

/** Returns the sheets of a workbook: each with its tables. */
function sheetsIn(objects: Objects, spend: SpendCharacters): DocumentPart[] {
  const documents = [...objects.values()].filter(({ type }) => type === 1);
  const sheets = documents.flatMap(({ fields }) => referredBy(fields, 1, objects));
  return sheets
    .filter(({ type }) => type === SHEET_OF_DOCUMENT)
    .map(({ fields }) => {
      const name = visible(bytesOf(fields, 1).toString("utf8"));
      const tables = referredBy(fields, 2, objects)
        .filter(({ type }) => type === TABLE_OF_SHEET)
        .flatMap((table) => referredBy(table.fields, 2, objects))
        .map((model) => tableIn(model.fields, objects, spend).text);
      return underName(hiddenIf(numberOf(fields, 25) === 1, { name, text: tables.filter(Boolean).join("\n\n") }));
    });
}

/** Returns a table under its name. */
function tableIn(fields: Fields, objects: Objects, spend: SpendCharacters): DocumentPart {
  const name = visible(bytesOf(fields, 8).toString("utf8"));
  const columns = numberOf(fields, 7);
  if (numberOf(fields, 6) * columns > MOST_CELLS) throw new TooLargeError("It has more than 5 million cells.");
  const store = messageOf(fields, 4);
  const entriesOf = (number: number) =>
    new Map(
      referredBy(store, number, objects).flatMap((list) =>
        messagesOf(list.fields, 3).map((entry) => [numberOf(entry, 1), entry] as const),
      ),
    );
  const lists: CellLists = {
    strings: entriesOf(4),
    styles: entriesOf(5),
    richTexts: entriesOf(17),
    formats: entriesOf(22),
    objects,
  };
  const storage = messageOf(store, 3);
  const size = numberOf(storage, 2) || 256;
  const rows = new Map<number, string[]>();
  for (const place of messagesOf(storage, 1)) {
    const [tile] = referredBy(place, 2, objects);
    for (const row of messagesOf(tile?.fields, 5)) {
      const buffer = bytesOf(row, 6);
      const offsets = bytesOf(row, 7);
      const unit = numberOf(row, 8) === 1 || numberOf(tile?.fields, 8) === 1 ? 4 : 1;
      const cells: string[] = Array(columns).fill("");
      for (let column = 0; column < columns && 2 * (column + 1) <= offsets.length; column++) {
        const offset = offsets.readInt16LE(2 * column);
        if (offset >= 0) cells[column] = cellIn(buffer.subarray(offset * unit), lists);
      }
      spend(cells.reduce((sum, cell) => sum + cell.length + 1, 0));
      rows.set(numberOf(place, 1) * size + numberOf(row, 1), cells);
    }
  }
  const sorted = [...rows].sort(([a], [b]) => a - b).map(([, cells]) => cells);
  const table = withTitles(sorted, spend);
  return { name, text: table === "" ? "" : `### ${name}\n\n${table}` };
}

const MOST_CELLS = 5_000_000;

interface CellLists {
  strings: ReadonlyMap<number, Fields>;
  styles: ReadonlyMap<number, Fields>;
  richTexts: ReadonlyMap<number, Fields>;
  formats: ReadonlyMap<number, Fields>;
  objects: Objects;
}

/** Reads a cell: its type, flags that tell which fields follow, and these fields. */
function cellIn(cell: Buffer, { strings, styles, richTexts, formats, objects }: CellLists): string {
  if (cell[0] !== 5) throw new Error("It was saved by a version of iWork that is not read. Save it anew, or as .xlsx.");
  const flags = cell.readUInt32LE(8);
  const fields = new Map<number, number>();
  let at = 12;
  for (let bit = 1; bit <= 0x80000; bit *= 2) {
    if ((flags & bit) === 0) continue;
    fields.set(bit, at);
    at += bit === 1 ? 16 : bit <= 4 ? 8 : 4;
  }
  const idOf = (bit: number) => {
    const place = fields.get(bit);
    return place === undefined ? -1 : cell.readInt32LE(place);
  };
  const number = fields.get(1);
  const double = fields.has(2) ? cell.readDoubleLE(fields.get(2) ?? 0) : 0;
  const format = messageOf(formats.get(idOf(fields.has(0x4000) ? 0x4000 : 0x2000)), 6);
  const [style] = fields.has(0x40) ? referredBy(styles.get(idOf(0x40)), 4, objects) : [];
  const isStruck = appearance(style, objects).isStruck ?? false;
  const plain = (): string => {
    switch (cell[1]) {
      case 2:
      case 10:
        return number === undefined ? String(double) : numberShown(cell.subarray(number, number + 16), format);
      case 3: {
        const text = strings.get(idOf(8));
        return text ? bytesOf(text, 3).toString("utf8") : "";
      }
      case 5: {
        const seconds = fields.has(4) ? cell.readDoubleLE(fields.get(4) ?? 0) : Number.NaN;
        const date = new Date(FIRST_DAY + seconds * 1_000);
        const iso = Number.isNaN(date.getTime()) ? "" : date.toISOString();
        return iso.slice(11, 16) === "00:00" ? iso.slice(0, 10) : iso.slice(0, 16).replace("T", " ");
      }
      case 6:
        return double > 0 ? "TRUE" : "FALSE";
      case 7:
        return `${double} s`;
      case 9: {
        const [payload] = referredBy(richTexts.get(idOf(0x10)), 9, objects);
        const [text] = referredBy(payload?.fields, 1, objects);
        return text ? textIn(text.fields, objects).replace(/\n+/g, " ") : "";
      }
      default:
        return "";
    }
  };
  const text = visible(plain());
  return isStruck ? marked([{ text, isStruck }]) : text;
}

/** In milliseconds: dates count from the first day of 2001. */
const FIRST_DAY = Date.UTC(2001, 0, 1);

/** Writes a decimal number of 128 bits, with the decimals, the currency or the percent sign of its format. */
function numberShown(bytes: Buffer, format: Fields | undefined): string {
  const high = (((bytes[15] ?? 0) & 0x7f) << 7) | ((bytes[14] ?? 0) >> 1);
  let digits = BigInt((bytes[14] ?? 0) & 1);
  for (let i = 13; i >= 0; i--) digits = digits * 256n + BigInt(bytes[i] ?? 0);
  const value = Number(`${(bytes[15] ?? 0) & 0x80 ? "-" : ""}${digits}e${high - 0x1820}`);
  const type = numberOf(format, 1);
  const decimals = format?.has(2) ? numberOf(format, 2) : Number.POSITIVE_INFINITY;
  const shown = type === PERCENT ? Number((value * 100).toPrecision(15)) : value;
  const text = decimals <= 20 ? shown.toFixed(decimals) : String(shown);
  const currency = format && type === CURRENCY ? bytesOf(format, 3).toString("latin1") : "";
  return `${currency}${currency === "" ? "" : " "}${text}${type === PERCENT ? "%" : ""}`;
}

const CURRENCY = 257;
const PERCENT = 258;
