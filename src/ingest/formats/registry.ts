import { PICTURE_EXTENSIONS, pictureKind } from "../../tools/ocr/kinds.js";
import { fileNamesIn } from "./archive.js";
import { asciiDoc } from "./asciidoc.js";
import { calendar, contacts } from "./calendar.js";
import { code } from "./code.js";
import { compoundFile } from "./compound.js";
import { allowance, type Content, EncryptedError, type ReadInside, withPictures } from "./content.js";
import { drawing } from "./drawio.js";
import { html } from "./html.js";
import { json, jsonLines, notebook } from "./json.js";
import { mail, mailbox } from "./mail.js";
import { markdown, plainText } from "./markdown.js";
import { org } from "./org.js";
import { restructuredText } from "./rst.js";
import type { Scans } from "./scans.js";
import { subtitles } from "./subtitles.js";
import { csv } from "./table.js";
import { tex } from "./tex.js";
import { xml } from "./xml.js";
import { tar } from "./zip.js";

/** Reads a file. @param inside reads a file that is inside it, such as an attachment. */
type Reader = (
  bytes: Uint8Array,
  name: string,
  inside: ReadInside,
  scans: Scans | undefined,
) => Content | Promise<Content>;

/**
 * The readers of formats that are recognised by their first bytes. Each is imported when it is needed, since they are
 * large.
 */
const PACKED: Readonly<Record<Kind, Reader>> = {
  pdf: async (bytes, _name, _inside, scans) => (await import("./pdf.js")).pdf(bytes, scans),
  docx: async (bytes, name) => (await import("./docx.js")).docx(bytes, name),
  pptx: async (bytes, name) => (await import("./pptx.js")).pptx(bytes, name),
  xlsx: async (bytes, name) => (await import("./xlsx.js")).xlsx(bytes, name),
  odt: async (bytes, name) => (await import("./odf.js")).openDocument(bytes, name),
  epub: async (bytes, name) => (await import("./epub.js")).epub(bytes, name),
  vsdx: async (bytes, name) => (await import("./vsdx.js")).vsdx(bytes, name),
  iwork: (bytes, name) => whole(async () => (await import("./iwork.js")).iwork(bytes, name)),
  rtf: async (bytes, name) => (await import("./rtf.js")).rtf(bytes, name),
  doc: (bytes, name) => whole(async () => (await import("./doc.js")).doc(bytes, name)),
  xls: (bytes, name) => whole(async () => (await import("./xls.js")).xls(bytes, name)),
  ppt: (bytes, name) => whole(async () => (await import("./ppt.js")).ppt(bytes, name)),
  msg: (bytes, _, inside) => whole(async () => (await import("./msg.js")).msg(bytes, inside)),
  zip: async (bytes, _, inside) => (await import("./zip.js")).zip(bytes, inside, isReadable),
  gzip: async (bytes, name, inside) => (await import("./zip.js")).gzip(bytes, name, inside),
  picture: async (bytes, _name, _inside, scans) => (await import("./picture.js")).picture(bytes, scans),
};

/** Runs a reader of a binary format, in which a place outside the file means that a part of it is missing. */
async function whole(read: () => Promise<Content>): Promise<Content> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof RangeError) throw new Error(DAMAGED, { cause: error });
    throw error;
  }
}

const DAMAGED = "It is damaged or incomplete. Save it anew.";

/** The readers by extension. */
const READERS: ReadonlyMap<string, Reader> = new Map(
  (
    [
      ["md markdown mdown mkd mdx qmd rmd", markdown],
      ["txt text", plainText],
      ["html htm xhtml", html],
      ["rst", restructuredText],
      ["adoc asciidoc", asciiDoc],
      ["org", org],
      ["tex latex ltx", tex],
      ["csv tsv tab", csv],
      ["json", json],
      ["jsonl ndjson", jsonLines],
      ["ipynb", notebook],
      ["xml dita ditamap dbk docbook rss atom fodt fods fodp fodg", xml],
      ["drawio dio", drawing],
      ["srt vtt", subtitles],
      ["ics ical", calendar],
      ["vcf vcard", contacts],
      ["eml mht mhtml", mail],
      ["mbox", mailbox],
      ["pdf", PACKED.pdf],
      ["docx docm dotx", PACKED.docx],
      ["pptx pptm ppsx", PACKED.pptx],
      ["xlsx xlsm", PACKED.xlsx],
      ["doc dot wps", PACKED.doc],
      ["ppt pps pot dps", PACKED.ppt],
      ["xls xlt et", PACKED.xls],
      ["rtf", PACKED.rtf],
      ["odt ods odp odg ott ots otp", PACKED.odt],
      ["pages numbers key", PACKED.iwork],
      ["vsdx vsdm", PACKED.vsdx],
      ["epub", PACKED.epub],
      ["msg", PACKED.msg],
      ["zip", PACKED.zip],
      ["gz tgz", PACKED.gzip],
      ["tar", (bytes, _, inside) => tar(bytes, inside, isReadable)],
      [PICTURE_EXTENSIONS, PACKED.picture],
      [
        "c cc cjs clj cpp cs css cts cxx dart elm erl ex exs fs go graphql groovy h hpp hrl hs ini java jl js jsx kt kts lua m mjs ml mts php pl pm proto ps1 py pyi r rb rs scala scss sh sql svelte swift tf toml ts tsx vb vue yaml yml zig",
        code,
      ],
    ] satisfies readonly (readonly [extensions: string, reader: Reader])[]
  ).flatMap(([extensions, reader]) => extensions.split(" ").map((extension): [string, Reader] => [extension, reader])),
);

