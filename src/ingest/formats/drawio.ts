import { inflateRawSync } from "node:zlib";
import { decode } from "../../text/decode.js";
import { parseXml, type TreeElement } from "../../tools/web/html-tree.js";
import { at, childrenOf, descendants, textOf } from "./archive.js";
import { allowance, type DocumentPart, type FormatReader, inLine, inParts } from "./content.js";
import { type Diagram, inWords, type Shape } from "./diagram.js";
import { allInMarkdown } from "./html.js";

/** A diagram of draw.io: for each page, the labels of the shapes, and which shape is connected to which. */
export const drawing: FormatReader = (bytes) => {
  const root = parseXml(decode(bytes));
  const spend = allowance(bytes);
  const pages = descendants(root, "diagram");
  const models = pages.length > 0 ? pages : descendants(root, "mxGraphModel");
  if (models.length === 0) throw new Error("There is no diagram in it.");
  const parts = models.map((page, i): DocumentPart => {
    const name = inLine(page.attribs.name ?? "") || `${i + 1}`;
    const text = inWords(diagramIn(modelOf(page)));
    spend(text.length);
    return { name, text: text === "" ? "" : `## ${name}\n\n${text}` };
  });
  return inParts(parts, { title: "", reviewedAt: "" });
};

/** The model of a page, which may be compressed: escaped for addresses, deflated, in Base64. */
function modelOf(page: TreeElement): TreeElement | undefined {
  if (page.name === "mxGraphModel") return page;
  const model = at(page, "mxGraphModel");
  const packed = textOf(page).trim();
  if (model || packed === "") return model;
  try {
    const text = inflateRawSync(Buffer.from(packed, "base64"), { maxOutputLength: LARGEST }).toString("utf8");
    return at(parseXml(decodeURIComponent(text)), "mxGraphModel");
  } catch (error) {
    throw new Error("A page of it is damaged, or larger than 50 MB when unpacked. Save it uncompressed.", {
      cause: error,
    });
  }
}

/** In bytes. */
const LARGEST = 50_000_000;

function diagramIn(model: TreeElement | undefined): Diagram {
  const shapes: Shape[] = [];
  const diagram: Diagram = { shapes, connections: [] };
  const edges = new Map<string, Diagram["connections"][number]>();
  const labels: { edge: string; label: string }[] = [];
  for (const child of childrenOf(at(model, "root"))) {
    // A cell with properties of its own is inside an element that has its name and its label.
    const cell = child.name === "mxCell" ? child : at(child, "mxCell");
    if (!cell) continue;
    const id = child.attribs.id ?? cell.attribs.id ?? "";
    const label = labelIn(child.attribs.label ?? cell.attribs.value ?? "");
    const { edge, source = "", target = "", parent = "", style = "", visible } = cell.attribs;
    if (visible === "0") continue;
    const has = (name: string) => new RegExp(`(?:^|;)${name}=([^;]*)`).exec(style)?.[1];
    if (edge === "1") {
      const connection = {
        from: source,
        to: target,
        label,
        isForward: (has("endArrow") ?? "classic") !== "none",
        isBackward: (has("startArrow") ?? "none") !== "none",
      };
      edges.set(id, connection);
      diagram.connections.push(connection);
    } else if (label !== "") {
      shapes.push({ id, parent, label });
      if (/(?:^|;)edgeLabel/.test(style)) labels.push({ edge: parent, label });
    }
  }
  for (const { edge, label } of labels) {
    const connection = edges.get(edge);
    if (connection) connection.label = [connection.label, label].filter(Boolean).join("; ");
  }
  return { ...diagram, shapes: shapes.filter(({ parent }) => !edges.has(parent)) };
}

/** A label may be HTML. */
const labelIn = (value: string) => inLine(/[<&]/.test(value) ? allInMarkdown(value) : value);
