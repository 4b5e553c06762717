import { EncryptedError, fileNamesIn } from "./zip.js";

/** Formats that the first bytes of a file tell. */
export type Kind = "pdf" | "docx" | "pptx" | "xlsx" | "epub" | "odt";

/** True if the first bytes are those of a format that is not plain text. */
export const isPacked = (bytes: Uint8Array) => SIGNATURES.some(([, mark]) => begins(bytes, mark));

/** True if a PDF begins in the first kilobyte: other lines may stand before it. */
export const holdsPdf = (bytes: Uint8Array) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1_024)).includes("%PDF-");

/**
 * Returns the format of a file by its first bytes and, of an archive, by the names in it; undefined if they do not tell.
 * @throws Error that says what the file is if it is none that is read.
 */
export async function kindOf(bytes: Uint8Array): Promise<Kind | undefined> {
  const found = SIGNATURES.find(([, mark]) => begins(bytes, mark))?.[0];
  if (found === undefined || found === "pdf") return found;
  if (found === "zip") return archived(await fileNamesIn(bytes));
  if (found === "ole") throw oleError(bytes);
  throw new Error(`It is ${found}, and that is not read.`);
}

/** Only marks that no text begins with, but for those of PDF and RTF. */
const SIGNATURES: readonly (readonly [kind: string, mark: string])[] = [
  ["pdf", "%PDF-1."],
  ["pdf", "%PDF-2."],
  ["an RTF text", "{\\rtf1"],
  ["zip", "PK\x03\x04"],
  ["zip", "PK\x05\x06"],
  ["ole", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"],
  ["a picture", "\x89PNG\r\n"],
  ["a picture", "\xff\xd8\xff"],
  ["a picture", "II*\0"],
  ["a picture", "MM\0*"],
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

/** The streams in an OLE file have names in UTF-16. */
function oleError(bytes: Uint8Array): Error {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (start.includes(Buffer.from("EncryptedPackage", "utf16le"))) return new EncryptedError();
  return new Error("It is in an old Office format (.doc, .xls, .ppt, .msg). Save it in the present one, or as PDF.");
}
