import { createReadStream } from "node:fs";
import { codeOf, toError, UsageError } from "../../errors.js";
import { decode } from "../../text/decode.js";

/** A line of a file, or several lines that belong to one quoted field. */
export interface Line {
  /** The number of its first line, from 1. */
  number: number;
  text: string;
}

/**
 * Reads the lines of a text file in any supported encoding one after another, so that a large file needs little memory.
 * Skips blank lines.
 * @throws UsageError if the file cannot be read as text, or has a line or UTF-16 text of more than 64 MiB.
 */
export async function* fileLines(path: string): AsyncGenerator<Line> {
  let number = 0;
  for await (const bytes of pieces(path))
    for (const line of decoded(path, bytes).split(/\r?\n/)) {
      number += 1;
      if (line.trim() !== "") yield { number, text: line };
    }
}

/**
 * Reads a text file whole.
 * @throws UsageError when the file cannot be read as text, or has more than 64 MiB.
 */
export async function fileText(path: string): Promise<string> {
  const bytes = await fileBytes(path, MAX_BYTES).catch((error: unknown) => {
    throw notOpened(path, error);
  });
  if (!bytes) throw new UsageError(`${path} has more than ${MAX_BYTES / 1024 / 1024} MB. Split it.`);
  return decoded(path, bytes);
}

/**
 * Reads a file whole; undefined if it has more than `most` bytes. Its stated size does not count, since a device or a
 * pipe states none and may never end.
 */
export async function fileBytes(path: string, most: number): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of createReadStream(path, {
    end: most,
    highWaterMark: PIECE_BYTES,
  }) as AsyncIterable<Buffer>) {
    pieces.push(piece);
    size += piece.length;
  }
  return size > most ? undefined : Buffer.concat(pieces, size);
}

/**
 * Yields pieces of whole lines. A file in UTF-16 is one piece, since a character there may contain the byte of a line
 * end.
 */
async function* pieces(path: string): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  let waiting = 0;
  let isUtf16: boolean | undefined;
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: PIECE_BYTES }) as AsyncIterable<Buffer>) {
      isUtf16 ??= (chunk[0] === 0xff && chunk[1] === 0xfe) || (chunk[0] === 0xfe && chunk[1] === 0xff);
      const end = isUtf16 ? -1 : chunk.lastIndexOf(0x0a);
      if (end >= 0) {
        yield Buffer.concat([...rest, chunk.subarray(0, end)]);
        rest = [];
        waiting = 0;
      }
      rest.push(chunk.subarray(end + 1));
      waiting += chunk.length - end - 1;
      if (waiting > MAX_BYTES)
        throw new UsageError(
          `${path}: ${isUtf16 ? "UTF-16 of this size" : "a line of this length"} cannot be read. Save the file as UTF-8, with shorter lines.`,
        );
    }
  } catch (error) {
    throw error instanceof UsageError ? error : notOpened(path, error);
  }
  if (waiting > 0) yield Buffer.concat(rest);
}

function decoded(path: string, bytes: Uint8Array): string {
  try {
    return decode(bytes);
  } catch (error) {
    throw new UsageError(`${path}: ${toError(error).message}`);
  }
}

const notOpened = (path: string, error: unknown) =>
  new UsageError(
    codeOf(error) === "ENOENT" ? `There is no file ${path}.` : `${path} cannot be opened (${codeOf(error)}).`,
  );

/** In bytes. */
const PIECE_BYTES = 256 * 1024;
/** In bytes: the most that is held in memory at once. */
const MAX_BYTES = 64 * 1024 * 1024;
