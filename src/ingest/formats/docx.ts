import {
  allowance,
  type FormatReader,
  type Item,
  inLine,
  inMarkdown,
  listed,
  type SpendCharacters,
} from "./content.js";
import { numbering } from "./docx-numbering.js";
import { coreProperties } from "./office.js";
import { tables } from "./table.js";
import { at, childrenOf, descendants, parseXml, textOf, without, type Xml } from "./xml.js";
import { textIn, unzip } from "./zip.js";

/** A Word document: headings, lists with their numbers, tables and notes, without deleted and hidden text. */
export const docx: FormatReader = async (bytes) => {
  const archive = await unzip(bytes, (name) =>
    /^(?:word\/(?:document|styles|numbering|footnotes|endnotes)|docProps\/(?:core|custom))\.xml$/.test(name),
  );
  const xml = (name: string) => parseXml(textIn(archive, `word/${name}.xml`));
  const styles = stylesOf(xml("styles"));
  const labelOf = numbering(xml("numbering"));
  const seen = (name: string) => without(xml(name), (element) => isUnseen(element, styles));
  const document = seen("document");
  const written: (string | Item)[] = [];
  const spend = allowance(bytes);
  const notes = ["footnote", "endnote"].map((kind) => ({
    reference: `${kind}Reference`,
    texts: new Map(descendants(seen(`${kind}s`), kind).map((note) => [note.attributes.id, linesIn(note)])),
  }));
  /** Writes the notes of a paragraph or table, each once. */
  const notesOf = (element: Xml) => {
    for (const { reference, texts } of notes)
      for (const { attributes } of descendants(element, reference)) {
        written.push(texts.get(attributes.id) ?? "");
        texts.delete(attributes.id);
      }
  };

  const paragraph = (element: Xml) => {
    const { words, boxes } = wordsIn(element);
    const properties = at(element, "pPr");
    const style = styles(at(properties, "pStyle")?.attributes.val);
    if (words.trim() !== "" && !style.isContents) {
      const depth = Number(at(properties, "outlineLvl")?.attributes.val ?? style.outline) + 1;
      const label = labelOf(at(properties, "numPr") ?? style.numbering, style.numbering);
      if (depth >= 1 && depth <= 9)
        written.push(`${"#".repeat(Math.min(6, depth))} ${[label?.number, inLine(words)].filter(Boolean).join(" ")}`);
      else written.push(label ? { ...label, words } : words.trim());
    }
    for (const box of boxes) blocks(box);
    notesOf(element);
  };
  const blocks = (parent: Xml) => {
    for (const child of childrenOf(parent)) {
      if (child.name === "p") paragraph(child);
      else if (child.name === "tbl") {
        const rows = rowsOf(child, spend);
        if (rows.every((row) => row.length < 2)) for (const cell of descendants(child, "tc")) blocks(cell);
        else {
          written.push(tables(rows, spend));
          notesOf(child);
        }
      } else blocks(child);
    }
  };
  blocks(document);
  return inMarkdown(joinParts(written), coreProperties(archive));
};

/** Joins the parts, consecutive items as one list. */
function joinParts(parts: readonly (string | Item)[]): string {
  const written: string[] = [];
  let items: Item[] = [];
  for (const part of [...parts, ""]) {
    if (typeof part !== "string") {
      items.push(part);
      continue;
    }
    written.push(listed(items), part);
    items = [];
  }
  return written.filter((part) => part !== "").join("\n\n");
}

interface Style {
  /** From 0; NaN for a style that is not a heading. */
  outline: number;
  numbering: Xml | undefined;
  /** True for a line of a table of contents, which repeats the headings. */
  isContents: boolean;
  isHidden: boolean | undefined;
}

