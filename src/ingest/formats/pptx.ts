import type { TreeElement, TreeParent } from "../../tools/web/html-tree.js";
import {
  type Archive,
  at,
  childrenOf,
  coreProperties,
  descendants,
  referenceOf,
  relationships,
  textOf,
  unzip,
  xmlIn,
} from "./archive.js";
import { chart } from "./chart.js";
import { allowance, type FormatReader, inParts, listed, numbered, type SpendCharacters } from "./content.js";
import { equation } from "./equation.js";
import { alternativeText, comment, isTask, marked, type Run } from "./marked.js";
import { picturesOf } from "./pictures.js";
import { smartArt } from "./smart-art.js";
import { inFont } from "./symbols.js";
import { fillWide, type WideCell, withTitles } from "./table.js";

/**
 * A presentation: each slide with its title, its text, its tables, charts and comments and its speaker notes. A footer
 * stands on the first slide that has it.
 */
export const pptx: FormatReader = async (bytes) => {
  const archive = await unzip(bytes, (name) =>
    /^(?:ppt\/(?:presentation|authors|commentAuthors|(?:slides|notesSlides|comments)\/[^/]+|charts\/chart[^/]*|diagrams\/data[^/]*)\.xml|ppt\/(?:slides\/)?_rels\/.*|docProps\/(?:core|custom)\.xml)$/.test(
      name,
    ),
  );
  const presentation = "ppt/presentation.xml";
  const parts = relationships(archive, presentation);
  const order = descendants(xmlIn(archive, presentation), "sldId").map(
    (element) => parts.get(referenceOf(element))?.path ?? "",
  );
  const pictures = picturesOf(bytes);
  const deck: Deck = {
    archive,
    authors: new Map(
      ["authors", "commentAuthors"].flatMap((name) =>
        childrenOf(childrenOf(xmlIn(archive, `ppt/${name}.xml`))[0]).map(({ attribs }) => [attribs.id, attribs.name]),
      ),
    ),
    footers: new Set(),
    mark: pictures.mark,
    spend: allowance(bytes),
  };
  const slides = [...new Set(order)].map((path) => slide(deck, path));
  return { ...inParts(numbered(slides, "slide"), coreProperties(archive)), pictures: pictures.found };
};

/** What the slides of a presentation share. */
interface Deck {
  archive: Archive;
  /** Of comments, by their ids. */
  authors: ReadonlyMap<string | undefined, string | undefined>;
  /** Those that are written. */
  footers: Set<string>;
  /** Returns the mark of a picture. */
  mark: (path: string) => string;
  spend: SpendCharacters;
}

function slide(deck: Deck, path: string): { text: string; isHidden: boolean } {
  const { archive } = deck;
  const root = at(xmlIn(archive, path), "sld");
  const tree = at(root, "cSld", "spTree");
  const related = relationships(archive, path);
  const pathsOf = (kind: string) => [...related.values()].flatMap((each) => (each.type === kind ? [each.path] : []));
  const [notesPath = ""] = pathsOf("notesSlide");
  const notes = shapes(at(xmlIn(archive, notesPath), "notes", "cSld", "spTree"))
    .filter((shape) => placeholder(shape) === "body")
    .map((shape) =>
      linesOf(shape)
        .map(({ words }) => words)
        .join("\n"),
    );
  const ordered = shapes(tree).toSorted((a, b) => Number(isTitle(b)) - Number(isTitle(a)));
  const footers: string[] = [];
  const pathOf = (id: string | undefined) => related.get(id ?? "")?.path ?? "";
  const parts = ordered.flatMap((shape) => {
    const alternative = alternativeOf(shape);
    if (shape.name === "graphicFrame") return [alternative, frame(shape, pathOf, deck)];
    if (shape.name === "pic") return [alternative, deck.mark(pathOf(at(shape, "blipFill", "blip")?.attribs.embed))];
    const lines = linesOf(shape);
    if (isTitle(shape)) return lines.length === 0 ? "" : `## ${lines.map(({ words }) => words).join(" ")}`;
    if (FRAME.test(placeholder(shape))) {
      footers.push(...lines.map(({ words }) => words));
      return [];
    }
    const isList = lines.length > 1 || isTask(lines[0]?.words ?? "");
    return [alternative, isList ? listed(lines) : (lines[0]?.words ?? "")];
  });
  const fresh = footers.filter((line) => !deck.footers.has(line));
  for (const line of fresh) deck.footers.add(line);
  const comments = pathsOf("comments").flatMap((each) => commentsIn(xmlIn(archive, each), deck.authors));
  const text = [...parts, ...fresh, ...comments, ...notes].filter(Boolean).join("\n\n");
  deck.spend(text.length);
  return {
    text,
    isHidden: /^(?:0|false)$/.test(root?.attribs.show ?? ""),
  };
}

const FRAME = /^(?:dt|ftr|sldNum|hdr)$/;

/** Writes a table, a chart or a diagram. */
function frame(element: TreeElement, pathOf: (id: string | undefined) => string, { archive, spend }: Deck): string {
  const data = at(element, "graphic", "graphicData");
  const [drawn] = [...descendants(data, "chart"), ...descendants(data, "relIds")];
  if (drawn?.name === "chart") return chart(xmlIn(archive, pathOf(referenceOf(drawn))), spend);
  if (drawn) return smartArt(xmlIn(archive, pathOf(drawn.attribs.dm)), spend);
  const { rows, wide } = rowsOf(element, spend);
  return withTitles(rows, spend, wide);
}