/** The extensions of the files that are read, in lower case and without their dots. */
export const EXTENSIONS: readonly string[] = [...READERS.keys()];

/** The formats that are read, for messages. */
export const FORMATS_READ =
  "PDF, Word, PowerPoint and Excel (old and new), RTF, OpenDocument, iWork, Visio, draw.io, EPUB, pictures of text, mail, calendars, contacts, HTML, XML, Markdown, reStructuredText, AsciiDoc, Org, LaTeX, plain text, CSV, JSON, notebooks, subtitles, source code, and ZIP archives of these (docs/documents.md names the extensions)";

/** The reason for refusing a file without text. */
export const NO_TEXT = "There is no text in it.";

/** The reason for refusing a file of another kind. */
export const NOT_READ = `This kind of file is not read. emend reads ${FORMATS_READ}.`;

/** True if files with this extension are read. */
export const isReadable = (path: string): boolean => READERS.has(extensionOf(path));

/** Returns a file's extension in lower case, without its dot; empty if there is none. */
export const extensionOf = (path: string) => /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";

/**
 * True for a file that is neither a packed format, a picture nor one that holds others. Reading it takes time and memory linear in
 * its length.
 */
export const isSimple = (bytes: Uint8Array, path: string): boolean =>
  !isPacked(bytes) &&
  !isPicture(path) &&
  !/^(?:eml|mht|mhtml|mbox|pdf|tar|drawio|dio|xml|tex|latex|ltx)$/.test(extensionOf(path));

/** True if a file is a picture by its name. */
export const isPicture = (path: string): boolean => READERS.get(extensionOf(path)) === PACKED.picture;

/**
 * Reads the content of a file, whose format is determined by its first bytes if possible, else by its name.
 * @param scans what was read in its pictures of text; without it they are not read.
 * @throws Error with a message for the user if it cannot be read, or becomes far more text than its size allows.
 */
export const contentOf = (bytes: Uint8Array, path: string, scans?: Scans): Promise<Content> =>
  contentAt(bytes, path, { depth: 0, scans });

/** @param around.depth the number of files around it. */
async function contentAt(
  bytes: Uint8Array,
  path: string,
  { depth, scans }: { depth: number; scans: Scans | undefined },
): Promise<Content> {
  if (depth > DEEPEST) throw new Error("It is inside too many other files. Unpack it.");
  const inside: ReadInside = (inner, name) => contentAt(inner, name, { depth: depth + 1, scans });
  const content = await withPictures(
    await read(bytes, path, inside, scans),
    async (...picture) => scans && (await import("./picture.js")).textOfPicture(scans, ...picture),
  );
  allowance(bytes)(content.text.length);
  return content;
}

/** A document in a mail in an archive in an archive is read. */
const DEEPEST = 3;

async function read(bytes: Uint8Array, path: string, inside: ReadInside, scans: Scans | undefined): Promise<Content> {
  const extension = extensionOf(path);
  const reader = READERS.get(extension);
  if (!reader) throw new Error(NOT_READ);
  const kind = (await kindOf(bytes, extension)) ?? (extension === "pdf" && holdsPdf(bytes) ? "pdf" : undefined);
  if (kind) return PACKED[kind](bytes, path, inside, scans);
  if (bytes.length === 0) throw new Error(NO_TEXT);
  if (!Object.values(PACKED).includes(reader)) return reader(bytes, path, inside, scans);
  // The name of a presentation of Keynote is also that of a key.
  if (reader === PACKED.iwork) throw new Error(NOT_READ);
  const other = disguised(bytes, extension);
  if (!other) throw new Error(`Its content is not ${extension.toUpperCase()}, despite its name, or it is damaged.`);
  return other(bytes, path, inside, scans);
}

