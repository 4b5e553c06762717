/**
 * Judges by counting whether a text supports a statement: the text must have every number of the statement and most of
 * its words. It shares no code with the product's checks and knows neither synonyms nor denials, so it finds only what
 * is surely made up.
 */
export function carried(statement: string, text: string): boolean {
  const has = new Set(piecesOf(text));
  const wanted = piecesOf(statement);
  const [numbers, words] = [
    wanted.filter((piece) => IS_NUMBER.test(piece)),
    wanted.filter((piece) => !IS_NUMBER.test(piece)),
  ];
  return (
    numbers.every((number) => has.has(number)) && words.filter((word) => has.has(word)).length >= MOST * words.length
  );
}

/** The sentences of an answer in running text, markers and list marks left out. */
export const statementsIn = (text: string): string[] =>
  text
    .replace(/\s*\[\d+\]/g, "")
    .split(/(?<=[.!?])\s+|(?<=[。！？])|\n+/u)
    .map((sentence) => sentence.replace(/^[-*\d.)\s]+(?=\D)/, "").trim())
    .filter((sentence) => /\p{L}{2}|\p{Script=Han}/u.test(sentence));

/** Words by their first six letters, Chinese by pairs of characters, numbers without their commas. */
function piecesOf(text: string): string[] {
  const folded = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/(?<=\d),(?=\d{3})/g, "");
  const runs = folded.match(/\p{Script=Han}+|[^\P{L}\p{Script=Han}]+|\p{N}+(?:\.\p{N}+)*/gu) ?? [];
  return runs.flatMap((run) => {
    if (!/^\p{Script=Han}/u.test(run)) return IS_NUMBER.test(run) || run.length > 3 ? [run.slice(0, 6)] : [];
    return run.length === 1 ? [run] : [...run].slice(1).map((character, i) => `${[...run][i]}${character}`);
  });
}

const IS_NUMBER = /^\p{N}/u;
/** The share of its words that a statement in other words usually has from its source. */
const MOST = 0.6;
