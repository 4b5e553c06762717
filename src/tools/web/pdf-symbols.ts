import { checkBox } from "../../text/marks.js";

/**
 * Returns a character of a PDF as text: a check box as its mark, a letter of a symbol font as the symbol that it looks
 * like, and a form of a character as that character. Empty for white space and what is not shown.
 */
export const shownAs = (font: string, character: string): string =>
  symbol(font, character)
    .replace(COMPATIBLE, (each) => UPRIGHT.get(each) ?? each.normalize("NFKC"))
    .replace("\u00ad", "-")
    .replace(UNSHOWN, "")
    .trim();

/**
 * Forms of characters that stand for others: ligatures, wide spaces, radicals in place of Chinese characters, and the
 * punctuation of vertical text.
 */
const COMPATIBLE =
  /[\u00a0\u2000-\u200a\u202f\u2f00-\u2fd5\ufb00-\ufb06\ufb1d-\ufdff\ufe10-\ufe19\ufe30-\ufe44\ufe70-\ufefc]/gu;
const UPRIGHT = new Map([..."︐︑︒︓︔︕︖"].map((mark, i) => [mark, "，、。：；！？"[i] ?? mark]));
// biome-ignore lint/suspicious/noControlCharactersInRegex: fonts without a map give such characters.
const UNSHOWN = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\ufffe\uffff]/gu;

function symbol(font: string, character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const letter = code >= 0xf000 && code <= 0xf0ff ? code - 0xf000 : code;
  const shown = /wingdings\s?-?2/i.test(font)
    ? WINGDINGS_2.get(letter)
    : /wingdings/i.test(font)
      ? WINGDINGS.get(letter)
      : /dingbats/i.test(font) && letter > 0x20 && letter < 0x7f
        ? (DINGBATS.get(letter) ?? String.fromCodePoint(0x2700 + letter - 0x20))
        : character === "\uf0b7"
          ? "•"
          : character;
  const isChecked = BOXES.get(shown ?? character);
  return isChecked === undefined ? (shown ?? character) : checkBox(isChecked);
}

const BOXES: ReadonlyMap<string, boolean> = new Map([
  ...[..."☐□◻⬜❏❐❑❒"].map((box) => [box, false] as const),
  ...[..."☑☒✅🗹"].map((box) => [box, true] as const),
]);

const symbols = (codes: readonly number[], shown: string): ReadonlyMap<number, string> =>
  new Map([...shown].map((character, i) => [codes[i] ?? 0, character]));

const WINGDINGS = symbols(
  [0x6c, 0x6e, 0x6f, 0x70, 0x71, 0x72, 0x76, 0x78, 0xa7, 0xa8, 0xd8, 0xfb, 0xfc, 0xfd, 0xfe],
  "●■☐☐☐☐❖☒▪☐➢✗✓☒☑",
);
const WINGDINGS_2 = symbols([0x4f, 0x50, 0x51, 0x52, 0x53, 0x54, 0xa3], "✗✓☒☑☒☒☐");
/** The others follow the order of Unicode. */
const DINGBATS = symbols([0x25, 0x2a, 0x2b, 0x48, 0x6c, 0x6e, 0x73, 0x74, 0x75, 0x77], "☎☛☞★●■▲▼◆◗");
