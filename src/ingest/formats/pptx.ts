import { allowance, type FormatReader, inParts, listed, numbered, type SpendCharacters } from "./content.js";
import { coreProperties, referenceOf, relationships } from "./office.js";
import { tables } from "./table.js";
import { at, childrenOf, descendants, parseXml, textOf, type Xml } from "./xml.js";
import { type Archive, textIn, unzip } from "./zip.js";

/** A presentation: each slide with its title, its text, its tables and its speaker notes. */
export const pptx: FormatReader = async (bytes) => {
  const archive = await unzip(bytes, (name) =>
    /^(?:ppt\/(?:presentation|slides\/[^/]+|notesSlides\/[^/]+)\.xml|ppt\/(?:slides\/)?_rels\/.*|docProps\/(?:core|custom)\.xml)$/.test(
      name,
    ),
  );
  const presentation = "ppt/presentation.xml";
  const parts = relationships(archive, presentation);
  const order = descendants(parseXml(textIn(archive, presentation)), "sldId").map(
    (element) => parts.get(referenceOf(element))?.path ?? "",
  );
  const spend = allowance(bytes);
  const slides = [...new Set(order)].map((path) => slide(archive, path, spend));
  return inParts(numbered(slides, "slide"), coreProperties(archive));
};

function slide(archive: Archive, path: string, spend: SpendCharacters): { text: string; isHidden: boolean } {
  const root = at(parseXml(textIn(archive, path)), "sld");
  const tree = at(root, "cSld", "spTree");
  const notesPath = [...relationships(archive, path).values()].find(({ type }) => type === "notesSlide")?.path ?? "";
  const notes = shapes(at(parseXml(textIn(archive, notesPath)), "notes", "cSld", "spTree"))
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
    isHidden: /^(?:0|false)$/.test(root?.attributes.show ?? ""),
  };
}

/** Returns the shapes and tables of a slide, including those in groups. */
const shapes = (tree: Xml | undefined): Xml[] =>
  childrenOf(tree).flatMap((child) => {
    if (child.name === "sp" || child.name === "graphicFrame") return [child];
    if (child.name === "AlternateContent") return shapes(at(child, "Choice") ?? at(child, "Fallback"));
    return child.name === "grpSp" ? shapes(child) : [];
  });

/** Returns the type of a placeholder, such as "title"; empty for a shape that is not a placeholder. */
function placeholder(shape: Xml): string {
  const found = at(shape, "nvSpPr", "nvPr", "ph");
  return found ? (found.attributes.type ?? "obj") : "";
}

const isTitle = (shape: Xml) => /^(?:title|ctrTitle)$/.test(placeholder(shape));

const linesOf = (shape: Xml) =>
  childrenOf(at(shape, "txBody"), "p")
    .map((paragraph) => ({
      words: wordsIn(paragraph),
      depth: Math.min(8, Number(at(paragraph, "pPr")?.attributes.lvl ?? 0) || 0),
    }))
    .filter(({ words }) => words !== "");

/** Returns the text of the cells. A cell that is merged with the one above repeats its text. */
function rowsOf(table: Xml): string[][] {
  const rows: string[][] = [];
  for (const row of descendants(table, "tr")) {
    const above = rows.at(-1) ?? [];
    const isMerged = (cell: Xml) => /^(?:1|true)$/.test(cell.attributes.vMerge ?? "");
    rows.push(childrenOf(row, "tc").map((cell, i) => (isMerged(cell) ? (above[i] ?? "") : cellOf(cell))));
  }
  return rows;
}

const cellOf = (cell: Xml) => descendants(cell, "p").map(wordsIn).filter(Boolean).join(" ");

const wordsIn = (paragraph: Xml): string =>
  childrenOf(paragraph)
    .map((child) =>
      child.name === "br" ? " " : child.name === "r" || child.name === "fld" ? textOf(at(child, "t")) : "",
    )
    .join("")
    .replace(/\s+/g, " ")
    .trim();
