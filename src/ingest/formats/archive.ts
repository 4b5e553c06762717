import { posix } from "node:path";
import { buffer } from "node:stream/consumers";
import { type Entry, fromBufferPromise, type ZipFile } from "yauzl";
import { isoDate, metadataOf } from "../../text/metadata.js";
import { isElement, isText, parseXml, type TreeElement, type TreeParent } from "../../tools/web/html-tree.js";
import { type DocumentPart, EncryptedError, type FileMetadata, TooLargeError } from "./content.js";

// Archives of XML files, which Office, OpenDocument and EPUB files are.

/** The files of an archive by name. */
export type Archive = ReadonlyMap<string, Uint8Array>;

/**
 * Unpacks the wanted files of an archive.
 * @throws Error with a message for the user if it is damaged or encrypted, if a file is larger than the archive claims,
 * or if there are more files or bytes than a document has.
 */
export async function unzip(bytes: Uint8Array, isWanted: (name: string) => boolean): Promise<Archive> {
  const archive = new Map<string, Uint8Array>();
  let size = 0;
  await forEachEntry(bytes, async (entry, zip) => {
    if (!isWanted(entry.fileName)) return;
    size += entry.uncompressedSize;
    if (size > LARGEST) throw new TooLargeError(`Unpacked it takes more than ${LARGEST / 1_000_000} MB.`);
    if (entry.isEncrypted()) throw new EncryptedError();
    // The stream ends with an error if it has more bytes than the archive claims.
    archive.set(entry.fileName, await buffer(await zip.openReadStreamPromise(entry)));
  });
  return archive;
}

/** In bytes. */
const LARGEST = 200_000_000;
const MOST_FILES = 20_000;

/** Returns the names of the files in an archive. @throws Error as `unzip` does. */
export async function fileNamesIn(bytes: Uint8Array): Promise<Set<string>> {
  const names = new Set<string>();
  await forEachEntry(bytes, ({ fileName }) => void names.add(fileName));
  return names;
}

async function forEachEntry(bytes: Uint8Array, visit: (entry: Entry, zip: ZipFile) => Promise<void> | void) {
  let files = 0;
  try {
    const zip = await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), {
      lazyEntries: true,
    });
    for await (const entry of zip.eachEntry()) {
      files += 1;
      if (files > MOST_FILES) throw new TooLargeError(`It holds more than ${MOST_FILES} files.`);
      await visit(entry, zip);
    }
  } catch (error) {
    if (error instanceof TooLargeError || error instanceof EncryptedError) throw error;
    throw new Error("It is damaged or incomplete. Save it anew.", { cause: error });
  }
}

export const xmlIn = (archive: Archive, name: string): TreeParent => parseXml(textIn(archive, name));

/** Returns a file of an archive as text; it is UTF-8 unless it begins with a byte order mark of UTF-16. */
export function textIn(archive: Archive, name: string): string {
  const bytes = archive.get(name) ?? new Uint8Array();
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}

/** Returns the child elements, or only those with the given name. */
export const childrenOf = (element: TreeParent | undefined, name?: string): TreeElement[] =>
  (element?.children ?? []).filter(isElement).filter((child) => name === undefined || child.name === name);

/** Returns the first element at a path of names below an element. */
export const at = (element: TreeParent | undefined, ...[name, ...path]: string[]): TreeElement | undefined => {
  const [child] = childrenOf(element, name);
  return path.length === 0 ? child : at(child, ...path);
};

/** Returns the descendants with this name, in order, but not those inside one of them. */
export function descendants(element: TreeParent | undefined, name: string): TreeElement[] {
  return childrenOf(element).flatMap((child) => (child.name === name ? [child] : descendants(child, name)));
}

/** Removes the descendants that are out. Returns the element. */
export function prune<T extends TreeParent>(element: T, isOut: (child: TreeElement) => boolean): T {
  element.children = element.children.filter((child) => !isElement(child) || !isOut(child));
  for (const child of childrenOf(element)) prune(child, isOut);
  return element;
}

/** Returns all text in an element. */
export const textOf = (element: TreeParent | undefined): string =>
  (element?.children ?? [])
    .map((child) => (isText(child) ? child.data : isElement(child) ? textOf(child) : ""))
    .join("");

/** Returns what a document states about itself: the standard properties, then the custom ones. */
export function coreProperties(archive: Archive): FileMetadata {
  const core = at(xmlIn(archive, "docProps/core.xml"), "coreProperties");
  const added = at(xmlIn(archive, "docProps/custom.xml"), "Properties");
  return {
    title: textOf(at(core, "title")).trim(),
    reviewedAt: isoDate(textOf(at(core, "modified"))),
    metadata: metadataOf([...statedTexts(core), ...statedTexts(added)]),
  };
}

/** Returns the texts of the child elements with their names. A custom property has its name in an attribute. */
export const statedTexts = (element: TreeElement | undefined): [key: string, value: string][] =>
  childrenOf(element).map((child) => {
    const name = child.attribs.name ?? child.name;
    return [name === "creator" ? "author" : name, textOf(child)];
  });

/** Returns the parts that a part refers to, with their types, by the ids of the references. */
export function relationships(archive: Archive, part: string): Map<string, { path: string; type: string }> {
  const path = `${posix.dirname(part)}/_rels/${posix.basename(part)}.rels`;
  const found = childrenOf(at(xmlIn(archive, path), "Relationships"), "Relationship");
  return new Map(
    found.map(({ attribs: { Id = "", Target = "", Type = "" } }) => [
      Id,
      {
        path: Target.startsWith("/") ? Target.slice(1) : posix.join(posix.dirname(part), Target),
        type: Type.split("/").at(-1) ?? "",
      },
    ]),
  );
}

/** Returns the id of the part that an element refers to, as in `r:id`. The element's own `id` has no prefix. */
export const referenceOf = ({ attribs }: TreeElement): string =>
  Object.entries(attribs).find(([name]) => name.endsWith(":id"))?.[1] ?? "";

/** Returns a sheet with its name as a heading. */
export const underName = ({ name, text }: DocumentPart): DocumentPart => ({
  name,
  text: text === "" ? "" : `## ${name}\n\n${text}`,
});
