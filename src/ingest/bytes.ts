import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";
import { codeOf } from "../errors.js";

/** In bytes. A larger file is a dump or a log, not a document. */
export const LARGEST_FILE = 20 * 1024 * 1024;

/** The reason for refusing a device, a pipe or a socket. A device may never end, and opening a pipe may block. */
export const NO_FILE = "It is a device, a pipe or a socket. Save what comes from it to a file, and name that.";

/**
 * Reads a whole file. Opens only regular files, and never reads more than 20 MB, whatever size the file claims.
 * @throws Error with a message for the user if it is a folder, a device, a pipe or a socket, cannot be opened, or is
 * too large.
 */
export async function bytesOf(path: string): Promise<Uint8Array> {
  const about = await stat(path).catch(notOpened);
  if (about.isDirectory()) throw new Error("It is a folder. Name a file.");
  if (!about.isFile()) throw new Error(NO_FILE);
  if (about.size > LARGEST_FILE) throw tooLarge();
  // It may have become a pipe since. Without O_NONBLOCK, which Windows lacks, opening a pipe waits for a writer.
  await using file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(notOpened);
  // A buffer of the largest size for each file would cost more than reading it. The size may be wrong.
  const highWaterMark = Math.min(Math.max(about.size + 1, SMALLEST_PIECE), PIECE);
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of file.createReadStream({ autoClose: false, end: LARGEST_FILE, highWaterMark })) {
    pieces.push(piece);
    size += piece.length;
  }
  if (size > LARGEST_FILE) throw tooLarge();
  return Buffer.concat(pieces, size);
}

/** In bytes. */
const PIECE = 1024 * 1024;
const SMALLEST_PIECE = 4 * 1024;

const tooLarge = () => new Error(`Larger than ${LARGEST_FILE / 1024 / 1024} MB. Split it, or leave it out.`);

const notOpened = (error: unknown): never => {
  throw new Error(`Cannot be opened (${codeOf(error)}).`, { cause: error });
};
