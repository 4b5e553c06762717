import type { TreeElement, TreeParent } from "../../tools/web/html-tree.js";
import {
  type Archive,
  at,
  childrenOf,
  coreProperties,
  descendants,
  prune,
  referenceOf,
  relationships,
  textOf,
  unzip,
  xmlIn,
} from "./archive.js";
import { chart } from "./chart.js";
import {
  allowance,
  type FormatReader,
  type Item,
  inLine,
  inMarkdown,
  listed,
  type SpendCharacters,
} from "./content.js";
import { equation } from "./equation.js";
import { alternativeText, comment, isTask, marked, type Run } from "./marked.js";
import { picturesOf } from "./pictures.js";
import { smartArt } from "./smart-art.js";
import { inFont, symbol } from "./symbols.js";
import { fillWide, type WideCell, withTitles } from "./table.js";

/**
 * A Word document: headings, lists with their numbers, tables, notes, comments, charts and forms as they are filled in,
 * without deleted and hidden text. The headers and footers of a section stand before it, each line once.
 */
export const docx: FormatReader = async (bytes) => {
  const archive = await unzip(bytes, (name) =>
    /^(?:word\/(?:(?:document|styles|numbering|footnotes|endnotes|comments|commentsExtended|settings|header\d*|footer\d*|charts\/chart[^/]*|diagrams\/data[^/]*)\.xml|_rels\/document\.xml\.rels)|docProps\/(?:core|custom)\.xml)$/.test(
      name,
    ),
  );
  const xml = (name: string) => xmlIn(archive, `word/${name}.xml`);
  const styles = stylesOf(xml("styles"));
  const labelOf = numbering(xml("numbering"));
  const parts = relationships(archive, "word/document.xml");
  const seen = (root: TreeParent) => prune(filledIn(root), (element) => isUnseen(element, styles));
  const document = seen(xml("document"));
  const written: (string | Item)[] = [];
  const spend = allowance(bytes);
  const pictures = picturesOf(bytes);
  const notes = ["footnote", "endnote"].map((kind) => ({
    reference: `${kind}Reference`,
    texts: new Map(
      descendants(seen(xml(`${kind}s`)), kind).map((note) => [note.attribs.id, () => linesIn(note, styles)] as const),
    ),
  }));
  const beside = [...notes, { reference: "commentReference", texts: commentsOf(archive, seen, styles) }];

  /** Writes the charts, pictures and notes of a paragraph or row, each once. */
  const add = (element: TreeElement, figures: readonly TreeElement[], about = "") => {
    for (const figure of figures) {
      const path = parts.get(figure.attribs.embed ?? figure.attribs.dm ?? referenceOf(figure))?.path ?? "";
      if (figure.name === "chart") written.push(chart(xmlIn(archive, path), spend));
      else if (figure.name === "relIds") written.push(smartArt(xmlIn(archive, path), spend));
      else written.push(pictures.mark(path));
    }
    for (const { reference, texts } of beside)
      for (const { attribs } of descendants(element, reference)) {
        written.push(texts.get(attribs.id)?.(about) ?? "");
        texts.delete(attribs.id);
      }
  };
  const paragraph = (element: TreeElement) => {
    const { words: given, asides, boxes, figures } = wordsIn(element, styles);
    const words = given.replace(PAGE_FIELD, "").replaceAll("\t", " ");
    const properties = at(element, "pPr");
    const style = styles(at(properties, "pStyle")?.attribs.val);
    if (words.trim() !== "" && !style.isContents) {
      const depth = Number(at(properties, "outlineLvl")?.attribs.val ?? style.outline) + 1;
      const label = labelOf(at(properties, "numPr") ?? style.numbering, style.numbering);
      if (depth >= 1 && depth <= 9)
        written.push(`${"#".repeat(Math.min(6, depth))} ${[label?.number, inLine(words)].filter(Boolean).join(" ")}`);
      else if (label) written.push({ ...label, words: `${label.box}${words}` });
      else written.push(isTask(words) ? { depth: 0, words } : words.trim());
    }
    written.push(...asides);
    for (const box of boxes) blocks(box);
    add(element, figures);
    if (at(properties, "sectPr")) frames();
  };
  const table = (element: TreeElement) => {
    const { rows, wide, heads, inner, figures } = rowsOf(element, styles, spend);
    if (rows.every((row) => row.length < 2)) for (const cell of descendants(element, "tc")) blocks(cell);
    else {
      written.push(withTitles(rows, spend, wide, heads));
      descendants(element, "tr").forEach((row, i) => {
        add(row, [], rows[i]?.filter(Boolean).join(", "));
      });
      add(element, figures);
      for (const { lead, element: below } of inner) {
        if (lead !== "") written.push(/\p{Script=Han}$/u.test(lead) ? `${lead}：` : `${lead}:`);
        table(below);
      }
    }
  };
  const blocks = (parent: TreeParent) => {
    for (const child of childrenOf(parent)) {
      if (child.name === "p") paragraph(child);
      else if (child.name === "tbl") table(child);
      else blocks(child);
    }
  };
  const frames = framesOf(
    document,
    archive,
    parts,
    (root) => frameLines(seen(root), styles),
    (line) => written.push(line),
  );
  frames();
  blocks(document);
  return { ...inMarkdown(joinParts(written), coreProperties(archive)), pictures: pictures.found };
};

