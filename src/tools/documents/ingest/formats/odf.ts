import { metadataOf } from "../../../../types/metadata.js";
import { type Item, inMarkdown, type Loader, listed } from "./content.js";
import { isoDate } from "./front-matter.js";
import { stated, underName } from "./office.js";
import { inPlaces, marked, numbered } from "./places.js";
import { tables, withTitles } from "./table.js";
import { at, below, childrenOf, parseXml, textOf, without, type Xml } from "./xml.js";
import { EncryptedError, textIn, unzip } from "./zip.js";

/** An OpenDocument text, spreadsheet or presentation. */
export const openDocument: Loader = async (bytes) => {
  const archive = await unzip(bytes, (name) => /^(?:content|meta|META-INF\/manifest)\.xml$/.test(name));
  if (below(parseXml(textIn(archive, "META-INF/manifest.xml")), "encryption-data").length > 0)
    throw new EncryptedError();
  const meta = at(parseXml(textIn(archive, "meta.xml")), "document-meta", "meta");
  const about = {
    title: textOf(at(meta, "title")).trim(),
    reviewedAt: isoDate(textOf(at(meta, "date"))),
    metadata: metadataOf(stated(meta)),
  };
  const content = parseXml(textIn(archive, "content.xml"));
  const hiding = new Set(
    below(content, "style")
      .filter((style) =>
        childrenOf(style).some(({ attributes: { display, visibility } }) =>
          /^(?:none|false|hidden)$/.test(display ?? visibility ?? ""),
        ),
      )
      .map(({ attributes }) => attributes.name),
  );
  const isHidden = ({ attributes }: Xml) => hiding.has(attributes["style-name"]);
  const isOut = (element: Xml) => LEFT_OUT.has(element.name) || (TEXTS.has(element.name) && isHidden(element));
  const [body] = below(content, "body").map((each) => without(each, isOut));
  const sheets = childrenOf(at(body, "spreadsheet"), "table").map((table) => {
    const text = withTitles(rowsOf(table));
    return underName(marked(isHidden(table), { name: table.attributes.name ?? "", text }));
  });
  const pages = childrenOf(at(body, "presentation"), "page").map((page) => ({
    text: blocks(page).join("\n\n"),
    isHidden: isHidden(page),
  }));
  if (sheets.length > 0) return inPlaces(sheets, about);
  if (pages.length > 0) return inPlaces(numbered(pages, "slide"), about);
  return inMarkdown(blocks(body).join("\n\n"), about);
};

function blocks(parent: Xml | undefined): string[] {
  return childrenOf(parent).flatMap((child) => {
    const written = block(child);
    return written === undefined ? blocks(child) : [written, ...beside(child)].filter(Boolean);
  });
}

/** Returns what is no frame around others as Markdown. */
function block(element: Xml): string | undefined {
  const { name, attributes } = element;
  if (name === "h") return `${"#".repeat(Math.min(6, Number(attributes["outline-level"]) || 1))} ${wordsIn(element)}`;
  if (name === "p") return wordsIn(element).trim();
  if (name === "list") return listed(items(element, 0));
  return name === "table" ? tables(rowsOf(element)) : undefined;
}

const LEFT_OUT = new Set("tracked-changes annotation sequence-decls forms note-citation hidden-text".split(" "));
const TEXTS = new Set("p h span".split(" "));

/** Returns the text of boxes and notes that are anchored in an element. */
const beside = (element: Xml) => ["text-box", "note"].flatMap((name) => below(element, name).flatMap(blocks));

const items = (list: Xml, depth: number): Item[] =>
  childrenOf(list, "list-item").flatMap((item) =>
    childrenOf(item).flatMap((child) => {
      if (child.name === "list") return items(child, depth + 1);
      const words = wordsIn(child);
      return words === "" ? [] : [{ words, depth }];
    }),
  );

/** Returns the cells' text. A cell that is merged with the one above says the same. */
function rowsOf(table: Xml): string[][] {
  const merged: { text: string; rows: number }[] = [];
  return below(table, "table-row").flatMap((row) => {
    const written = cellsOf(row);
    let column = 0;
    for (const cell of childrenOf(row)) {
      const count = repeated(cell, "number-columns-repeated");
      const reaching = merged[column];
      if (cell.name === "covered-table-cell" && reaching && reaching.rows > 0) {
        for (const each of written) each[column] = reaching.text;
        reaching.rows -= 1;
      } else if (cell.name === "table-cell")
        merged[column] = { text: written[0]?.[column] ?? "", rows: repeated(cell, "number-rows-spanned") - 1 };
      column += count;
    }
    return written;
  });
}

/** Returns a row as often as it is repeated, up to a thousand times: empty rows and cells are claimed by the million. */
function cellsOf(row: Xml): string[][] {
  const cells = childrenOf(row).flatMap((cell) =>
    Array<string>(repeated(cell, "number-columns-repeated")).fill(below(cell, "p").map(wordsIn).join(" ")),
  );
  return Array<string[]>(cells.every((cell) => cell === "") ? 1 : repeated(row, "number-rows-repeated")).fill(cells);
}

const repeated = ({ attributes }: Xml, name: string) =>
  Math.min(1_000, Math.max(1, Math.trunc(Number(attributes[name])) || 1));

const wordsIn = (element: Xml): string =>
  element.children
    .map((child) => {
      if (typeof child === "string") return child;
      if (child.name === "s" || child.name === "tab" || child.name === "line-break") return " ";
      return child.name === "note" || child.name === "text-box" ? "" : wordsIn(child);
    })
    .join("")
    .replace(/\s+/g, " ");
