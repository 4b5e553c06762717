import { checkBox } from "../../text/marks.js";

/**
 * Returns a character of a PDF, or the mark of a check box if it is one: ☐ ☑ ☒, or a letter of a symbol font that looks
 * like one.
 */
export function boxIn(font: string, character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const letter = code >= 0xf000 && code <= 0xf0ff ? code - 0xf000 : code;
  const marks = /wingdings/i.test(font) ? (/wingdings\s?-?2/i.test(font) ? WINGDINGS_2 : WINGDINGS) : UNICODE;
  const isChecked = marks.get(letter) ?? UNICODE.get(code);
  return isChecked === undefined ? character : checkBox(isChecked);
}

const boxes = (empty: readonly number[], checked: readonly number[]): ReadonlyMap<number, boolean> =>
  new Map([...empty.map((code) => [code, false] as const), ...checked.map((code) => [code, true] as const)]);

const UNICODE = boxes([0x2610, 0x25a1, 0x25fb, 0x2b1c, 0x274f, 0x2750, 0x2751, 0x2752], [0x2611, 0x2612, 0x2705, 0x1f5f9]);
const WINGDINGS = boxes([0x6f, 0x70, 0x71, 0x72, 0xa8], [0x78, 0xfd, 0xfe]);
const WINGDINGS_2 = boxes([0xa3], [0x51, 0x52, 0x53, 0x54]);
