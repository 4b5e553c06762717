import { editDistance } from "../../options.js";

/**
 * Returns the edit distance between a typed name and a key: optimal string alignment (Damerau 1964), which counts
 * swapped neighbours once. Undefined if they differ too much to be a misspelling: by more than 1 for names of four to
 * seven letters, by more than 2 for longer ones, or in any digit. Names with fewer letters have no misspellings.
 */
export function misspelling(typed: string, key: string): number | undefined {
  const most = maxErrors(typed);
  if (most === 0 || Math.abs(typed.length - key.length) > most || digits(typed) !== digits(key)) return undefined;
  const distance = editDistance(typed, key);
  return distance <= most ? distance : undefined;
}

/** Returns how many typing errors a name of this length may have. */
function maxErrors(name: string): 0 | 1 | 2 {
  const letters = lettersOf(name);
  if (letters < 4 || name.length > MAX_TYPED_LENGTH) return 0;
  return letters < 8 ? 1 : 2;
}

const lettersOf = (name: string) => name.match(/\p{L}/gu)?.length ?? 0;

/** In characters. People copy longer names instead of typing them. */
const MAX_TYPED_LENGTH = 60;

const digits = (name: string) => name.replace(/[^\p{N}]+/gu, " ").trim();

/**
 * Returns the index terms that find a key when it is misspelt: its trigrams, and for a short key every form with one
 * letter left out. One error in a short name changes most of its trigrams, but two names that differ by one error
 * become the same if the right letter of each is left out (Mor and Fraenkel 1982).
 */
export function gramsOfName(key: string): string[] {
  const letters = lettersOf(key);
  if (letters < 3 || key.length > MAX_TYPED_LENGTH + 2) return [];
  return [...trigrams(key), ...(letters <= 8 ? shortened(key) : [])];
}

/** Returns the terms that a misspelt key shares with the correct one; none for a name too short to correct. */
export function gramsOfTyped(key: string): string[] {
  const most = maxErrors(key);
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
