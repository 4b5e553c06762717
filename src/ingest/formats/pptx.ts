import type { TreeElement } from "../../tools/web/html-tree.js";
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
import { allowance, type FormatReader, inParts, listed, numbered, type SpendCharacters } from "./content.js";
import { tables } from "./table.js";

/** A presentation: each slide with its title, its text, its tables and its speaker notes. */
export const pptx: FormatReader = async (bytes) => {
  const archive = await unzip(bytes, (name) =>
    /^(?:ppt\/(?:presentation|slides\/[^/]+|notesSlides\/[^/]+)\.xml|ppt\/(?:slides\/)?_rels\/.*|docProps\/(?:core|custom)\.xml)$/.test(
      name,
    ),
  );
  const presentation = "ppt/presentation.xml";
  const parts = relationships(archive, presentation);
  const order = descendants(xmlIn(archive, presentation), "sldId").map(
    (element) => parts.get(referenceOf(element))?.path ?? "",
  );
  const spend = allowance(bytes);
  const slides = [...new Set(order)].map((path) => slide(archive, path, spend));
  return inParts(numbered(slides, "slide"), coreProperties(archive));
};

function slide(archive: Archive, path: string, spend: SpendCharacters): { text: string; isHidden: boolean } {
  const root = at(xmlIn(archive, path), "sld");
  const tree = at(root, "cSld", "spTree");
  const notesPath = [...relationships(archive, path).values()].find(({ type }) => type === "notesSlide")?.path ?? "";
  const notes = shapes(at(xmlIn(archive, notesPath), "notes", "cSld", "spTree"))
    .filter((shape) => placeholder(shape) === "body")
    .map((shape) =>
      linesOf(shape)
        .map(({ words }) => words)
        .join("\n"),
    );
  const ordered = shapes(tree).toSorted((a, b) => Number(isTitle(b)) - Number(isTitle(a)));
  const parts = ordered.map((shape) => {
    if (shape.name === "graphicFrame") return tables(rowsOf(shape), spend);
    const lines = linesOf(shape);
    if (isTitle(shape)) return lines.length === 0 ? "" : `## ${lines.map(({ words }) => words).join(" ")}`;
    if (/^(?:dt|ftr|sldNum|hdr)$/.test(placeholder(shape))) return "";
    return lines.length > 1 ? listed(lines) : (lines[0]?.words ?? "");
  });
  return {
    text: [...parts, ...notes].filter(Boolean).join("\n\n"),
    isHidden: /^(?:0|false)$/.test(root?.attribs.show ?? ""),
  };
}

/** Returns the shapes and tables of a slide, including those in groups. */
const shapes = (tree: TreeElement | undefined): TreeElement[] =>
  childrenOf(tree).flatMap((child) => {
    if (child.name === "sp" || child.name === "graphicFrame") return [child];
    if (child.name === "AlternateContent") return shapes(at(child, "Choice") ?? at(child, "Fallback"));
    return child.name === "grpSp" ? shapes(child) : [];
  });

/** Returns the type of a placeholder, such as "title"; empty for a shape that is not a placeholder. */
function placeholder(shape: TreeElement): string {
  const found = at(shape, "nvSpPr", "nvPr", "ph");
  return found ? (found.attribs.type ?? "obj") : "";
}

const isTitle = (shape: TreeElement) => /^(?:title|ctrTitle)$/.test(placeholder(shape));

const linesOf = (shape: TreeElement) =>
  childrenOf(at(shape, "txBody"), "p")
    .map((paragraph) => ({
      words: wordsIn(paragraph),
      depth: Math.min(8, Number(at(paragraph, "pPr")?.attribs.lvl ?? 0) || 0),
    }))
    .filter(({ words }) => words !== "");

/** Returns the text of the cells. A cell that is merged with the one above repeats its text. */
function rowsOf(table: TreeElement): string[][] {
  const rows: string[][] = [];
  for (const row of descendants(table, "tr")) {
    const above = rows.at(-1) ?? [];
    const isMerged = (cell: TreeElement) => /^(?:1|true)$/.test(cell.attribs.vMerge ?? "");
    rows.push(childrenOf(row, "tc").map((cell, i) => (isMerged(cell) ? (above[i] ?? "") : cellOf(cell))));
  }
  return rows;
}

const cellOf = (cell: TreeElement) => descendants(cell, "p").map(wordsIn).filter(Boolean).join(" ");

const wordsIn = (paragraph: TreeElement): string =>
  childrenOf(paragraph)
    .map((child) =>
      child.name === "br" ? " " : child.name === "r" || child.name === "fld" ? textOf(at(child, "t")) : "",
    )
    .join("")
    .replace(/\s+/g, " ")
    .trim();
