/** True if the text contains one of the expected answers, in full and in order. */
export const containsAnswer = (text: string, answers: readonly string[]): boolean => {
  const said = asLines(pieces(text));
  return answers.map(pieces).some((wanted) => wanted.length > 0 && said.includes(asLines(wanted)));
};

/**
 * F1 of the pieces that the text shares with the best-matching answer (the measure of SQuAD, and of CMRC for Chinese).
 */
export const overlapF1 = (text: string, answers: readonly string[]): number =>
  Math.max(0, ...answers.map((answer) => f1(pieces(text), pieces(answer))));

/**
 * Splits a text into the pieces that are compared. A number, a word, and each character of a script without spaces is
 * one piece, so that "4分钟" is not found in "14分钟". Case, width, punctuation, white space, English articles and commas
 * inside numbers are ignored.
 */
function pieces(text: string): string[] {
  const folded = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/(?<=\d),(?=\d{3})/g, "");
  return (folded.match(PIECE) ?? []).filter((piece) => !ARTICLES.has(piece));
}

const UNSPACED = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー\\p{Script=Thai}";
const PIECE = new RegExp(`[${UNSPACED}]|(?:(?![${UNSPACED}])\\p{L})+|\\p{N}+(?:\\.\\p{N}+)*`, "gu");

function f1(said: readonly string[], wanted: readonly string[]): number {
  const left = new Map<string, number>();
  for (const piece of wanted) left.set(piece, (left.get(piece) ?? 0) + 1);
  let shared = 0;
  for (const piece of said) {
    const times = left.get(piece) ?? 0;
    if (times > 0) shared += 1;
    left.set(piece, times - 1);
  }
  return shared === 0 ? 0 : (2 * shared) / (said.length + wanted.length);
}

/** Joins pieces with a separator that no piece can contain, also at both ends, so that only whole pieces match. */
const asLines = (parts: readonly string[]) => `\n${parts.join("\n")}\n`;

const ARTICLES: ReadonlySet<string> = new Set(["a", "an", "the"]);
