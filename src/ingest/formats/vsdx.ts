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
import { type DocumentPart, type FormatReader, inLine, inParts } from "./content.js";
import { type Connection, type Diagram, inWords, type Shape } from "./diagram.js";

/** A drawing of Visio: for each page, the labels of the shapes, and which shape is connected to which. */
export const vsdx: FormatReader = async (bytes) => {
  const archive = await unzip(bytes, (name) =>
    /^(?:visio\/(?:pages|masters)\/.*\.(?:xml|rels)|docProps\/(?:core|custom)\.xml)$/.test(name),
  );
  const list = "visio/pages/pages.xml";
  const places = relationships(archive, list);
  const masters = mastersIn(archive);
  const parts = childrenOf(at(xmlIn(archive, list), "Pages"), "Page")
    .filter(({ attribs }) => attribs.Background !== "1")
    .map((page, i): DocumentPart => {
      const name = inLine(page.attribs.Name ?? "") || `${i + 1}`;
      const rel = at(page, "Rel");
      const content = at(xmlIn(archive, places.get(rel ? referenceOf(rel) : "")?.path ?? ""), "PageContents");
      const text = inWords(diagramIn(content, masters));
      return { name, text: text === "" ? "" : `## ${name}\n\n${text}` };
    });
  return inParts(parts, coreProperties(archive));
};

/** Returns the labels of master shapes, which shapes without a text of their own show. */
function mastersIn(archive: Archive): Map<string, string> {
  const list = "visio/masters/masters.xml";
  const places = relationships(archive, list);
  return new Map(
    childrenOf(at(xmlIn(archive, list), "Masters"), "Master").map((master) => {
      const rel = at(master, "Rel");
      const content = xmlIn(archive, places.get(rel ? referenceOf(rel) : "")?.path ?? "");
      const [first] = descendants(content, "Shape");
      return [master.attribs.ID ?? "", first ? labelOf(first) : ""];
    }),
  );
}

const labelOf = (shape: TreeElement) => inLine(textOf(at(shape, "Text")));

function diagramIn(page: TreeElement | undefined, masters: ReadonlyMap<string, string>): Diagram {
  const ends = new Map<string, { from?: string; to?: string }>();
  for (const { attribs } of childrenOf(at(page, "Connects"), "Connect")) {
    const { FromSheet = "", ToSheet = "", FromCell = "" } = attribs;
    const connector = ends.get(FromSheet) ?? {};
    ends.set(FromSheet, connector);
    if (FromCell.startsWith("Begin")) connector.from = ToSheet;
    else if (FromCell.startsWith("End")) connector.to = ToSheet;
  }
  const shapes: Shape[] = [];
  const connections: Connection[] = [];
  const visit = (parent: TreeElement | undefined, around: string) => {
    for (const shape of childrenOf(at(parent, "Shapes"), "Shape")) {
      const { ID = "", Master = "" } = shape.attribs;
      const label = at(shape, "Text") ? labelOf(shape) : (masters.get(Master) ?? "");
      const own = ends.get(ID);
      if (own) {
        const arrow = (name: string) => childrenOf(shape, "Cell").find(({ attribs }) => attribs.N === name)?.attribs.V;
        connections.push({
          from: own.from ?? "",
          to: own.to ?? "",
          label,
          // Without a choice of its own, a connector has the arrow of its style: at its end, or at none.
          isForward: (arrow("EndArrow") ?? "1") !== "0",
          isBackward: (arrow("BeginArrow") ?? "0") !== "0",
        });
      } else if (label !== "") shapes.push({ id: ID, parent: around, label });
      // A shape without a label stands for the one around it.
      visit(shape, label === "" ? around : ID);
    }
  };
  visit(page, "");
  return { shapes, connections };
}
