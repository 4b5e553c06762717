import { PICTURE_EXTENSIONS, pictureKind } from "../../tools/ocr/kinds.js";
import { fileNamesIn } from "./archive.js";
import { asciiDoc } from "./asciidoc.js";
import { code } from "./code.js";
import { allowance, type Content, EncryptedError, type FormatReader, withPictures } from "./content.js";
import { html } from "./html.js";
import { json, jsonLines, notebook } from "./json.js";
import { mail } from "./mail.js";
import { markdown, plainText } from "./markdown.js";
import { org } from "./org.js";
import { restructuredText } from "./rst.js";
import type { Scans } from "./scans.js";
import { subtitles } from "./subtitles.js";
import { csv } from "./table.js";

/**
 * The readers of formats that are recognised by their first bytes. Each is imported when it is needed, since they are
 * large.
 */
const PACKED: Readonly<Record<Kind, FormatReader>> = {
  pdf: async (...file) => (await import("./pdf.js")).pdf(...file),
  docx: async (...file) => (await import("./docx.js")).docx(...file),
  pptx: async (...file) => (await import("./pptx.js")).pptx(...file),
  xlsx: async (...file) => (await import("./xlsx.js")).xlsx(...file),
  odt: async (...file) => (await import("./odf.js")).openDocument(...file),
  epub: async (...file) => (await import("./epub.js")).epub(...file),
  picture: async (...file) => (await import("./picture.js")).picture(...file),
};

/** The readers by extension. */
const READERS: ReadonlyMap<string, FormatReader> = new Map(
  (
    [
      ["md markdown mdown mkd mdx qmd rmd", markdown],
      ["txt text", plainText],
      ["html htm xhtml", html],
      ["rst", restructuredText],
      ["adoc asciidoc", asciiDoc],
      ["org", org],
      ["csv tsv tab", csv],
      ["json", json],
      ["jsonl ndjson", jsonLines],
      ["ipynb", notebook],
      ["srt vtt", subtitles],
      ["eml mht mhtml", mail((...file) => contentOf(...file))],
      ["pdf", PACKED.pdf],
      ["docx docm dotx", PACKED.docx],
      ["pptx pptm ppsx", PACKED.pptx],
      ["xlsx xlsm", PACKED.xlsx],
      ["odt ods odp", PACKED.odt],
      ["epub", PACKED.epub],
      [PICTURE_EXTENSIONS, PACKED.picture],
      [
        "c cc cjs clj cpp cs css cts cxx dart elm erl ex exs fs go graphql groovy h hpp hrl hs ini java jl js jsx kt kts lua m mjs ml mts php pl pm proto ps1 py pyi r rb rs scala scss sh sql svelte swift tf toml ts tsx vb vue yaml yml zig",
        code,
      ],
    ] as const
  ).flatMap(([extensions, reader]) => extensions.split(" ").map((extension) => [extension, reader] as const)),
);

/** The extensions of the files that are read, in lower case and without their dots. */
export const EXTENSIONS: readonly string[] = [...READERS.keys()];

/** The formats that are read, for messages. */
export const FORMATS_READ =
  "PDF, Word, PowerPoint, Excel, OpenDocument, EPUB, pictures of text, mail, HTML, Markdown, reStructuredText, AsciiDoc, Org, plain text, CSV, JSON, notebooks, subtitles and source code (docs/documents.md names the extensions)";

/** The reason for refusing a file without text. */
export const NO_TEXT = "There is no text in it.";

/** True if files with this extension are read. */
export const isReadable = (path: string): boolean => READERS.has(extensionOf(path));

/** Returns a file's extension in lower case, without its dot; empty if there is none. */
export const extensionOf = (path: string) => /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";

/** True for a file that is neither a packed format, a picture nor mail. Reading it takes time and memory linear in its length. */
export const isSimple = (bytes: Uint8Array, path: string): boolean =>
  !isPacked(bytes) && !isPicture(path) && !/^(?:eml|mht|mhtml|pdf)$/.test(extensionOf(path));

/** True if a file is a picture by its name. */
export const isPicture = (path: string): boolean => READERS.get(extensionOf(path)) === PACKED.picture;

/**
 * Reads the content of a file, whose format is determined by its first bytes if possible, else by its name.
 * @param scans what was read in its pictures of text; without it they are not read.
 * @throws Error with a message for the user if it cannot be read, or becomes far more text than its size allows.
 */
