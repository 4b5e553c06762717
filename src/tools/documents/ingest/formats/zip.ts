import { strFromU8, type UnzipFileInfo, unzipSync } from "fflate";

/** The files of an archive by name. */
export type Archive = Readonly<Record<string, Uint8Array>>;

/**
 * Unpacks the files of an archive that are wanted, each to at most the size that the archive claims for it: a bomb that
 * claims less is cut short.
 * @throws Error with a message for the user if it is damaged, or holds more files or bytes than a document does.
 */
export function unzip(bytes: Uint8Array, isWanted: (name: string) => boolean): Archive {
  let files = 0;
  let size = 0;
  const filter = ({ name, originalSize }: UnzipFileInfo) => {
    files += 1;
    if (files > MOST_FILES) throw new Error(`It holds more than ${MOST_FILES} files. ${REMEDY}`);
    if (!isWanted(name)) return false;
    size += originalSize;
    if (size > LARGEST) throw new Error(`Unpacked it takes more than ${LARGEST / 1_000_000} MB. ${REMEDY}`);
    return true;
  };
  try {
    return unzipSync(bytes, { filter });
  } catch (error) {
    if (error instanceof Error && error.message.endsWith(REMEDY)) throw error;
    throw new Error("The file is damaged or not whole. Save it anew.", { cause: error });
  }
}

const MOST_FILES = 20_000;
/** In bytes. */
const LARGEST = 200_000_000;
const REMEDY = "Split it, or leave it out.";

/** Returns the names of the files in an archive. @throws Error as `unzip` does. */
export function namesIn(bytes: Uint8Array): Set<string> {
  const names = new Set<string>();
  unzip(bytes, (name) => {
    names.add(name);
    return false;
  });
  return names;
}

/** Returns a file of an archive as text; XML is UTF-8 unless it begins with the mark of UTF-16. */
export function textIn(archive: Archive, name: string): string {
  const bytes = archive[name] ?? new Uint8Array();
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return strFromU8(bytes).replace(/^\ufeff/, "");
}