/**
 * Returns the reader of a text that has the name of an old Office file, as programs write it that export to Word or
 * Excel: HTML, mail with a page in it, XML, or a table.
 */
function disguised(bytes: Uint8Array, extension: string): Reader | undefined {
  if (!/^(?:doc|dot|xls|xlt)$/.test(extension)) return undefined;
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 2_000)).toString("latin1");
  const text = start.replaceAll("\0", "");
  if (/^\W{0,3}MIME-Version:/i.test(text)) return mail;
  if (/^\W{0,3}\s*<\?xml/.test(text) && !/<html/i.test(text)) return xml;
  if (/<(?:html|table|body|head|meta)[\s>]/i.test(text)) return html;
  if (/\0/.test(start) && !/^\xff\xfe|^\xfe\xff/.test(start)) return undefined;
  return extension.startsWith("x") ? csv : plainText;
}

/** Formats that are recognised by the first bytes of a file. */
type Kind =
  | "pdf"
  | "docx"
  | "pptx"
  | "xlsx"
  | "epub"
  | "odt"
  | "vsdx"
  | "iwork"
  | "rtf"
  | "doc"
  | "xls"
  | "ppt"
  | "msg"
  | "zip"
  | "gzip"
  | "picture";

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
async function kindOf(bytes: Uint8Array, extension: string): Promise<Kind | undefined> {
  if (pictureKind(bytes)) return "picture";
  const found = SIGNATURES.find(([, mark]) => begins(bytes, mark))?.[0];
  if (found === undefined || found === "pdf" || found === "rtf") return found;
  if (found === "zip") return archived(await fileNamesIn(bytes), extension);
  if (found === "gzip" && /^t?gz$/.test(extension)) return found;
  if (found === "ole") return compoundKind(bytes);
  throw new Error(`It is ${found === "gzip" ? "a packed file" : found}, which is not read.`);
}

/** Bytes that no text begins with, except those of PDF and RTF. */
const SIGNATURES: readonly (readonly [kind: string, mark: string])[] = [
  ["pdf", "%PDF-1."],
  ["pdf", "%PDF-2."],
  ["rtf", "{\\rtf"],
  ["zip", "PK\x03\x04"],
  ["zip", "PK\x05\x06"],
  ["ole", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"],
  ["gzip", "\x1f\x8b\x08"],
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

function archived(names: ReadonlySet<string>, extension: string): Kind {
  const found = INSIDE.find(([name]) => names.has(name))?.[1];
  if (found) return found;
  if (IWORK.test(extension) && [...names].some((name) => /^(?:Index|QuickLook)\b|^index\./.test(name))) return "iwork";
  if (names.size === 0) throw new Error("It is an empty archive.");
  if (extension === "zip") return "zip";
  throw new Error("It is an archive (ZIP). Unpack it, or leave it out.");
}

const IWORK = /^(?:pages|numbers|key)$/;

const INSIDE: readonly (readonly [name: string, kind: Kind])[] = [
  ["word/document.xml", "docx"],
  ["ppt/presentation.xml", "pptx"],
  ["xl/workbook.xml", "xlsx"],
  ["visio/document.xml", "vsdx"],
  ["META-INF/container.xml", "epub"],
  ["content.xml", "odt"],
  ["Index/Document.iwa", "iwork"],
];

/** @throws Error that says what the file is, if it is of a kind that is not read. */
function compoundKind(bytes: Uint8Array): Kind {
  const paths = pathsIn(bytes);
  const found = STREAMS.find(([name]) => paths.includes(name))?.[1];
  if (paths.includes("EncryptedPackage")) throw new EncryptedError();
  if (found) return found;
  if (paths.includes("VisioDocument")) throw new Error("It is an old Visio drawing. Save it as .vsdx, or as PDF.");
  throw new Error("It is in an old binary format that is not read. Save it in the present format, or as PDF.");
}

function pathsIn(bytes: Uint8Array): readonly string[] {
  try {
    return compoundFile(bytes).paths;
  } catch (error) {
    const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    if (raw.includes(Buffer.from("EncryptedPackage", "utf16le"))) throw new EncryptedError();
    throw new Error(DAMAGED, { cause: error });
  }
}

const STREAMS: readonly (readonly [name: string, kind: Kind])[] = [
  ["__properties_version1.0", "msg"],
  ["WordDocument", "doc"],
  ["Workbook", "xls"],
  ["Book", "xls"],
  ["PowerPoint Document", "ppt"],
];