export async function contentOf(bytes: Uint8Array, path: string, scans?: Scans): Promise<Content> {
  const content = await withPictures(
    await read(bytes, path, scans),
    async (...picture) => scans && (await import("./picture.js")).textOfPicture(scans, ...picture),
  );
  allowance(bytes)(content.text.length);
  return content;
}

async function read(bytes: Uint8Array, path: string, scans: Scans | undefined): Promise<Content> {
  const extension = extensionOf(path);
  const reader = READERS.get(extension);
  if (!reader) throw new Error(`This kind of file is not read. emend reads ${FORMATS_READ}.`);
  const kind = (await kindOf(bytes)) ?? (extension === "pdf" && holdsPdf(bytes) ? "pdf" : undefined);
  if (kind) return PACKED[kind](bytes, path, scans);
  if (bytes.length === 0) throw new Error(NO_TEXT);
  if (Object.values(PACKED).includes(reader))
    throw new Error(`Its content is not ${extension.toUpperCase()}, despite its name, or it is damaged.`);
  return reader(bytes, path, scans);
}

/** Formats that are recognised by the first bytes of a file. */
type Kind = "pdf" | "docx" | "pptx" | "xlsx" | "epub" | "odt" | "picture";

/** True if the first bytes are those of a format that is not plain text. */
const isPacked = (bytes: Uint8Array) =>
  pictureKind(bytes) !== undefined || SIGNATURES.some(([, mark]) => begins(bytes, mark));

/** True if a PDF begins in the first kilobyte: other lines may come before it. */
const holdsPdf = (bytes: Uint8Array) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1_024)).includes("%PDF-");

/**
 * Returns the format of a file by its first bytes and, for an archive, by the names in it; undefined for any other.
 * @throws Error that says what the file is, if it is of a kind that is not read.
 */
async function kindOf(bytes: Uint8Array): Promise<Kind | undefined> {
  if (pictureKind(bytes)) return "picture";
  const found = SIGNATURES.find(([, mark]) => begins(bytes, mark))?.[0];
  if (found === undefined || found === "pdf") return found;
  if (found === "zip") return archived(await fileNamesIn(bytes));
  if (found === "ole") throw oleError(bytes);
  throw new Error(`It is ${found}, which is not read.`);
}

/** Bytes that no text begins with, except those of PDF and RTF. */
const SIGNATURES: readonly (readonly [kind: string, mark: string])[] = [
  ["pdf", "%PDF-1."],
  ["pdf", "%PDF-2."],
  ["an RTF text", "{\\rtf1"],
  ["zip", "PK\x03\x04"],
  ["zip", "PK\x05\x06"],
  ["ole", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"],
  ["a packed file", "\x1f\x8b\x08"],
  ["a packed file", "7z\xbc\xaf'\x1c"],
  ["a packed file", "Rar!\x1a\x07"],
  ["a packed file", "\xfd7zXZ\0"],
  ["a packed file", "\x28\xb5\x2f\xfd"],
  ["a program", "\x7fELF"],
  ["a program", "MZ\x90\0"],
  ["a database", "SQLite format 3\0"],
];

const begins = (bytes: Uint8Array, mark: string) => {
  for (let i = 0; i < mark.length; i++) if (bytes[i] !== mark.charCodeAt(i)) return false;
  return true;
};

function archived(names: ReadonlySet<string>): Kind {
  const found = INSIDE.find(([name]) => names.has(name))?.[1];
  if (found) return found;
  const [first] = names;
  throw new Error(
    first === undefined ? "It is an empty archive." : "It is an archive (ZIP). Unpack it, or leave it out.",
  );
}

const INSIDE: readonly (readonly [name: string, kind: Kind])[] = [
  ["word/document.xml", "docx"],
  ["ppt/presentation.xml", "pptx"],
  ["xl/workbook.xml", "xlsx"],
  ["META-INF/container.xml", "epub"],
  ["content.xml", "odt"],
];

/** The names of the streams in an OLE file are in UTF-16. */
function oleError(bytes: Uint8Array): Error {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (start.includes(Buffer.from("EncryptedPackage", "utf16le"))) return new EncryptedError();
  return new Error("It is in an old Office format (.doc, .xls, .ppt, .msg). Save it in the present format, or as PDF.");
}
