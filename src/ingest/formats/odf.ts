import { isoDate, metadataOf } from "../../text/metadata.js";
import { isElement, isText, type TreeElement } from "../../tools/web/html-tree.js";
import { at, childrenOf, descendants, prune, statedTexts, textOf, underName, unzip, xmlIn } from "./archive.js";
import {
  allowance,
  EncryptedError,
  type FormatReader,
  hiddenIf,
  type Item,
  inMarkdown,
  inParts,
  listed,
  numbered,
  type SpendCharacters,
} from "./content.js";
import { tables, withTitles } from "./table.js";

/** An OpenDocument text, spreadsheet, presentation or drawing, in an archive or as one file of XML. */
export const openDocument: FormatReader = async (bytes) => {
  // A flat file holds in one element what an archive holds in several files.
  const isFlat = !(bytes[0] === 0x50 && bytes[1] === 0x4b);
  const archive = isFlat
    ? new Map([
        ["content.xml", bytes],
        ["meta.xml", bytes],
      ])
    : await unzip(bytes, (name) => /^(?:content|meta|META-INF\/manifest)\.xml$/.test(name));
  if (descendants(xmlIn(archive, "META-INF/manifest.xml"), "encryption-data").length > 0) throw new EncryptedError();
  const meta = at(xmlIn(archive, "meta.xml"), isFlat ? "document" : "document-meta", "meta");
  const about = {
    title: textOf(at(meta, "title")).trim(),
    reviewedAt: isoDate(textOf(at(meta, "date"))),
    metadata: metadataOf(statedTexts(meta)),
  };
  const spend = allowance(bytes);
  const content = xmlIn(archive, "content.xml");
  const hiding = new Set(
    descendants(content, "style")
      .filter((style) =>
        childrenOf(style).some(({ attribs: { display, visibility } }) =>
          /^(?:none|false|hidden)$/.test(display ?? visibility ?? ""),
        ),
      )
      .map(({ attribs }) => attribs.name),
  );
  const isHidden = ({ attribs }: TreeElement) => hiding.has(attribs["style-name"]);
  const isOut = (element: TreeElement) => LEFT_OUT.has(element.name) || (TEXTS.has(element.name) && isHidden(element));
  const [body] = descendants(content, "body").map((each) => prune(each, isOut));
  const sheets = childrenOf(at(body, "spreadsheet"), "table").map((table) => {
    const text = withTitles(rowsOf(table, spend), spend);
    return underName(hiddenIf(isHidden(table), { name: table.attribs.name ?? "", text }));
  });
  const drawn = ["presentation", "drawing"].flatMap((kind) => childrenOf(at(body, kind), "page"));
  const pages = drawn.map((page) => ({
    text: blocks(page, spend).join("\n\n"),
    isHidden: isHidden(page),
  }));
  if (sheets.length > 0) return inParts(sheets, about);
  if (pages.length > 0) return inParts(numbered(pages, "slide"), about);
  return inMarkdown(blocks(body, spend).join("\n\n"), about);
};

function blocks(parent: TreeElement | undefined, spend: SpendCharacters): string[] {
  return childrenOf(parent).flatMap((child) => {
    const written = block(child, spend);
    if (written === undefined) return blocks(child, spend);
    return [written, ...beside(child).flatMap((one) => blocks(one, spend))].filter(Boolean);
  });
}

/** Returns a block as Markdown; undefined for an element that only holds other blocks. */
function block(element: TreeElement, spend: SpendCharacters): string | undefined {
  const { name, attribs } = element;
  if (name === "h") return `${"#".repeat(Math.min(6, Number(attribs["outline-level"]) || 1))} ${wordsIn(element)}`;
  if (name === "p") return wordsIn(element).trim();
  if (name === "list") return listed(items(element, 0));
  return name === "table" ? tables(rowsOf(element, spend), spend) : undefined;
}

const LEFT_OUT = new Set(
  "tracked-changes annotation sequence-decls forms note-citation hidden-text ruby-text".split(" "),
);
const TEXTS = new Set("p h span".split(" "));

/** Returns the boxes and notes that are anchored in an element, but not those inside one of them. */
const beside = (element: TreeElement): TreeElement[] =>
  childrenOf(element).flatMap((child) => (BESIDE.has(child.name) ? [child] : beside(child)));

const BESIDE = new Set(["text-box", "note"]);

const items = (list: TreeElement, depth: number): Item[] =>
  childrenOf(list, "list-item").flatMap((item) =>
    childrenOf(item).flatMap((child) => {
      if (child.name === "list") return items(child, depth + 1);
      const words = wordsIn(child);
      return words === "" ? [] : [{ words, depth }];
    }),
  );

/** Returns the text of the cells. A cell that is merged with the one above repeats its text. */
function rowsOf(table: TreeElement, spend: SpendCharacters): string[][] {
  const merged: { text: string; rows: number }[] = [];
  return descendants(table, "table-row").flatMap((row) => {
    const written = cellsOf(row, spend);
    let column = 0;
    for (const cell of childrenOf(row)) {
      const count = repeated(cell, "number-columns-repeated");
      const reaching = merged[column];
      if (cell.name === "covered-table-cell" && reaching && reaching.rows > 0) {
        for (const each of written) each[column] = reaching.text;
        spend(reaching.text.length * written.length);
        reaching.rows -= 1;
      } else if (cell.name === "table-cell")
        merged[column] = { text: written[0]?.[column] ?? "", rows: repeated(cell, "number-rows-spanned") - 1 };
      column += count;
    }
    return written;
  });
}

/**
 * Returns a row as often as it is repeated, up to a thousand times: files repeat empty rows and cells by the million.
 */
function cellsOf(row: TreeElement, spend: SpendCharacters): string[][] {
  const written = childrenOf(row).map((cell) => ({
    text: descendants(cell, "p").map(wordsIn).join(" "),
    count: repeated(cell, "number-columns-repeated"),
  }));
  const last = written.findLastIndex(({ text }) => text !== "");
  const rows = last < 0 ? 1 : repeated(row, "number-rows-repeated");
  const filled = written.slice(0, last + 1);
  spend(rows * filled.reduce((sum, { text, count }) => sum + (text.length + 1) * count, 0));
  return Array<string[]>(rows).fill(filled.flatMap(({ text, count }) => Array<string>(count).fill(text)));
}

const repeated = ({ attribs }: TreeElement, name: string) =>
  Math.min(1_000, Math.max(1, Math.trunc(Number(attribs[name])) || 1));

const wordsIn = (element: TreeElement): string =>
  element.children
    .map((child) => {
      if (isText(child)) return child.data;
      if (!isElement(child)) return "";
      if (child.name === "s" || child.name === "tab" || child.name === "line-break") return " ";
      return BESIDE.has(child.name) ? "" : wordsIn(child);
    })
    .join("")
    .replace(/\s+/g, " ");
