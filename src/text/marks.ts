// How readers of formats write what has no plain text of its own. Every format uses these, so that one rule reads them.

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
