// How readers of formats write what plain text has no sign for, and how these marks are read. One rule for all formats.

const RAISED: Readonly<Record<string, string>> = Object.fromEntries(
  [..."0123456789+-−=()ni"].map((plain, i) => [plain, [..."⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ"][i] ?? plain]),
);

/**
 * Writes superscript text: "5" as "⁵", so that 10⁵ is not 105. Text of which a character has no superscript of its own
 * becomes "^(a+b)", and an ordinal ending ("nd", "th") or a mark such as "*" stays as it is.
 */
export function superscript(text: string): string {
  const words = text.trim();
  if (words === "" || /^(?:st|nd|rd|th|er|re|e|o|a|º|ª|TM|SM|[*†‡§¶®©™]+)$/i.test(words)) return text;
  const raised = [...words].map((character) => RAISED[character]);
  if (raised.every((character) => character !== undefined)) return text.replace(words, () => raised.join(""));
  return text.replace(words, () => (/^[\p{L}\p{N}]$/u.test(words) ? `^${words}` : `^(${words})`));
}

/** Writes text that is struck out, as Markdown. Blank text stays as it is. */
export const struckOut = (text: string): string =>
  text.replaceAll("~~", "").replace(/\S(?:[^\n]*\S)?/g, (words) => `~~${words}~~`);

/** The mark of a check box, as in Markdown's lists of tasks. */
export const checkBox = (isChecked: boolean): string => (isChecked ? "[x]" : "[ ]");

/** Writes the signs of check boxes as `checkBox` does. */
export const signsAsBoxes = (text: string): string =>
  (text.includes("□") ? text.replace(SQUARES, squaresAsSigns) : text)
    .replace(/(?<=[\p{L}\p{N}])(?=[☐☑☒])/gu, " ")
    .replace(/[☐☑☒](?=(\S)?)/g, (sign, next) => checkBox(sign !== "☐") + (next === undefined ? "" : " "));

const BEFORE_WORD = "(?=\\p{Script=Han}|[ \\u3000][\\p{L}\\p{N}])";
/** A line or cell whose first square begins it, or follows a space or a mark, and stands before a word: □是 ■否. */
const SQUARES = new RegExp(`(?:^|(?<=[\\n|]))[^□■\\n|]*(?<![\\p{L}\\p{N}])[□■]${BEFORE_WORD}[^\\n|]*`, "gu");
const SQUARE = new RegExp(`[□■]${BEFORE_WORD}`, "gu");

const squaresAsSigns = (line: string): string =>
  /[□☐]/.test(line) ? line.replace(SQUARE, (square) => (square === "□" ? "☐" : "☑")) : line;

/** Returns the words that an answer may repeat: without struck-out text, and with signs as check boxes. */
export const withMarksRead = (text: string): string =>
  text.replace(STRUCK, "").replace(BOX, (box) => (box === "[ ]" ? "☐" : "☑"));

/** A box before or after its label, or alone in a cell; not a link. */
const BOX = /(?<![^\s|>~])\[[ xX]\](?=[\s|~]|$)/g;

/** Markdown's struck-out text, in one paragraph. */
const STRUCK = /(?<![~\\])~~(?=[^\s~])(?:[^\n~]|~(?!~)|\n(?!\s*\n))*~~(?!~)/g;

/**
 * Returns what a text states, for whoever judges it; it keeps its length, so offsets stay. Struck-out text becomes
 * blank, an unticked box "not", as in "not the review is approved", and an option that is not ticked becomes blank:
 * "Trailer: Yes". A box alone in a cell becomes "yes" or "no".
 */
export function inForce(text: string): string {
  if (!/~~|\[[ xX]\]|[☐☑☒]/.test(text)) return text;
  return text.replace(STRUCK, blank).replace(/[^\n|]+/g, cellInForce);
}

const blank = (text: string) => text.replace(/[^\n]/g, " ");

const SIGNS = /\[[ xX]\](?=\s|$)|[☐☑☒]/g;
const isTicked = (sign: string) => !/^\[ \]$|☐/.test(sign);

/** Reads the boxes of a line or of a cell of a table. */
function cellInForce(cell: string): string {
  const boxes = [...cell.matchAll(SIGNS)].filter(
    ({ index }) => index === 0 || /[\s>:：(（,，;；]/.test(cell[index - 1] ?? ""),
  );
  const [first] = boxes;
  if (!first) return cell;
  const before = cell.slice(0, first.index);
  const isFirst = !/[\p{L}\p{N}]/u.test(before) || /^\s*\(?\d{1,3}[.)]\s+$/.test(before);
  const label = cell.slice(first.index + first[0].length);
  if (boxes.length === 1 && !/[\p{L}\p{N}]/u.test(label))
    return before + fitted(isTicked(first[0]) ? "yes" : "no", first[0]) + label;
  if (isFirst && boxes.length === 1) {
    const denial = /^\s*\p{Script=Han}/u.test(label) ? "未" : first[0].length === 1 ? "非" : "not";
    return before + fitted(isTicked(first[0]) ? "" : denial, first[0]) + label;
  }
  // In "Yes [x] No [ ]", labels come first; in "Trailer: [x] Yes [ ] No", boxes do.
  const ends = boxes.map(({ index, 0: { length } }) => index + length);
  const isAfter = !/[\p{L}\p{N}]/u.test(cell.slice(ends.at(-1))) && !/[:：]\s*$/.test(before);
  let read = "";
  let at = 0;
  boxes.forEach(({ index, 0: box }, i) => {
    const next = boxes[i + 1]?.index ?? cell.length;
    if (isAfter) {
      const own = cell.slice(at, index);
      read += (isTicked(box) ? own : blank(own)) + blank(box);
      at = index + box.length;
    } else {
      const own = cell.slice(index + box.length, next);
      read += cell.slice(at, index) + blank(box) + (isTicked(box) ? own : blank(own));
      at = next;
    }
  });
  return read + cell.slice(at);
}

const fitted = (word: string, box: string) => word.slice(0, box.length).padEnd(box.length);

/** Marks words of which a reader of scans is not sure, as editors do: "over." becomes "over [?].". */
export const uncertain = (text: string): string => {
  const words = text.replace(/[.,;:!?、。，；：！？]+$/, "");
  return `${words} ${DOUBT}${text.slice(words.length)}`.trimStart();
};

const DOUBT = "[?]";

/** True if a text has words that were read with doubt. */
export const isUncertain = (text: string): boolean => text.includes(DOUBT);