/** Returns a function that looks up a style by its id. A style inherits from the one that it is based on. */
function stylesOf(root: Xml): (id: string | undefined) => Style {
  const elements = new Map(descendants(root, "style").map((style) => [style.attributes.styleId, style]));
  const styleOf = (first: Xml | undefined) => {
    let style = first;
    const isContents = /^toc \d/i.test(at(style, "name")?.attributes.val ?? "");
    let found: Style = { outline: Number.NaN, numbering: undefined, isContents, isHidden: undefined };
    for (let i = 0; style && i < 20; i++) {
      const named = /^(?:heading (\d)|(title))$/i.exec(at(style, "name")?.attributes.val ?? "");
      const level = at(style, "pPr", "outlineLvl")?.attributes.val;
      const outline = named ? Number(named[1] ?? 1) - 1 : level === undefined ? Number.NaN : Number(level);
      found = {
        isContents,
        outline: Number.isNaN(found.outline) ? outline : found.outline,
        numbering: found.numbering ?? at(style, "pPr", "numPr"),
        isHidden: found.isHidden ?? vanishes(at(style, "rPr")),
      };
      style = elements.get(at(style, "basedOn")?.attributes.val);
    }
    return found;
  };
  const none = styleOf(undefined);
  const styles = new Map([...elements].map(([id, style]) => [id, styleOf(style)]));
  return (id) => styles.get(id) ?? none;
}

/** True for an element that is deleted, hidden, a phonetic reading (`rt`), or not text. */
function isUnseen(element: Xml, styles: (id: string | undefined) => Style): boolean {
  if (UNSEEN.has(element.name)) return true;
  if (element.name === "tr") return at(element, "trPr", "del") !== undefined;
  if (element.name !== "r" && element.name !== "p") return false;
  const style = at(element, "rPr", "rStyle") ?? at(element, "pPr", "pStyle");
  return vanishes(at(element, "rPr")) ?? styles(style?.attributes.val).isHidden ?? false;
}

const UNSEEN = new Set("del moveFrom instrText rt sectPr sdtPr sdtEndPr tblPr tblGrid trPr rPr".split(" "));

/** True if the properties hide text, false if they show it, undefined if they state neither. */
function vanishes(properties: Xml | undefined): boolean | undefined {
  const vanish = at(properties, "vanish");
  return vanish && !["0", "false", "off"].includes(vanish.attributes.val ?? "");
}

/** Returns the words of a paragraph, and the text boxes in it. */
function wordsIn(element: Xml): { words: string; boxes: Xml[] } {
  let words = "";
  const boxes: Xml[] = [];
  const visit = (parent: Xml) => {
    for (const child of childrenOf(parent)) {
      const { name, attributes } = child;
      if (name === "t") words += textOf(child);
      else if (name === "tab") words += " ";
      else if (name === "br" || name === "cr") words += attributes.type === "page" ? "" : "\n";
      else if (name === "noBreakHyphen") words += "-";
      else if (name === "txbxContent") boxes.push(child);
      else if (name === "AlternateContent") visit(at(child, "Choice") ?? at(child, "Fallback") ?? child);
      else if (name !== "pPr") visit(child);
    }
  };
  visit(element);
  return { words, boxes };
}

/** Returns the words of all paragraphs in an element on one line. */
const linesIn = (element: Xml): string =>
  descendants(element, "p")
    .flatMap((paragraph) => {
      const { words, boxes } = wordsIn(paragraph);
      return [inLine(words), ...boxes.map(linesIn)];
    })
    .filter(Boolean)
    .join(" ");

/** Returns the text of the cells. A cell that is merged with the one above repeats its text. */
function rowsOf(table: Xml, spend: SpendCharacters): string[][] {
  const rows: string[][] = [];
  for (const row of descendants(table, "tr")) {
    const cells: string[] = [];
    for (const cell of descendants(row, "tc")) {
      const merged = at(cell, "tcPr", "vMerge");
      const isBelow = merged && merged.attributes.val !== "restart";
      const text = isBelow ? (rows.at(-1)?.[cells.length] ?? "") : linesIn(cell);
      if (isBelow) spend(text.length);
      cells.push(text);
      const span = Math.min(50, Number(at(cell, "tcPr", "gridSpan")?.attributes.val ?? 1)) || 1;
      cells.push(...Array<string>(Math.max(0, span - 1)).fill(""));
    }
    rows.push(cells);
  }
  return rows;
}
