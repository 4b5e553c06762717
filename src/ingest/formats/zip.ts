import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { fromBufferPromise } from "yauzl";
import { decode } from "../../text/decode.js";
import {
  allowance,
  type Content,
  type DocumentPart,
  EncryptedError,
  inLine,
  inParts,
  type ReadInside,
  TooLargeError,
} from "./content.js";

// Archives of documents. Their files become parts of one document, each under its name, which is also its place.

interface File {
  name: string;
  bytes: Uint8Array | Error;
}

type IsReadable = (name: string) => boolean;

/** Reads the files of a ZIP archive. */
export const zip = async (bytes: Uint8Array, inside: ReadInside, isReadable: IsReadable): Promise<Content> =>
  together(await zippedIn(bytes, isReadable), inside, bytes, isReadable);

/** Reads the files of a TAR archive. */
export const tar = (bytes: Uint8Array, inside: ReadInside, isReadable: IsReadable): Promise<Content> =>
  together(tarredIn(bytes), inside, bytes, isReadable);

/** Reads the one file that gzip compressed. Its name is that of the archive without ".gz". */
export async function gzip(bytes: Uint8Array, name: string, inside: ReadInside): Promise<Content> {
  let unpacked: Uint8Array;
  try {
    unpacked = gunzipSync(bytes, { maxOutputLength: LARGEST });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge();
    throw new Error("It is damaged or incomplete. Save it anew.", { cause: error });
  }
  return inside(unpacked, name.replace(/\.tgz$/i, ".tar").replace(/\.gz$/i, ""));
}

/** In bytes. */
const LARGEST = 200_000_000;
const MOST_FILES = 2_000;

const tooLarge = () => new TooLargeError(`Unpacked it takes more than ${LARGEST / 1_000_000} MB.`);
const tooMany = () => new TooLargeError(`It holds more than ${MOST_FILES} files.`);

/** Files that systems and programs put into archives. */
const isMeant = (name: string) =>
  !name.endsWith("/") &&
  !name.split("/").some((part) => part === "__MACOSX" || part.startsWith(".") || part === "node_modules");

async function together(
  files: readonly File[],
  inside: ReadInside,
  whole: Uint8Array,
  isReadable: IsReadable,
): Promise<Content> {
  const spend = allowance(whole);
  const parts: DocumentPart[] = [];
  const unread: string[] = [];
  const dates: string[] = [];
  const sorted = files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  for (const { name, bytes } of sorted) {
    if (!isReadable(name)) {
      unread.push(`- ${inLine(name)}`);
      continue;
    }
    const content = bytes instanceof Error ? bytes : await inside(bytes, name).catch((error: Error) => error);
    if (content instanceof Error) {
      unread.push(`- ${inLine(name)}: ${content.message}`);
      continue;
    }
    spend(content.text.length);
    dates.push(content.reviewedAt);
    const { places = [], text } = content;
    const heading = `# ${inLine(name)}`;
    const first = places.length === 0 ? text : text.slice(0, places[0]?.start);
    parts.push({ name, text: `${heading}\n\n${first}` });
    places.forEach((place, i) => {
      const part = text.slice(place.start, places[i + 1]?.start);
      parts.push({ name: `${name}, ${place.name}`, text: part });
    });
  }
  if (parts.length === 0 && unread.length > 0)
    throw new Error(`None of its ${unread.length} files can be read, such as ${unread[0]?.slice(2)}.`);
  if (unread.length > 0) parts.push({ name: "", text: `# Files that are not read\n\n${unread.join("\n")}` });
  return inParts(parts, { title: "", reviewedAt: dates.toSorted().at(-1) ?? "" });
}

async function zippedIn(bytes: Uint8Array, isReadable: IsReadable): Promise<File[]> {
  const files: File[] = [];
  let size = 0;
  try {
    const zip = await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), {
      lazyEntries: true,
      // Names may be in any encoding. They are only shown.
      decodeStrings: false,
    });
    for await (const entry of zip.eachEntry()) {
      const raw = Buffer.from(entry.fileName as unknown as Uint8Array);
      const isUtf8 = (entry.generalPurposeBitFlag & 0x800) !== 0;
      const name = (isUtf8 ? raw.toString("utf8") : nameIn(raw)).replaceAll("\\", "/");
      if (!isMeant(name)) continue;
      if (files.length >= MOST_FILES) throw tooMany();
      if (!isReadable(name)) {
        files.push({ name, bytes: new Uint8Array() });
        continue;
      }
      size += entry.uncompressedSize;
      if (size > LARGEST) throw tooLarge();
      if (entry.isEncrypted()) files.push({ name, bytes: new EncryptedError() });
      // The stream ends with an error if it has more bytes than the archive claims.
      else files.push({ name, bytes: await buffer(await zip.openReadStreamPromise(entry)) });
    }
  } catch (error) {
    if (error instanceof TooLargeError) throw error;
    throw new Error("It is damaged or incomplete. Save it anew.", { cause: error });
  }
  return files;
}

/** Decodes a name whose encoding is not told: on a Chinese Windows it is GB18030. */
function nameIn(bytes: Buffer): string {
  try {
    return decode(bytes);
  } catch {
    return bytes.toString("latin1");
  }
}

/** Reads a TAR archive: a block of 512 bytes before each file names it and tells its size in octal digits. */
function tarredIn(bytes: Uint8Array): File[] {
  const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const files: File[] = [];
  let longName = "";
  for (let at = 0; at + 512 <= archive.length; ) {
    const field = (from: number, to: number) => archive.toString("utf8", at + from, at + to).replace(/\0.*$/s, "");
    const size = Number.parseInt(field(124, 136).trim() || "0", 8);
    if (field(0, 100) === "" || !Number.isFinite(size)) break;
    const content = archive.subarray(at + 512, at + 512 + size);
    if (content.length < size) throw new Error("It is damaged or incomplete. Save it anew.");
    const kind = field(156, 157);
    const name = longName || [field(345, 500), field(0, 100)].filter(Boolean).join("/");
    if (kind === "L") longName = content.toString("utf8").replace(/\0.*$/s, "");
    else if (kind === "x") longName = /^\d+ path=(.*)$/m.exec(content.toString("utf8"))?.[1] ?? "";
    else longName = "";
    if ((kind === "" || kind === "0") && isMeant(name.replace(/^\.\//, ""))) {
      if (files.length >= MOST_FILES) throw tooMany();
      files.push({ name: name.replace(/^\.\//, ""), bytes: content });
    }
    at += 512 * (1 + Math.ceil(size / 512));
  }
  return files;
}
