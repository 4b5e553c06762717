import type { TreeElement, TreeParent } from "../../tools/web/html-tree.js";
import { at, childrenOf, coreProperties, descendants, prune, textOf, unzip, xmlIn } from "./archive.js";
import {
  allowance,
  type FormatReader,
  type Item,
  inLine,
  inMarkdown,
  listed,
  type SpendCharacters,
} from "./content.js";
import { tables } from "./table.js";

/** A Word document: headings, lists with their numbers, tables and notes, without deleted and hidden text. */
export const docx: FormatReader = async (bytes) => {
  const archive = await unzip(bytes, (name) =>
    /^(?:word\/(?:document|styles|numbering|footnotes|endnotes)|docProps\/(?:core|custom))\.xml$/.test(name),
  );
  const xml = (name: string) => xmlIn(archive, `word/${name}.xml`);
  const styles = stylesOf(xml("styles"));
  const labelOf = numbering(xml("numbering"));
  const seen = (name: string) => prune(xml(name), (element) => isUnseen(element, styles));
  const document = seen("document");
  const written: (string | Item)[] = [];
  const spend = allowance(bytes);
  const notes = ["footnote", "endnote"].map((kind) => ({
    reference: `${kind}Reference`,
    texts: new Map(descendants(seen(`${kind}s`), kind).map((note) => [note.attribs.id, linesIn(note)])),
  }));
  /** Writes the notes of a paragraph or table, each once. */
  const notesOf = (element: TreeElement) => {
    for (const { reference, texts } of notes)
      for (const { attribs } of descendants(element, reference)) {
        written.push(texts.get(attribs.id) ?? "");
        texts.delete(attribs.id);
      }
  };

  const paragraph = (element: TreeElement) => {
    const { words, boxes } = wordsIn(element);
    const properties = at(element, "pPr");
    const style = styles(at(properties, "pStyle")?.attribs.val);
    if (words.trim() !== "" && !style.isContents) {
      const depth = Number(at(properties, "outlineLvl")?.attribs.val ?? style.outline) + 1;
      const label = labelOf(at(properties, "numPr") ?? style.numbering, style.numbering);
      if (depth >= 1 && depth <= 9)
        written.push(`${"#".repeat(Math.min(6, depth))} ${[label?.number, inLine(words)].filter(Boolean).join(" ")}`);
      else written.push(label ? { ...label, words } : words.trim());
    }
    for (const box of boxes) blocks(box);
    notesOf(element);
  };
  const blocks = (parent: TreeParent) => {
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
  numbering: TreeElement | undefined;
  /** True for a line of a table of contents, which repeats the headings. */
  isContents: boolean;
  isHidden: boolean | undefined;
}

/** Returns a function that looks up a style by its id. A style inherits from the one that it is based on. */
function stylesOf(root: TreeParent): (id: string | undefined) => Style {
  const elements = new Map(descendants(root, "style").map((style) => [style.attribs.styleId, style]));
  const styleOf = (first: TreeElement | undefined) => {
    let style = first;
    const isContents = /^toc \d/i.test(at(style, "name")?.attribs.val ?? "");
    let found: Style = { outline: Number.NaN, numbering: undefined, isContents, isHidden: undefined };
    for (let i = 0; style && i < 20; i++) {
      const named = /^(?:heading (\d)|(title))$/i.exec(at(style, "name")?.attribs.val ?? "");
      const level = at(style, "pPr", "outlineLvl")?.attribs.val;
      const outline = named ? Number(named[1] ?? 1) - 1 : level === undefined ? Number.NaN : Number(level);
      found = {
        isContents,
        outline: Number.isNaN(found.outline) ? outline : found.outline,
        numbering: found.numbering ?? at(style, "pPr", "numPr"),
        isHidden: found.isHidden ?? vanishes(at(style, "rPr")),
      };
      style = elements.get(at(style, "basedOn")?.attribs.val);
    }
    return found;
  };
  const none = styleOf(undefined);
  const styles = new Map([...elements].map(([id, style]) => [id, styleOf(style)]));
  return (id) => styles.get(id) ?? none;
}

/** True for an element that is deleted, hidden, a phonetic reading (`rt`), or not text. */
function isUnseen(element: TreeElement, styles: (id: string | undefined) => Style): boolean {
  if (UNSEEN.has(element.name)) return true;
  if (element.name === "tr") return at(element, "trPr", "del") !== undefined;
  if (element.name !== "r" && element.name !== "p") return false;
  const style = at(element, "rPr", "rStyle") ?? at(element, "pPr", "pStyle");
  return vanishes(at(element, "rPr")) ?? styles(style?.attribs.val).isHidden ?? false;
}

const UNSEEN = new Set("del moveFrom instrText rt sectPr sdtPr sdtEndPr tblPr tblGrid trPr rPr".split(" "));

/** True if the properties hide text, false if they show it, undefined if they state neither. */
function vanishes(properties: TreeElement | undefined): boolean | undefined {
  const vanish = at(properties, "vanish");
  return vanish && !["0", "false", "off"].includes(vanish.attribs.val ?? "");
}

/** Returns the words of a paragraph, and the text boxes in it. */
function wordsIn(element: TreeElement): { words: string; boxes: TreeElement[] } {
  let words = "";
  const boxes: TreeElement[] = [];
  const visit = (parent: TreeElement) => {
    for (const child of childrenOf(parent)) {
      const { name, attribs } = child;
      if (name === "t") words += textOf(child);
      else if (name === "tab") words += " ";
      else if (name === "br" || name === "cr") words += attribs.type === "page" ? "" : "\n";
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
const linesIn = (element: TreeElement): string =>
  descendants(element, "p")
    .flatMap((paragraph) => {
      const { words, boxes } = wordsIn(paragraph);
      return [inLine(words), ...boxes.map(linesIn)];
    })
    .filter(Boolean)
    .join(" ");

/** Returns the text of the cells. A cell that is merged with the one above repeats its text. */
function rowsOf(table: TreeElement, spend: SpendCharacters): string[][] {
  const rows: string[][] = [];
  for (const row of descendants(table, "tr")) {
    const cells: string[] = [];
    for (const cell of descendants(row, "tc")) {
      const merged = at(cell, "tcPr", "vMerge");
      const isBelow = merged && merged.attribs.val !== "restart";
      const text = isBelow ? (rows.at(-1)?.[cells.length] ?? "") : linesIn(cell);
      if (isBelow) spend(text.length);
      cells.push(text);
      const span = Math.min(50, Number(at(cell, "tcPr", "gridSpan")?.attribs.val ?? 1)) || 1;
      cells.push(...Array<string>(Math.max(0, span - 1)).fill(""));
    }
    rows.push(cells);
  }
  return rows;
}

/** The number of a list item or heading as Word shows it, such as "4.2" or "(a)"; empty for a bullet. */
interface Label {
  number: string;
  /** From 0. */
  depth: number;
}

interface Level {
  start: number;
  format: string;
  text: string;
}

/**
 * Returns a function that counts the numbered paragraphs of a document, in order, and returns the label of each. Word
 * does not store the numbers, but text refers to them ("see section 4.2").
 */
function numbering(
  root: TreeParent,
): (own: TreeElement | undefined, ofStyle: TreeElement | undefined) => Label | undefined {
  const lists = new Map<string | undefined, Level[]>(
    descendants(root, "abstractNum").map((list) => [list.attribs.abstractNumId, childrenOf(list, "lvl").map(levelOf)]),
  );
  const numbers = new Map(
    descendants(root, "num").map((num) => [
      num.attribs.numId,
      { list: at(num, "abstractNumId")?.attribs.val, restarts: restartsOf(num) },
    ]),
  );
  const counters = new Map<string | undefined, number[]>();
  return (own, ofStyle) => {
    const property = (name: string) => at(own, name)?.attribs.val ?? at(ofStyle, name)?.attribs.val;
    const id = property("numId");
    const { list, restarts } = numbers.get(id) ?? {};
    const depth = Math.min(8, Number(property("ilvl") ?? 0) || 0);
    const levels = lists.get(list) ?? [];
    if (own === undefined || id === undefined || id === "0" || levels.length === 0) return undefined;
    const counts = counters.get(list) ?? [];
    counters.set(list, counts);
    counts.length = Math.min(counts.length, depth + 1);
    const restart = restarts?.get(depth);
    if (restart !== undefined) counts[depth] = restart - 1;
    restarts?.delete(depth);
    for (let i = 0; i <= depth; i++) counts[i] ??= (levels[i]?.start ?? 1) - (i === depth ? 1 : 0);
    counts[depth] = (counts[depth] ?? 0) + 1;
    const { format, text } = levels[depth] ?? BULLET;
    if (format === "bullet" || format === "none") return { number: "", depth };
    const number = text.replace(/%(\d)/g, (_, place: string) => {
      const i = Number(place) - 1;
      return counted(counts[i] ?? 1, levels[i]?.format ?? "");
    });
    return { number, depth };
  };
}

/** Returns the numbers at which a list restarts, by level. Several lists may share one definition of levels. */
const restartsOf = (num: TreeElement) =>
  new Map(
    childrenOf(num, "lvlOverride").flatMap((level) => {
      const start = Number(at(level, "startOverride")?.attribs.val ?? Number.NaN);
      return Number.isNaN(start) ? [] : [[Number(level.attribs.ilvl), start] as const];
    }),
  );

const BULLET: Level = { start: 1, format: "bullet", text: "" };

const levelOf = (level: TreeElement): Level => {
  const property = (name: string) => at(level, name)?.attribs.val;
  return {
    start: Number(property("start") ?? 1) || 0,
    format: property("numFmt") ?? "decimal",
    text: property("lvlText") ?? "",
  };
};

/** Writes the number of a list item. @param format as Word names it, such as "lowerRoman". */
export function counted(n: number, format: string): string {
  if (n < 1 || n > 999) return String(n);
  if (/letter/i.test(format)) {
    const letter = String.fromCharCode(97 + ((n - 1) % 26)).repeat(Math.ceil(n / 26));
    return format.startsWith("upper") ? letter.toUpperCase() : letter;
  }
  if (/roman/i.test(format)) return format.startsWith("upper") ? roman(n) : roman(n).toLowerCase();
  if (/chinese|ideograph|japanese/i.test(format)) return chinese(n);
  return String(n);
}

const roman = (n: number) =>
  ["", "M"][Math.floor(n / 1000)] +
  [..."CXI"]
    .map((one, i) => {
      const five = "DLV"[i] ?? "";
      const ten = "MCX"[i] ?? "";
      const digit = Math.floor(n / 10 ** (2 - i)) % 10;
      if (digit === 9) return one + ten;
      if (digit === 4) return one + five;
      return (digit >= 5 ? five : "") + one.repeat(digit % 5);
    })
    .join("");

const chinese = (n: number) => {
  const digits = "零一二三四五六七八九";
  const [hundreds, tens, ones] = [Math.floor(n / 100), Math.floor(n / 10) % 10, n % 10];
  const high = hundreds > 0 ? `${digits[hundreds]}百` : "";
  const middle = tens > 0 ? `${tens > 1 || hundreds > 0 ? digits[tens] : ""}十` : high !== "" && ones > 0 ? "零" : "";
  return high + middle + (ones > 0 ? digits[ones] : "");
};
