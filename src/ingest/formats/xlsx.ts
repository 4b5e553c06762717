import { languageOf } from "../../text/language.js";
import { checkBox } from "../../text/marks.js";
import { parseXml, type TreeElement, type TreeParent } from "../../tools/web/html-tree.js";
import {
  type Archive,
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
import { chart } from "./chart.js";
import {
  allowance,
  type FormatReader,
  hiddenIf,
  inLine,
  inParts,
  type SpendCharacters,
  TooLargeError,
} from "./content.js";
import { alternativeText, comment, marked, type Run } from "./marked.js";
import { builtInFormat, numberFormat, type ShowNumber } from "./numbers.js";
import { picturesOf } from "./pictures.js";
import { type SheetRow, sheetTables, type WideCells } from "./regions.js";

/**
 * A workbook: each sheet under its name, with its tables as Excel shows them; dates are in ISO form. After them come the
 * comments, the charts, and the texts and check boxes that are drawn on the sheet.
 */
export const xlsx: FormatReader = async (bytes) => {
  const archive = await unzip(bytes, (name) =>
    /^(?:xl\/(?:(?:workbook|sharedStrings|styles|(?:worksheets|chartsheets|comments|threadedComments|persons)\/[^/]+|comments[^/]*|drawings\/drawing[^/]*|charts\/chart[^/]*)\.xml|drawings\/[^/]+\.vml|(?:(?:worksheets|chartsheets|drawings)\/)?_rels\/.*)|docProps\/(?:core|custom)\.xml)$/.test(
      name,
    ),
  );
  const workbook = at(xmlIn(archive, "xl/workbook.xml"), "workbook");
  const parts = relationships(archive, "xl/workbook.xml");
  const strings = descendants(xmlIn(archive, "xl/sharedStrings.xml"), "si").map(stringIn);
  const spend = allowance(bytes);
  const book: Book = {
    strings,
    looks: looksOf(xmlIn(archive, "xl/styles.xml"), isTrue(at(workbook, "workbookPr")?.attribs.date1904)),
    isChinese: languageOf(strings.slice(0, 200).map(plain).join("\n")) === "zh",
    isUncalculated: isTrue(at(workbook, "calcPr")?.attribs.fullCalcOnLoad),
    spend,
  };
  const people = new Map(
    [...parts.values()]
      .filter(({ type }) => type === "person")
      .flatMap(({ path }) => childrenOf(at(xmlIn(archive, path), "personList"), "person"))
      .map(({ attribs }) => [attribs.id, attribs.displayName] as const),
  );
  const pictures = picturesOf(bytes);
  let cells = 0;
  const sheets = childrenOf(at(workbook, "sheets"), "sheet").map((sheet) => {
    const path = parts.get(referenceOf(sheet))?.path ?? "";
    const { rows, wide, frames } = sheetOf(textIn(archive, path), book);
    const columns = new Set(rows.flatMap((row) => [...row.cells.keys()]));
    cells += rows.length * columns.size;
    if (cells > MAX_CELLS) throw new TooLargeError(`It has more than ${MAX_CELLS / 1_000_000} million cells.`);
    spend(rows.length * columns.size);
    const related = [...relationships(archive, path).values()];
    const pathsOf = (kind: string) => related.filter(({ type }) => type === kind).map((each) => each.path);
    const text = [
      ...frames,
      ...sheetTables(rows, wide, spend),
      ...commentsOf(archive, pathsOf, people, rows),
      ...pathsOf("drawing").flatMap((each) => drawn(archive, each, pictures.mark, spend)),
      ...pathsOf("vmlDrawing").map((each) => controls(textIn(archive, each))),
    ];
    const whole = text.filter(Boolean).join("\n\n");
    spend(whole.length);
    const { name = "", state = "visible" } = sheet.attribs;
    return underName(hiddenIf(state !== "visible", { name, text: whole }));
  });
  return { ...inParts(sheets, coreProperties(archive)), pictures: pictures.found };
};

const MAX_CELLS = 5_000_000;

const isTrue = (value: string | undefined) => value === "1" || value === "true";

/** What the sheets of a workbook share. */
interface Book {
  strings: readonly CellText[];
  /** By the number of a style. */
  looks: readonly Look[];
  isChinese: boolean;
  /** True if Excel is to calculate all formulas when it opens the file. */
  isUncalculated: boolean;
  spend: SpendCharacters;
}

/** A text, or its pieces if they look different. A piece without a look of its own has that of the cell. */
type CellText = string | readonly (Run & { isOwn: boolean })[];

const plain = (text: CellText) => (typeof text === "string" ? text : text.map((run) => run.text).join(""));

/** How a style shows a cell. */
interface Look {
  show: ShowNumber;
  isStruck: boolean;
  isRaised: boolean;
  isBold: boolean;
  /** True if a truth value is shown as a check box. */
  isBox: boolean;
}

interface Sheet {
  rows: SheetRow[];
  wide: WideCells;
  /** The lines of its print header and footer. */
  frames: string[];
}

/** Reads a sheet. A cell merged with the one above repeats its text. */
function sheetOf(xml: string, book: Book): Sheet {
  const rows = new Map<number, SheetRow>();
  const wide: Sheet["wide"] = new Map();
  const frames: string[] = [];
  let [number, cells] = [0, 0];
  for (const piece of piecesOf(xml)) {
    for (const row of descendants(piece, "row")) {
      number = Number(row.attribs.r) || number + 1;
      const values = new Map<number, string>();
      let isBold = true;
      let column = 0;
      for (const cell of childrenOf(row, "c")) {
        column = columnOf(cell.attribs.r ?? "") || column + 1;
        const text = cellOf(cell, book);
        book.spend(text.length);
        if (text.trim() !== "") {
          values.set(column, unescaped(text));
          isBold &&= book.looks[Number(cell.attribs.s)]?.isBold ?? false;
        }
        cells += 1;
        if (cells > MAX_CELLS) throw new TooLargeError(`It has more than ${MAX_CELLS / 1_000_000} million cells.`);
      }
      if (values.size > 0) rows.set(number, { number, cells: values, isBold });
    }
    for (const { attribs } of descendants(piece, "mergeCell")) merge(rows, wide, attribs.ref ?? "", book.spend);
    for (const element of descendants(piece, "headerFooter")) frames.push(...framesIn(element));
  }
  return { rows: [...rows.values()].sort((a, b) => a.number - b.number), wide, frames };
}

function cellOf(cell: TreeElement, { strings, looks, isChinese, isUncalculated }: Book): string {
  const { t: type = "n", s: style } = cell.attribs;
  const look = looks[Number(style)] ?? NO_LOOK;
  const value = textOf(at(cell, "v"));
  const formula = at(cell, "f");
  if (formula && type !== "str" && (value === "" || (isUncalculated && value === "0"))) {
    const words = inLine(textOf(formula));
    return isChinese ? `（未计算${words && `：=${words}`}）` : `(not calculated${words && `: =${words}`})`;
  }
  const text =
    type === "s" ? strings[Number(value)] : value === "" ? stringIn(at(cell, "is")) : shown(value, type, look);
  if (text === undefined || text === "") return "";
  if (typeof text !== "string") return marked(text.map((run) => (run.isOwn ? run : { ...look, text: run.text })));
  return look.isStruck || look.isRaised ? marked([{ ...look, text }]) : text;
}

function shown(value: string, type: string, { show, isBox }: Look): string {
  if (type === "b") return isBox ? checkBox(value === "1") : value === "1" ? "TRUE" : "FALSE";
  if (type === "e") return "";
  const number = Number(value);
  return type !== "n" || Number.isNaN(number) ? value : show(number);
}

/** Returns the comments of a sheet. Threads replace the notes that older programs show for them. */
function commentsOf(
  archive: Archive,
  pathsOf: (kind: string) => string[],
  people: ReadonlyMap<string | undefined, string | undefined>,
  rows: readonly SheetRow[],
): string[] {
  const byNumber = new Map(rows.map((row) => [row.number, row.cells]));
  const written = (ref: string, author: string | undefined, words: string, isResolved: boolean) => {
    const cells = byNumber.get(rowOf(ref));
    const value = cells?.get(columnOf(ref)) ?? "";
    const [name = ""] = cells?.values() ?? [];
    const about = [name === value ? "" : name, value === "" ? ref : `${ref}: ${value}`].filter(Boolean).join(", ");
    return comment({ author, words, isResolved, about });
  };
  const threads = pathsOf("threadedComment").flatMap((path) =>
    childrenOf(at(xmlIn(archive, path), "ThreadedComments"), "threadedComment"),
  );
  const done = new Set(threads.filter(({ attribs }) => isTrue(attribs.done)).map(({ attribs }) => attribs.id));
  const threaded = new Set(threads.map(({ attribs }) => attribs.ref));
  const notes = pathsOf("comments").flatMap((path) => {
    const root = at(xmlIn(archive, path), "comments");
    const authors = childrenOf(at(root, "authors"), "author").map(textOf);
    return childrenOf(at(root, "commentList"), "comment")
      .filter(({ attribs }) => !threaded.has(attribs.ref))
      .map((note) =>
        written(
          note.attribs.ref ?? "",
          authors[Number(note.attribs.authorId)],
          plain(stringIn(at(note, "text"))),
          false,
        ),
      );
  });
  return [
    ...notes,
    ...threads.map((thread) =>
      written(
        thread.attribs.ref ?? "",
        people.get(thread.attribs.personId),
        textOf(at(thread, "text")),
        done.has(thread.attribs.parentId ?? thread.attribs.id),
      ),
    ),
  ];
}

/** Returns the charts, pictures and texts that are drawn on a sheet. */
function drawn(archive: Archive, path: string, mark: (path: string) => string, spend: SpendCharacters): string[] {
  const related = relationships(archive, path);
  const pathOf = (id: string | undefined) => related.get(id ?? "")?.path ?? "";
  const visit = (parent: TreeParent): string[] =>
    childrenOf(parent).flatMap((child) => {
      if (child.name === "AlternateContent") return visit(at(child, "Choice") ?? child);
      if (child.name === "cNvPr") return alternativeText(child.attribs.descr);
      if (child.name === "chart") return chart(xmlIn(archive, pathOf(referenceOf(child))), spend);
      if (child.name === "blip") return mark(pathOf(child.attribs.embed));
      if (child.name === "txBody")
        return descendants(child, "p").map((one) => inLine(descendants(one, "t").map(textOf).join("")));
      return visit(child);
    });
  return visit(xmlIn(archive, path));
}

/** Returns the check boxes of a sheet with their labels, as a list. */
function controls(vml: string): string {
  if (!vml.includes("Checkbox")) return "";
  const lines = descendants(parseXml(vml), "shape").flatMap((shape) => {
    const data = at(shape, "ClientData");
    if (data?.attribs.ObjectType !== "Checkbox") return [];
    const isChecked = textOf(at(data, "Checked")).trim() === "1";
    return `- ${checkBox(isChecked)} ${inLine(textOf(at(shape, "textbox")))}`.trimEnd();
  });
  return lines.join("\n");
}

/** Returns what the print header and footer of a sheet say. Pieces with a page number, a date or a name of the file are left out. */
function framesIn(element: TreeElement): string[] {
  const isShown = ({ name }: TreeElement) =>
    (!name.startsWith("even") || isTrue(element.attribs.differentOddEven)) &&
    (!name.startsWith("first") || isTrue(element.attribs.differentFirst));
  const pieces = childrenOf(element)
    .filter(isShown)
    .flatMap((each) => textOf(each).split(/&[LCR]|\n/))
    .filter((piece) => !/&[PNDTAFZG]/.test(piece))
    .map((piece) =>
      inLine(piece.replace(/&(?:"[^"]*"|K(?:[0-9A-F]{6}|\d\d[+-]\d{3})|\d+|[BIUESXYOH])/g, "").replaceAll("&&", "&")),
    );
  return [...new Set(pieces.filter(Boolean))];
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

/** Returns a text. Leaves out `rPh`, the phonetic readings of Japanese words. */
function stringIn(item: TreeElement | undefined): CellText {
  const runs = childrenOf(item, "r").map((run) => {
    const properties = at(run, "rPr");
    return { text: textOf(at(run, "t")), isOwn: properties !== undefined, ...lookOf(properties) };
  });
  const text = childrenOf(item, "t").map(textOf).join("");
  return runs.some(({ isStruck, isRaised }) => isStruck || isRaised)
    ? [{ text, isOwn: false }, ...runs]
    : text + runs.map((run) => run.text).join("");
}

/** Returns how a font shows letters. */
const lookOf = (font: TreeElement | undefined) => ({
  isStruck: isSet(at(font, "strike")),
  isRaised: at(font, "vertAlign")?.attribs.val === "superscript",
  isLowered: at(font, "vertAlign")?.attribs.val === "subscript",
});

const isSet = (property: TreeElement | undefined) =>
  property !== undefined && !/^(?:0|false)$/.test(property.attribs.val ?? "1");

/** Decodes the characters that XML cannot hold, such as `_x000D_` for a line end. */
const unescaped = (text: string) =>
  text.replace(/_x([0-9A-F]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** Returns the number of a column such as `AB` in `AB12`, from 1; 0 if there is none. */
function columnOf(reference: string): number {
  const letters = /^[A-Z]{1,3}/.exec(reference)?.[0] ?? "";
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
}

/** Returns the number of a row such as 12 in `AB12`; 0 if there is none. */
const rowOf = (reference: string) => Number(/\d+$/.exec(reference)?.[0] ?? 0);

function merge(rows: ReadonlyMap<number, SheetRow>, wide: Sheet["wide"], range: string, spend: SpendCharacters): void {
  const [from = "", to = ""] = range.split(":");
  const column = columnOf(from);
  const columns = columnOf(to) - column + 1;
  const value = rows.get(rowOf(from))?.cells.get(column);
  if (value === undefined) return;
  for (let i = rowOf(from); i <= Math.min(rowOf(to), rowOf(from) + MAX_MERGED); i++) {
    const row = rows.get(i);
    spend(row ? value.length : 1);
    row?.cells.set(column, value);
    if (row && columns > 1) wide.set(i, (wide.get(i) ?? new Map<number, number>()).set(column, columns));
  }
}

const MAX_MERGED = 1_000;

/** Returns how the styles of a workbook show cells. */
function looksOf(styles: TreeParent, is1904: boolean): Look[] {
  const sheet = at(styles, "styleSheet");
  const own = new Map(
    descendants(sheet, "numFmt").map(({ attribs: { numFmtId, formatCode = "" } }) => [numFmtId, formatCode]),
  );
  const fonts = childrenOf(at(sheet, "fonts"), "font").map((font) => ({
    ...lookOf(font),
    isBold: isSet(at(font, "b")),
  }));
  return childrenOf(at(sheet, "cellXfs"), "xf").map((xf) => {
    const { numFmtId = "0", fontId } = xf.attribs;
    const font = fonts[Number(fontId)] ?? NO_LOOK;
    const show = numberFormat(own.get(numFmtId) ?? builtInFormat(Number(numFmtId)), is1904);
    return { ...font, show, isBox: descendants(xf, "xfComplement").length > 0 };
  });
}

const NO_LOOK: Look = { show: numberFormat("General"), isStruck: false, isRaised: false, isBold: false, isBox: false };
