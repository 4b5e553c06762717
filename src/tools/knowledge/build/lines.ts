import { createReadStream } from "node:fs";
import { UsageError } from "../../../errors.js";
import { decode } from "../../../language/decode.js";
import { codeOf } from "../../documents/ingest/find.js";

/** A line of a file, or several that a quoted field holds together. */
export interface Line {
  /** Of its first line, from 1. */
  number: number;
  text: string;
}

/**
 * The lines of a text file in any encoding that documents may have, one after the other, so that a large file needs
 * little memory. Blank lines are left out.
 * @throws UsageError when the file cannot be read as text.
 */
export async function* linesOf(path: string): AsyncGenerator<Line> {
  let number = 0;
  for await (const text of texts(path))
    for (const line of text.split(/\r?\n/)) {
      number += 1;
      if (line.trim() !== "") yield { number, text: line };
    }
}

/** Pieces of whole lines, the last line end of each left out. No encoding but UTF-16 has a line end inside a character. */
async function* texts(path: string): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  let waiting = 0;
  let inWhole: boolean | undefined;
  const decoded = (bytes: Buffer[]) => {
    try {
      return decode(Buffer.concat(bytes));
    } catch (error) {
      throw new UsageError(`${path}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: PIECE }) as AsyncIterable<Buffer>) {
      inWhole ??= (chunk[0] === 0xff && chunk[1] === 0xfe) || (chunk[0] === 0xfe && chunk[1] === 0xff);
      const end = inWhole ? -1 : chunk.lastIndexOf(0x0a);
      if (end < 0) {
        rest.push(chunk);
        waiting += chunk.length;
        if (waiting > LARGEST_WHOLE)
          throw new UsageError(
            `${path}: ${inWhole ? "UTF-16 of this size" : "a line of this length"} is not read. Save it as UTF-8, in shorter lines.`,
          );
        continue;
      }
      yield decoded([...rest, chunk.subarray(0, end)]);
      rest = [chunk.subarray(end + 1)];
      waiting = chunk.length - end - 1;
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw notOpened(path, error);
  }
  if (waiting > 0) yield decoded(rest);
}

/** A file that is not there, or that may not be read. */
export const notOpened = (path: string, error: unknown) =>
  new UsageError(
    codeOf(error) === "ENOENT" ? `There is no file ${path}.` : `${path} cannot be opened (${codeOf(error)}).`,
  );

const PIECE = 256 * 1024;
const LARGEST_WHOLE = 64 * 1024 * 1024;
