import { posix } from "node:path";
import { isoDate, metadataOf } from "../../text/metadata.js";
import type { DocumentPart, FileMetadata } from "./content.js";
import { at, childrenOf, parseXml, textOf, type Xml } from "./xml.js";
import { type Archive, textIn } from "./zip.js";

// Shared by the readers of Office formats.

/** Returns what a document states about itself: the standard properties, then the custom ones. */
export function coreProperties(archive: Archive): FileMetadata {
  const core = at(parseXml(textIn(archive, "docProps/core.xml")), "coreProperties");
  const added = at(parseXml(textIn(archive, "docProps/custom.xml")), "Properties");
  return {
    title: textOf(at(core, "title")).trim(),
    reviewedAt: isoDate(textOf(at(core, "modified"))),
    metadata: metadataOf([...statedTexts(core), ...statedTexts(added)]),
  };
}

/** Returns the texts of the child elements with their names. A custom property has its name in an attribute. */
export const statedTexts = (element: Xml | undefined): [key: string, value: string][] =>
  childrenOf(element).map((child) => {
    const name = child.attributes.name ?? child.name;
    return [name === "creator" ? "author" : name, textOf(child)];
  });

/** Returns the parts that a part refers to, with their types, by the ids of the references. */
export function relationships(archive: Archive, part: string): Map<string, { path: string; type: string }> {
  const path = `${posix.dirname(part)}/_rels/${posix.basename(part)}.rels`;
  const found = childrenOf(at(parseXml(textIn(archive, path)), "Relationships"), "Relationship");
  return new Map(
    found.map(({ attributes: { Id = "", Target = "", Type = "" } }) => [
      Id,
      {
        path: Target.startsWith("/") ? Target.slice(1) : posix.join(posix.dirname(part), Target),
        type: Type.split("/").at(-1) ?? "",
      },
    ]),
  );
}

/** Returns the id of the part that an element refers to, as in `r:id`. The element's own `id` has no prefix. */
export const referenceOf = ({ attributes }: Xml): string =>
  Object.entries(attributes).find(([name]) => name.endsWith(":id"))?.[1] ?? "";

/** Returns a sheet with its name as a heading. */
export const underName = ({ name, text }: DocumentPart): DocumentPart => ({
  name,
  text: text === "" ? "" : `## ${name}\n\n${text}`,
});