/**
 * Returns a function that writes the headers and footers of the next section that is shown, each line once in the
 * document.
 */
function framesOf(
  document: TreeParent,
  archive: Archive,
  parts: ReturnType<typeof relationships>,
  linesOf: (root: TreeParent) => string[],
  write: (line: string) => void,
): () => void {
  const sections = descendants(document, "sectPr");
  const hasEven = () => isOn(at(xmlIn(archive, "word/settings.xml"), "settings", "evenAndOddHeaders"));
  const known = new Set<string>();
  const written = new Set<string>();
  return () => {
    const section = sections.shift();
    for (const reference of childrenOf(section)) {
      if (!/^(?:header|footer)Reference$/.test(reference.name)) continue;
      const { type = "default" } = reference.attribs;
      if ((type === "first" && !isOn(at(section, "titlePg"))) || (type === "even" && !hasEven())) continue;
      const path = parts.get(referenceOf(reference))?.path ?? "";
      if (known.has(path)) continue;
      known.add(path);
      for (const line of linesOf(xmlIn(archive, path))) {
        if (!written.has(line)) write(line);
        written.add(line);
      }
    }
  };
}

/** True for a property that is given and not switched off. */
const isOn = (property: TreeElement | undefined): boolean =>
  property !== undefined && !/^(?:0|false|off|none)$/.test(property.attribs.val ?? "");

/** Returns the lines of a header or footer. What tabs set apart are lines of their own; page numbers are left out. */
function frameLines(parent: TreeParent, styles: Styles): string[] {
  return childrenOf(parent)
    .flatMap((child) => {
      if (child.name === "tbl")
        return descendants(child, "tr").map((row) => {
          const cells = descendants(row, "tc").map((cell) => inLine(frameLines(cell, styles).join(" ")));
          return afterLabels(cells.filter(Boolean)).join(" · ");
        });
      if (child.name !== "p") return frameLines(child, styles);
      const { words, boxes } = wordsIn(child, styles);
      const said = words
        .split(/[\t\n|·•]/)
        .map((piece) => (isPageNumber(piece) ? "" : inLine(piece.replace(PAGE_FIELD, ""))));
      const drawn = descendants(child, "textpath").map(({ attribs }) => inLine(attribs.string ?? ""));
      return [...afterLabels([...said, ...drawn].filter(Boolean)), ...boxes.flatMap((box) => frameLines(box, styles))];
    })
    .filter((line) => line !== "");
}

/** Puts a value after its label: "Owner:" and what follows. */
function afterLabels(pieces: readonly string[]): string[] {
  const lines: string[] = [];
  for (const piece of pieces) {
    const last = lines.at(-1) ?? "";
    if (/[:：]$/.test(last)) lines.splice(-1, 1, `${last} ${piece}`);
    else lines.push(piece);
  }
  return lines;
}

/** Stands for a page number, or for the time or place of printing. */
const PAGE = "\ufdd2";
const PAGE_FIELD = new RegExp(PAGE, "g");
const isPageNumber = (piece: string) =>
  piece.includes(PAGE) && (piece.match(/\p{Script=Han}|(?:(?!\p{Script=Han})[\p{L}\p{N}])+/gu)?.length ?? 0) <= 4;

