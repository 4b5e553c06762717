import { dateFromSerial, format, getFormatFromId, isDateFormat } from "numfmt";
import { parseXml, type TreeElement, type TreeParent } from "../../tools/web/html-tree.js";
import {
  at,
  childrenOf,
  coreProperties,
  descendants,
  referenceOf,
  relationships,
  textIn,
  textOf,
  underName,
  unzip,
  xmlIn,
} from "./archive.js";
import { allowance, type FormatReader, hiddenIf, inParts, type SpendCharacters, TooLargeError } from "./content.js";
import { withTitles } from "./table.js";

/** A workbook: each sheet under its name, as a table of what Excel shows; dates are in ISO form. */
export const xlsx: FormatReader = async (bytes) => {
  const archive = await unzip(bytes, (name) =>
    /^(?:xl\/(?:workbook|sharedStrings|styles|worksheets\/[^/]+)\.xml|xl\/_rels\/.*|docProps\/(?:core|custom)\.xml)$/.test(
      name,
    ),
  );
  const workbook = at(xmlIn(archive, "xl/workbook.xml"), "workbook");
  const parts = relationships(archive, "xl/workbook.xml");
  const strings = descendants(xmlIn(archive, "xl/sharedStrings.xml"), "si").map(stringIn);
  const shown = formatter(xmlIn(archive, "xl/styles.xml"), at(workbook, "workbookPr")?.attribs.date1904);
  const spend = allowance(bytes);
  let cells = 0;
  const sheets = childrenOf(at(workbook, "sheets"), "sheet").map((sheet) => {
    const rows = rowsOf(textIn(archive, parts.get(referenceOf(sheet))?.path ?? ""), strings, shown, spend);
    const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))].sort((a, b) => a - b);
    cells += rows.length * columns.length;
    if (cells > MAX_CELLS) throw new TooLargeError(`It has more than ${MAX_CELLS / 1_000_000} million cells.`);
    spend(rows.length * columns.length);
    const filled = rows.map((row) => columns.map((column) => row.get(column) ?? ""));
    const { name = "", state = "visible" } = sheet.attribs;
    return underName(hiddenIf(state !== "visible", { name, text: withTitles(filled, spend) }));
  });
  return inParts(sheets, coreProperties(archive));
};

const MAX_CELLS = 5_000_000;

type Shown = (value: string, type: string, style: string) => string;

/** Returns the rows of a sheet. A cell merged with the one above repeats its text. */
function rowsOf(xml: string, strings: readonly string[], shown: Shown, spend: SpendCharacters): Map<number, string>[] {
  const rows = new Map<number, Map<number, string>>();
  let [number, cells] = [0, 0];
  for (const piece of piecesOf(xml)) {
    for (const row of descendants(piece, "row")) {
      number = Number(row.attribs.r) || number + 1;
      const values = new Map<number, string>();
      rows.set(number, values);
      let column = 0;
      for (const cell of childrenOf(row, "c")) {
        const { r = "", t = "n", s = "" } = cell.attribs;
        column = columnOf(r) || column + 1;
        const value = textOf(at(cell, "v")) || stringIn(at(cell, "is"));
        const text = t === "s" ? (strings[Number(value)] ?? "") : shown(value, t, s);
        spend(text.length);
        if (text.trim() !== "") values.set(column, unescaped(text));
        cells += 1;
        if (cells > MAX_CELLS) throw new TooLargeError(`It has more than ${MAX_CELLS / 1_000_000} million cells.`);
      }
    }
    for (const { attribs } of descendants(piece, "mergeCell")) merge(rows, attribs.ref ?? "", spend);
  }
  return [...rows].sort(([a], [b]) => a - b).map(([, values]) => values);
}

/** Parses a sheet in pieces of about a million characters that end with a row or a merged range, since it may have many. */
function* piecesOf(xml: string): Generator<TreeParent> {
  const end = /<\/(?:\w+:)?row>|<(?:\w+:)?mergeCell[^>]*\/>/g;
  for (let start = 0; start < xml.length; ) {
    end.lastIndex = start + 1_000_000;
    const next = end.exec(xml) ? end.lastIndex : xml.length;
    yield parseXml(xml.slice(start, next));
    start = next;
  }
}

/** Returns the text of a string. Leaves out `rPh`, the phonetic readings of Japanese words. */
const stringIn = (item: TreeElement | undefined): string =>
  [item, ...childrenOf(item, "r")].map((part) => childrenOf(part, "t").map(textOf).join("")).join("");

/** Decodes the characters that XML cannot hold, such as `_x000D_` for a line end. */
const unescaped = (text: string) =>
  text.replace(/_x([0-9A-F]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** Returns the number of a column such as `AB` in `AB12`, from 1; 0 if there is none. */
function columnOf(reference: string): number {
  const letters = /^[A-Z]{1,3}/.exec(reference)?.[0] ?? "";
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
}

function merge(rows: ReadonlyMap<number, Map<number, string>>, range: string, spend: SpendCharacters): void {
  const [from = "", to = ""] = range.split(":");
  const rowOf = (reference: string) => Number(/\d+$/.exec(reference)?.[0] ?? 0);
  const column = columnOf(from);
  const value = rows.get(rowOf(from))?.get(column);
  if (value === undefined) return;
  for (let i = rowOf(from) + 1; i <= Math.min(rowOf(to), rowOf(from) + MAX_MERGED); i++) {
    const row = rows.get(i);
    spend(row ? value.length : 1);
    row?.set(column, value);
  }
}

const MAX_MERGED = 1_000;

/** Returns a function that writes values as Excel shows them, by the formats of their styles. */
function formatter(styles: TreeParent, date1904: string | undefined): Shown {
  const sheet = at(styles, "styleSheet");
  const own = new Map(
    descendants(sheet, "numFmt").map(({ attribs: { numFmtId, formatCode = "" } }) => [numFmtId, formatCode]),
  );
  const patterns = childrenOf(at(sheet, "cellXfs"), "xf").map(({ attribs: { numFmtId = "0" } }) => {
    const pattern = own.get(numFmtId) ?? getFormatFromId(Number(numFmtId));
    return { pattern, isDate: dated(pattern) };
  });
  const offset = date1904 === "1" || date1904 === "true" ? 1462 : 0;
  return (value, type, style) => {
    if (type === "b") return value === "1" ? "TRUE" : "FALSE";
    if (type === "e") return "";
    const number = Number(value);
    if (type !== "n" || value === "" || Number.isNaN(number)) return value;
    const { pattern = "General", isDate = false } = patterns[Number(style)] ?? {};
    return isDate ? isoTime(number + offset) : written(pattern, number);
  };
}

function dated(pattern: string): boolean {
  try {
    return isDateFormat(pattern) && /[yd]/i.test(pattern);
  } catch {
    return false;
  }
}

function written(pattern: string, number: number): string {
  try {
    return format(pattern, number).trim();
  } catch {
    return String(number);
  }
}

function isoTime(serial: number): string {
  const [year = 0, month = 1, day = 1, hours = 0, minutes = 0] = dateFromSerial(serial) ?? [];
  const two = (n: number) => String(n).padStart(2, "0");
  const date = `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`;
  return hours === 0 && minutes === 0 ? date : `${date} ${two(hours)}:${two(minutes)}`;
}
