/**
 * Removes the thoughts that some models begin with. An unclosed thought extends to the end of the text. One that is only
 * closed extends to its beginning: some chat templates open it for the model.
 */
export const withoutThoughts = (reply: string) =>
  reply
    .replace(/^\s*<think(?:ing)?>[\s\S]*?(?:<\/think(?:ing)?>|$)/i, "")
    .replace(/^(?:(?!<think)[\s\S])*?<\/think(?:ing)?>/i, "");

/**
 * True if a text ends with the same words five times, whatever source or place in a list they have, or with 200
 * characters of numbers and marks alone: a small model that goes on like this ([1] [2] [3] …) does not stop by itself.
 */
export function isEndless(text: string): boolean {
  if (text.length >= LONGEST_WITHOUT_LETTERS && !/\p{L}/u.test(text.slice(-LONGEST_WITHOUT_LETTERS))) return true;
  const end = text.slice(-2 * TIMES * LONGEST_REPEATED).replace(COUNTED, "[]");
  for (let length = 8; length <= LONGEST_REPEATED && TIMES * length <= end.length; length++) {
    const said = end.slice(-length);
    if (end.startsWith(said, end.length - 2 * length) && end.endsWith(said.repeat(TIMES)) && /\p{L}/u.test(said))
      return true;
  }
  return false;
}

const LONGEST_WITHOUT_LETTERS = 200;
/** In characters. */
const LONGEST_REPEATED = 300;
const TIMES = 5;
/** A marker, or the number of a list entry. */
const COUNTED = /\[\d+\]|(?<=^[ \t]*)\d+[.)]/gm;
