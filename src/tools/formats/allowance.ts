import { TooLargeError } from "./zip.js";

/** In characters. Packed formats hold far more than their size. */
const LARGEST_TEXT = 50_000_000;
/** In characters. A small file is nearly all frame, so that its text may be any multiple of its size. */
const FLOOR = 100_000;
/** Characters a byte. XML packs to a tenth or less, and a text that stands in every row of a sheet is packed once. */
const FACTOR = 100;

/** Returns how many characters a file may become, by its size in bytes. */
export const mostCharacters = (bytes: number) => Math.min(LARGEST_TEXT, FLOOR + FACTOR * bytes);

/** Takes what a reader writes, in characters, from what is left. @throws Error with a message for the user if nothing is. */
export type SpendCharacters = (characters: number) => void;

/** Returns the allowance of a file for what its reader repeats: cells, rows, merged cells, heads of tables. */
export function allowance({ length }: Uint8Array): SpendCharacters {
  const most = mostCharacters(length);
  let spent = 0;
  return (characters) => {
    spent += characters;
    if (spent <= most) return;
    if (most === LARGEST_TEXT)
      throw new TooLargeError(`It holds more than ${LARGEST_TEXT / 1_000_000} million characters.`);
    throw new Error(
      `Its ${length.toLocaleString("en")} bytes become more than ${most.toLocaleString("en")} characters, which only repetition does. Save it without repeated or merged cells, as CSV or plain text.`,
    );
  };
}
