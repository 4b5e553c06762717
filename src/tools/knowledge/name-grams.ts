import { LONGEST_TYPED, lettersOf, slips } from "./misspelling.js";

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
