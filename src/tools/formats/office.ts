import { posix } from "node:path";
import { isoDate, metadataOf } from "../../text/metadata.js";
import type { DocumentPart, FileMetadata } from "./content.js";
import { at, childrenOf, parseXml, textOf, type Xml } from "./xml.js";
import { type Archive, textIn } from "./zip.js";

// What the formats of Office have in common.

/** Returns what a document states about itself: the properties that Office knows, then those that its author added. */
export function coreProperties(archive: Archive): FileMetadata {
  const core = at(parseXml(textIn(archive, "docProps/core.xml")), "coreProperties");
  const added = at(parseXml(textIn(archive, "docProps/custom.xml")), "Properties");
  return {
    title: textOf(at(core, "title")).trim(),
    reviewedAt: isoDate(textOf(at(core, "modified"))),
    metadata: metadataOf([...statedTexts(core), ...statedTexts(added)]),
  };
}

/** Returns the texts of the elements below one by their names. An element that an author added has its name beside it. */
export const statedTexts = (element: Xml | undefined): [key: string, value: string][] =>
  childrenOf(element).map((child) => {
    const name = child.attributes.name ?? child.name;
    return [name === "creator" ? "author" : name, textOf(child)];
  });

/** Returns the parts that a part refers to, by the ids of the references, with their types. */
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

/** Returns the id of the part that an element refers to. Its own id has no prefix. */
export const referenceOf = ({ attributes }: Xml): string =>
  Object.entries(attributes).find(([name]) => name.endsWith(":id"))?.[1] ?? "";

/** Returns a sheet with its name as heading. */
export const underName = ({ name, text }: DocumentPart): DocumentPart => ({
  name,
  text: text === "" ? "" : `## ${name}\n\n${text}`,
});
