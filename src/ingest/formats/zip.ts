import { buffer } from "node:stream/consumers";
import { type Entry, fromBufferPromise, type ZipFile } from "yauzl";
import { EncryptedError, TooLargeError } from "./content.js";

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

/** Returns a file of an archive as text; it is UTF-8 unless it begins with a byte order mark of UTF-16. */
export function textIn(archive: Archive, name: string): string {
  const bytes = archive.get(name) ?? new Uint8Array();
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return new TextDecoder().decode(bytes);
}
