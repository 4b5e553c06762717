import { type Item, inMarkdown, type Loader, listed } from "./content.js";
import { isoDate } from "./front-matter.js";
import { underName } from "./office.js";
import { inPlaces, numbered } from "./places.js";
import { tables } from "./table.js";
import { at, below, childrenOf, parseXml, textOf, type Xml } from "./xml.js";
import { EncryptedError, textIn, unzip } from "./zip.js";

/** An OpenDocument text, spreadsheet or presentation. */
export const openDocument: Loader = async (bytes) => {
  const archive = await unzip(bytes, (name) => /^(?:content|meta|META-INF\/manifest)\.xml$/.test(name));
  if (below(parseXml(textIn(archive, "META-INF/manifest.xml")), "encryption-data").length > 0)
    throw new EncryptedError();
  const meta = at(parseXml(textIn(archive, "meta.xml")), "document-meta", "meta");
  const about = { title: textOf(at(meta, "title")).trim(), reviewedAt: isoDate(textOf(at(meta, "date"))) };
  const [body] = below(parseXml(textIn(archive, "content.xml")), "body");
  const sheets = childrenOf(at(body, "spreadsheet"), "table").map((table) => ({
    name: table.attributes.name ?? "",
    text: tables(below(table, "table-row").flatMap(cellsOf)),
  }));
  const slides = childrenOf(at(body, "presentation"), "page").map((page) => blocks(page).join("\n\n"));
  if (sheets.length > 0) return inPlaces(sheets.map(underName), about);
  if (slides.length > 0) return inPlaces(numbered(slides, "slide"), about);
  return inMarkdown(blocks(body).join("\n\n"), about);
};

function blocks(parent: Xml | undefined): string[] {
  return childrenOf(parent).flatMap((child) => {
    if (child.name === "h")
      return [`${"#".repeat(Math.min(6, Number(child.attributes["outline-level"]) || 1))} ${wordsIn(child)}`];
    if (child.name === "p") return [wordsIn(child), ...boxes(child)].filter(Boolean);
    if (child.name === "list") return [listed(items(child, 0))];
    if (child.name === "table") {
      const rows = tables(below(child, "table-row").flatMap(cellsOf));
      return rows === "" ? [] : [rows];
    }
    return LEFT_OUT.has(child.name) ? [] : blocks(child);
  });
}

const LEFT_OUT = new Set("tracked-changes annotation sequence-decls forms notes".split(" "));

/** Returns the text of boxes that are anchored in a paragraph. */
const boxes = (paragraph: Xml) => below(paragraph, "text-box").flatMap(blocks);

const items = (list: Xml, depth: number): Item[] =>
  childrenOf(list, "list-item").flatMap((item) =>
    childrenOf(item).flatMap((child) => {
      if (child.name === "list") return items(child, depth + 1);
      const words = wordsIn(child);
      return words === "" ? [] : [{ words, depth }];
    }),
  );

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
      return child.name === "note" || child.name === "annotation" || child.name === "text-box" ? "" : wordsIn(child);
    })
    .join("")
    .replace(/\s+/g, " ");