/** Returns the comments by their ids, as functions of the words of the row that they are in. */
function commentsOf(
  archive: Archive,
  seen: (root: TreeParent) => TreeParent,
  styles: Styles,
): Map<string | undefined, (about: string) => string> {
  const resolved = new Set(
    descendants(xmlIn(archive, "word/commentsExtended.xml"), "commentEx")
      .filter((one) => /^(?:1|true)$/.test(one.attribs.done ?? ""))
      .map((one) => one.attribs.paraId),
  );
  return new Map(
    descendants(seen(xmlIn(archive, "word/comments.xml")), "comment").map((one) => {
      const isResolved = descendants(one, "p").some(({ attribs }) => resolved.has(attribs.paraId ?? ""));
      const [author, words] = [one.attribs.author, linesIn(one, styles)];
      return [one.attribs.id, (about: string) => comment({ author, words, isResolved, about })];
    }),
  );
}

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
  isStruck: boolean | undefined;
  /** "superscript", "subscript" or "baseline". */
  place: string | undefined;
}

type Styles = (id: string | undefined) => Style;

/** Returns a function that looks up a style by its id. A style inherits from the one that it is based on. */
function stylesOf(root: TreeParent): Styles {
  const elements = new Map(descendants(root, "style").map((style) => [style.attribs.styleId, style]));
  const styleOf = (first: TreeElement | undefined) => {
    let style = first;
    const isContents = /^toc \d/i.test(at(style, "name")?.attribs.val ?? "");
    let found: Style = {
      outline: Number.NaN,
      numbering: undefined,
      isContents,
      isHidden: undefined,
      isStruck: undefined,
      place: undefined,
    };
    for (let i = 0; style && i < 20; i++) {
      const named = /^(?:heading (\d)|(title))$/i.exec(at(style, "name")?.attribs.val ?? "");
      const level = at(style, "pPr", "outlineLvl")?.attribs.val;
      const outline = named ? Number(named[1] ?? 1) - 1 : level === undefined ? Number.NaN : Number(level);
      found = {
        isContents,
        outline: Number.isNaN(found.outline) ? outline : found.outline,
        numbering: found.numbering ?? at(style, "pPr", "numPr"),
        isHidden: found.isHidden ?? vanishes(at(style, "rPr")),
        isStruck: found.isStruck ?? strikes(at(style, "rPr")),
        place: found.place ?? at(style, "rPr", "vertAlign")?.attribs.val,
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
function isUnseen(element: TreeElement, styles: Styles): boolean {
  if (UNSEEN.has(element.name)) return true;
  if (element.name === "tr") return at(element, "trPr", "del") !== undefined;
  if (element.name !== "r" && element.name !== "p") return false;
  const style = at(element, "rPr", "rStyle") ?? at(element, "pPr", "pStyle");
  return vanishes(at(element, "rPr")) ?? styles(style?.attribs.val).isHidden ?? false;
}

const UNSEEN = new Set("del moveFrom rt sdtPr sdtEndPr tblPr tblGrid".split(" "));

/** True if the properties hide text, false if they show it, undefined if they state neither. */
function vanishes(properties: TreeElement | undefined): boolean | undefined {
  const vanish = at(properties, "vanish");
  return vanish && isOn(vanish);
}

/** True if the properties strike text out, false if they do not, undefined if they state neither. */
function strikes(properties: TreeElement | undefined): boolean | undefined {
  const strike = childrenOf(properties).filter(({ name }) => name === "strike" || name === "dstrike");
  return strike.length === 0 ? undefined : strike.some(isOn);
}

/** Empties the content controls that show a prompt, and shows their check boxes as they are set. */
function filledIn(parent: TreeParent): TreeParent {
  for (const child of childrenOf(parent)) {
    filledIn(child);
    if (child.name !== "sdt") continue;
    const properties = at(child, "sdtPr");
    if (isOn(at(properties, "showingPlcHdr"))) empty(child);
    const checked = at(properties, "checkbox", "checked");
    if (!at(properties, "checkbox")) continue;
    const [sign, ...more] = signsIn(at(child, "sdtContent"));
    if (sign) {
      sign.name = "checkBox";
      sign.attribs.checked = isOn(checked) ? "1" : "0";
    }
    for (const each of more) each.name = "unseen";
  }
  return parent;
}

/** Empties the paragraphs and cells of an element. */
function empty(element: TreeElement): void {
  for (const child of childrenOf(element)) {
    if (child.name === "r") child.children = [];
    else empty(child);
  }
}

const signsIn = (parent: TreeElement | undefined): TreeElement[] =>
  childrenOf(parent).flatMap((child) => (child.name === "t" || child.name === "sym" ? [child] : signsIn(child)));

/** A field that is open while a paragraph is read. */
interface Field {
  instruction: string;
  isResult: boolean;
}

/** What a paragraph holds. */
interface Held {
  words: string;
  /** The alternative texts of pictures beside it. */
  asides: string[];
  boxes: TreeElement[];
  /** Charts, diagrams and pictures. */
  figures: TreeElement[];
}

/** Returns the words of a paragraph, and the text boxes and figures in it. */
function wordsIn(element: TreeElement, styles: Styles): Held {
  const runs: Run[] = [];
  const boxes: TreeElement[] = [];
  const figures: TreeElement[] = [];
  const asides: string[] = [];
  const fields: Field[] = [];
  const ofParagraph = styles(at(element, "pPr", "pStyle")?.attribs.val);
  const plain = lookOf(undefined, styles, ofParagraph);
  let look: Look = {};
  let font = "";
  let hasNote = false;
  const say = (text: string) => {
    if (!fields.some(isOfPage)) runs.push({ text, ...look });
  };
  const visit = (parent: TreeElement) => {
    for (const child of childrenOf(parent)) {
      const { name, attribs } = child;
      if (name === "r") {
        const properties = at(child, "rPr");
        look = properties ? lookOf(properties, styles, ofParagraph) : plain;
        font = at(properties, "rFonts")?.attribs.ascii ?? "";
        hasNote = childrenOf(child).some(({ attribs: { customMarkFollows = "0" } }) =>
          /^(?:1|true|on)$/.test(customMarkFollows),
        );
        visit(child);
        look = {};
      } else if (name === "t") {
        if (!hasNote) say(font === "" ? textOf(child) : inFont(font, textOf(child)));
      } else if (name === "sym") say(symbol(attribs.font ?? "", Number.parseInt(attribs.char ?? "", 16)) ?? "");
      else if (name === "tab" || name === "ptab") say("\t");
      else if (name === "br" || name === "cr") say(attribs.type === "page" ? "" : "\n");
      else if (name === "noBreakHyphen") say("-");
      else if (name === "checkBox") say(attribs.checked === "1" ? "☑" : "☐");
      else if (name === "oMath") runs.push({ text: equation(child) });
      else if (name === "fldChar") {
        const field = fields.at(-1);
        if (attribs.fldCharType === "begin") {
          fields.push({ instruction: "", isResult: false });
          say(formField(at(child, "ffData")));
        } else if (attribs.fldCharType === "separate" && field) field.isResult = true;
        else if (attribs.fldCharType === "end" && fields.pop() && field && isOfPage(field)) say(PAGE);
      } else if (name === "instrText") {
        const field = fields.at(-1);
        if (field && !field.isResult) field.instruction += textOf(child);
      } else if (name === "fldSimple" && isOfPage({ instruction: attribs.instr ?? "" })) say(PAGE);
      else if (name === "txbxContent") boxes.push(child);
      else if (name === "chart" || name === "relIds" || name === "blip" || name === "imagedata") figures.push(child);
      else if (name === "AlternateContent") visit(at(child, "Choice") ?? at(child, "Fallback") ?? child);
      else if (name === "inline" || name === "anchor") {
        const words = alternative(at(child, "docPr"));
        if (name === "inline") say(words && ` ${words} `);
        else asides.push(words);
        visit(child);
      } else if (name === "shape") {
        asides.push(alternativeText(attribs.alt));
        visit(child);
      } else if (!WITHOUT_WORDS.has(name)) visit(child);
    }
  };
  visit(element);
  return { words: marked(runs), asides, boxes, figures };
}

type Look = Omit<Run, "text">;

/** Returns how a run looks, by its own properties, then by its style, then by that of its paragraph. */
function lookOf(properties: TreeElement | undefined, styles: Styles, ofParagraph: Style): Look {
  const own = styles(at(properties, "rStyle")?.attribs.val);
  const place = at(properties, "vertAlign")?.attribs.val ?? own.place ?? ofParagraph.place;
  return {
    // A style that strikes out within a paragraph that is struck out switches it off.
    isStruck: strikes(properties) ?? (own.isStruck ?? false) !== (ofParagraph.isStruck ?? false),
    isRaised: place === "superscript",
    isLowered: place === "subscript",
  };
}

const WITHOUT_WORDS = new Set("pPr rPr tcPr trPr docPr cNvPr cNvPicPr".split(" "));

/** Fields whose results belong to a page or to a print, not to the document. */
const isOfPage = ({ instruction }: { instruction: string }) =>
  /^\s*(?:PAGE|NUMPAGES|SECTION|SECTIONPAGES|DATE|TIME|PRINTDATE|FILENAME)\b/i.test(instruction);

/** Returns the alternative text of a picture, which is empty for an ornament. */
function alternative(properties: TreeElement | undefined): string {
  const isOrnament = descendants(properties, "decorative").some(isOn);
  return isOrnament ? "" : alternativeText(properties?.attribs.descr);
}

/** Writes what a check box or a list of an old form shows. The text of a text field follows in the paragraph. */
function formField(field: TreeElement | undefined): string {
  const box = at(field, "checkBox");
  if (box) return isOn(at(box, "checked") ?? at(box, "default")) ? "☑" : "☐";
  const list = at(field, "ddList");
  const chosen = Number(at(list, "result")?.attribs.val ?? at(list, "default")?.attribs.val ?? 0);
  return childrenOf(list, "listEntry")[chosen]?.attribs.val ?? "";
}

/** Returns the words of all paragraphs in an element on one line, without those of tables in it. */
function linesIn(element: TreeElement, styles: Styles, figures: TreeElement[] = []): string {
  const lines: string[] = [];
  const visit = (parent: TreeElement) => {
    for (const child of childrenOf(parent)) {
      if (child.name === "p") {
        const held = wordsIn(child, styles);
        figures.push(...held.figures);
        lines.push(inLine(held.words.replace(PAGE_FIELD, "")), ...held.asides);
        held.boxes.forEach(visit);
      } else if (child.name !== "tbl") visit(child);
    }
  };
  visit(element);
  return lines.filter(Boolean).join(" ");
}

interface Rows {
  rows: string[][];
  wide: WideCell[];
  /** The number of rows that are repeated on each page. */
  heads: number;
  /** The tables in cells, each with the other words of its row. */
  inner: { lead: string; element: TreeElement }[];
  figures: TreeElement[];
}

/** Returns the text of the cells. A merged cell repeats its text in each of its rows and columns. */
function rowsOf(table: TreeElement, styles: Styles, spend: SpendCharacters): Rows {
  const found: Rows = { rows: [], wide: [], heads: 0, inner: [], figures: [] };
  const { rows, wide, inner, figures } = found;
  const cellText = (cell: TreeElement) => (at(cell, "tcPr", "cellDel") ? "" : linesIn(cell, styles, figures));
  for (const row of descendants(table, "tr")) {
    const skipped = Math.min(MOST_COLUMNS, Number(at(row, "trPr", "gridBefore")?.attribs.val ?? 0) || 0);
    const cells: string[] = Array(skipped).fill("");
    const own: string[] = [];
    const tables: TreeElement[] = [];
    if (isOn(at(row, "trPr", "tblHeader")) && found.heads === rows.length) found.heads += 1;
    for (const cell of descendants(row, "tc")) {
      const text = isBelow(cell) ? (rows.at(-1)?.[cells.length] ?? "") : cellText(cell);
      if (isBelow(cell)) spend(text.length);
      else {
        tables.push(...tablesIn(cell));
        if (text !== "") own.push(text);
      }
      const columns = Math.min(MOST_COLUMNS, Number(at(cell, "tcPr", "gridSpan")?.attribs.val ?? 1)) || 1;
      if (columns > 1) wide.push({ row: rows.length, column: cells.length, columns });
      cells.push(text, ...Array<string>(columns - 1).fill(""));
    }
    for (const element of tables) inner.push({ lead: own.join(", "), element });
    rows.push(cells);
  }
  fillWide(rows, wide, spend);
  return found;
}

const MOST_COLUMNS = 50;

/** True for a cell that is merged with the one above. */
const isBelow = (cell: TreeElement): boolean => {
  const merged = at(cell, "tcPr", "vMerge");
  return merged !== undefined && merged.attribs.val !== "restart";
};

const tablesIn = (parent: TreeElement): TreeElement[] =>
  childrenOf(parent).flatMap((child) =>
    child.name === "tbl" ? [child] : child.name === "Fallback" ? [] : tablesIn(child),
  );

/** The number of a list item or heading as Word shows it, such as "4.2" or "(a)"; empty for a bullet. */
interface Label {
  number: string;
  /** From 0. */
  depth: number;
  /** The sign of a check box that stands for the bullet, or empty. */
  box: string;
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
    if (format === "bullet" || format === "none") return { number: "", depth, box: /[☐☑☒]/.exec(text)?.[0] ?? "" };
    const number = text.replace(/%(\d)/g, (_, place: string) => {
      const i = Number(place) - 1;
      return counted(counts[i] ?? 1, levels[i]?.format ?? "");
    });
    return { number, depth, box: "" };
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
    text: inFont(at(level, "rPr", "rFonts")?.attribs.ascii ?? "", property("lvlText") ?? ""),
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
