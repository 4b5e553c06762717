/**
 * How far a key is from what was typed, in letters added, left out, replaced or swapped with a neighbour; undefined
 * where it is more than a slip: over 1 for four to seven letters, over 2 for eight and more, any for fewer, and any
 * difference in a digit. Optimal string alignment (Damerau 1964).
 */
export function misspelling(typed: string, key: string): number | undefined {
  const most = slips(typed);
  if (most === 0 || Math.abs(typed.length - key.length) > most || digits(typed) !== digits(key)) return undefined;
  const distance = alignment([...typed], [...key]);
  return distance <= most ? distance : undefined;
}

/** How many slips of the keyboard a name of this length may hold. */
function slips(name: string): 0 | 1 | 2 {
  const letters = lettersOf(name);
  if (letters < 4 || name.length > LONGEST_TYPED) return 0;
  return letters < 8 ? 1 : 2;
}

const lettersOf = (name: string) => name.match(/\p{L}/gu)?.length ?? 0;

/** In characters; what is longer is copied rather than typed. */
const LONGEST_TYPED = 60;

const digits = (name: string) => name.replace(/[^\p{N}]+/gu, " ").trim();

function alignment(a: readonly string[], b: readonly string[]): number {
  let before: number[] = [];
  let row = [0, ...b.map((_, j) => j + 1)];
  a.forEach((letter, i) => {
    const next = [i + 1];
    b.forEach((other, j) => {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      const isSwapped = i > 0 && j > 0 && letter === b[j - 1] && a[i - 1] === other;
      const swapped = isSwapped ? (before[j - 1] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, swapped));
    });
    [before, row] = [row, next];
  });
  return row.at(-1) ?? 0;
}

/**
 * What a key is found by where it is misspelt, as terms of an index: its trigrams, and of a short key every form with one
 * letter left out. One slip in a short name spoils most of its trigrams; but two names that are one slip apart become the
 * same when the right letter of each is left out (Mor and Fraenkel 1982).
 */
export function gramsOfName(key: string): string[] {
  const letters = lettersOf(key);
  if (letters < 3 || key.length > LONGEST_TYPED + 2) return [];
  return [...trigrams(key), ...(letters <= 8 ? shortened(key) : [])];
}

/** The terms that a misspelt key shares with the one it is meant for; none for what cannot be misspelt. */
export function gramsOfTyped(key: string): string[] {
  const most = slips(key);
  if (most === 0) return [];
  return most === 1 ? shortened(key) : trigrams(key);
}

function trigrams(key: string): string[] {
  const letters = ["_", ...lettersIn(key), "_"];
  return [...new Set(letters.slice(2).map((letter, i) => `${letters[i]}${letters[i + 1]}${letter}`))];
}

function shortened(key: string): string[] {
  const letters = lettersIn(key);
  return [...new Set([key, ...letters.map((_, i) => letters.toSpliced(i, 1).join(""))])].map(
    (form) => `-${form.replaceAll(" ", "_")}`,
  );
}

/** The index splits terms at white space. */
const lettersIn = (key: string) => [...key.replaceAll(" ", "_")];