/** Returns the comments of a slide, old and new ones, each with its replies. */
function commentsIn(parent: TreeParent | undefined, authors: Deck["authors"]): string[] {
  return childrenOf(parent).flatMap((child) => {
    if (child.name !== "cm" && child.name !== "reply") return commentsIn(child, authors);
    const text = at(child, "text") ?? at(child, "txBody");
    const paragraphs = descendants(text, "p");
    const words = paragraphs.length > 0 ? paragraphs.map(wordsIn).join(" ") : textOf(text);
    const isResolved = child.attribs.status === "resolved";
    return [
      comment({ author: authors.get(child.attribs.authorId), words, isResolved }),
      ...commentsIn(at(child, "replyLst"), authors),
    ];
  });
}

/** Returns the shapes, pictures and tables of a slide, including those in groups. */
const shapes = (tree: TreeElement | undefined): TreeElement[] =>
  childrenOf(tree).flatMap((child) => {
    if (child.name === "sp" || child.name === "pic" || child.name === "graphicFrame") return [child];
    if (child.name === "AlternateContent") return shapes(at(child, "Choice") ?? at(child, "Fallback"));
    return child.name === "grpSp" ? shapes(child) : [];
  });

/** Returns the alternative text of a shape, which is empty for an ornament. */
function alternativeOf(shape: TreeElement): string {
  const [properties] = childrenOf(shape)
    .filter(({ name }) => /^nv.*Pr$/.test(name))
    .flatMap((each) => childrenOf(each, "cNvPr"));
  const isOrnament = descendants(properties, "decorative").some(({ attribs }) => attribs.val !== "0");
  return isOrnament ? "" : alternativeText(properties?.attribs.descr);
}

/** Returns the type of a placeholder, such as "title"; empty for a shape that is not a placeholder. */
function placeholder(shape: TreeElement): string {
  const found = at(shape, "nvSpPr", "nvPr", "ph");
  return found ? (found.attribs.type ?? "obj") : "";
}

const isTitle = (shape: TreeElement) => /^(?:title|ctrTitle)$/.test(placeholder(shape));

/** Returns the paragraphs of a shape. Numbers and times that change by themselves are left out of footers. */
const linesOf = (shape: TreeElement) =>
  childrenOf(at(shape, "txBody"), "p")
    .filter((paragraph) => !FRAME.test(placeholder(shape)) || !at(paragraph, "fld"))
    .map((paragraph) => ({
      words: boxOf(at(paragraph, "pPr")) + wordsIn(paragraph),
      depth: Math.min(8, Number(at(paragraph, "pPr")?.attribs.lvl ?? 0) || 0),
    }))
    .filter(({ words }) => words !== "");

/** Returns the sign of a check box that stands for the bullet of a paragraph, or an empty text. */
function boxOf(properties: TreeElement | undefined): string {
  const mark = at(properties, "buChar")?.attribs.char ?? "";
  const shown = inFont(at(properties, "buFont")?.attribs.typeface ?? "", mark);
  return /^[☐☑☒]$/.test(shown) ? shown : "";
}

/** Returns the text of the cells. A merged cell repeats its text in each of its rows and columns. */
function rowsOf(table: TreeElement, spend: SpendCharacters): { rows: string[][]; wide: WideCell[] } {
  const rows: string[][] = [];
  const wide: WideCell[] = [];
  for (const row of descendants(table, "tr")) {
    const above = rows.at(-1) ?? [];
    const isMerged = (cell: TreeElement) => /^(?:1|true)$/.test(cell.attribs.vMerge ?? "");
    rows.push(
      childrenOf(row, "tc").map((cell, column) => {
        const columns = Number(cell.attribs.gridSpan ?? 1);
        if (columns > 1) wide.push({ row: rows.length, column, columns });
        return isMerged(cell) ? (above[column] ?? "") : cellOf(cell);
      }),
    );
  }
  fillWide(rows, wide, spend);
  return { rows, wide };
}

const cellOf = (cell: TreeElement) => descendants(cell, "p").map(wordsIn).filter(Boolean).join(" ");

const wordsIn = (paragraph: TreeElement): string => marked(runsIn(paragraph)).replace(/\s+/g, " ").trim();

const runsIn = (parent: TreeElement | undefined): Run[] =>
  childrenOf(parent).flatMap((child) => {
    if (child.name === "br") return { text: " " };
    if (child.name === "oMath") return { text: equation(child) };
    if (child.name === "m" || child.name === "oMathPara") return runsIn(child);
    if (child.name === "AlternateContent") return runsIn(at(child, "Choice") ?? at(child, "Fallback"));
    if (child.name !== "r" && child.name !== "fld") return [];
    const properties = at(child, "rPr");
    const { strike = "noStrike", baseline = "0" } = properties?.attribs ?? {};
    const font = at(properties, "sym")?.attribs.typeface ?? at(properties, "latin")?.attribs.typeface ?? "";
    return {
      text: inFont(font, textOf(at(child, "t"))),
      isStruck: strike !== "noStrike",
      isRaised: Number.parseInt(baseline, 10) > 0,
      isLowered: Number.parseInt(baseline, 10) < 0,
    };
  });
