import { languageOf } from "../text/language.js";
import { among, OPENERS, PARTICLES } from "../text/lexicon.js";
import { plain } from "../text/tokens.js";

/**
 * Finds the names that can be recognised by their form, as written: capitalised English words inside a sentence (joined
 * with their neighbours), acronyms, identifiers, addresses, titles in 《》, and Latin names in Chinese. Returns each name
 * once. In other languages a capital alone does not make a name: German capitalises every noun.
 */
export function names(text: string): string[] {
  if (languageOf(text) === "other")
    return [...new Set(text.match(NAME)?.flatMap((name) => name.split(/[\s-]+/).filter((word) => MARKED.test(word))))];
  const found = [...text.matchAll(NAME)].flatMap((match) => {
    const name = match[0].replace(OPENING, "").replace(/['’]s?$/, "");
    return isName(text, match.index + match[0].indexOf(name), name) ? [name] : [];
  });
  const titled = [...text.matchAll(/[《〈]([^《》〈〉]{1,40})[》〉]/g)].map((match) => match[1] ?? "");
  return [...new Set([...found, ...titled])];
}

/** True if a text has every word of a name, in any order and case. */
export function mentions(text: string, name: string): boolean {
  const folded = ` ${plain(text)} `;
  return wordsOf(name).every((word) => (/\d/.test(word) ? hasCode(folded, word) : folded.includes(word)));
}

/** True if a text has a word with digits that are not those of a longer number: X300, but not in X3000 or in 4.2.10. */
function hasCode(folded: string, word: string): boolean {
  for (let at = folded.indexOf(word); at >= 0; at = folded.indexOf(word, at + 1)) {
    const [before, after] = [
      folded.slice(Math.max(0, at - 2), at),
      folded.slice(at + word.length, at + word.length + 2),
    ];
    const isCut = (/^\d/.test(word) && /\d[.,]?$/.test(before)) || (/\d$/.test(word) && /^[.,]?\d/.test(after));
    if (!isCut) return true;
  }
  return false;
}

/**
 * Finds the members of series: identifiers of letters and digits (X300, ADR-0317, E-4012), and versions (4.2.1). Each
 * once, as written.
 */
export const serialNames = (text: string): string[] => [...new Set(text.match(SERIAL))];

const SERIAL =
  /(?<![\p{L}\p{N}])(?:\p{Lu}[\p{Lu}\p{Ll}]{0,9}[-_]?\d[A-Za-z\d]*(?:[-_.]\p{N}+)*|[vV]?\d+(?:\.\d+){2,})(?![\w\u00c0-\u024f])/gu;

/** Returns the letters and marks of a member of a series, equal for all its members: "x0" for X300. */
export const shapeOf = (name: string): string =>
  plain(name)
    .replace(/^v(?=\d)/, "")
    .replace(/\d+/g, "0");

/**
 * True if a text has a name in another form: a plural or possessive ("Presidents'"), a people for its country ("Libyan"),
 * a compound in parts ("African American"), initials for words or words for initials.
 */
export function mentionsVariant(text: string, name: string): boolean {
  const words = plain(text).match(/[\p{L}\p{N}]+/gu) ?? [];
  const known = new Set(words.map(endless));
  const own = wordsOf(name).flatMap((word) => word.match(/[\p{L}\p{N}]+/gu) ?? []);
  if (own.length > 0 && own.every((word) => known.has(endless(word)))) return true;
  // "US" and "U.S." for United States, and the reverse. Capitals only: "in" does not stand for Isaac Newton.
  const initialsOf = (some: readonly string[]) => some.map((word) => word.charAt(0)).join("");
  const runs = (of: string) => (of.match(/\p{Lu}[\p{Lu}.]+/gu) ?? []).map((run) => plain(run.replaceAll(".", "")));
  return runs(text).includes(initialsOf(own)) || runs(name).some((run) => initialsOf(words).includes(run));
}

/** Removes the ending of a plural, of a possessive, or of a people. */
const endless = (word: string) => word.replace(/(?<=\p{L}{3})(?:ians?|eans?|ans?|ns?|ish|ese|ic|s|i|y|ia|a|ies)$/u, "");

const wordsOf = (name: string) =>
  name
    .split(/\s+/)
    .filter((word) => word !== "" && !UNNAMED.test(word))
    .map((word) => plain(word).replace(/'s$/, ""));

/** Words that a name may omit. A capitalised particle is a name of its own: Zhang Bin. */
const UNNAMED = new RegExp(`^(?:[Tt]he|of|and|${among(PARTICLES)})$`);

const LETTER = "\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}\\p{M}";
const WORD = `(?:\\p{Lu}\\p{Ll}{0,2}\\.(?=[ \\t]+\\p{Lu})|\\p{Lu}[${LETTER}\\p{N}’'&/-]*(?:\\.[${LETTER}\\p{N}’'&/-]+)*|[${LETTER}]+[-_.]?\\p{N}[${LETTER}\\p{N}._-]*)`;
const NAME = new RegExp(
  `(?<![\\w.])[vV]?\\d+(?:\\.\\d+){2,}(?![\\w])|(?<![\\w.+-])[\\w.+-]{1,64}@[\\w-]+(?:\\.[\\w-]+)+|(?<![${LETTER}\\p{N}])${WORD}(?:[ \\t]+(?:of[ \\t]+(?:the[ \\t]+)?|(?:${among(PARTICLES)})[ \\t]+)?${WORD})*(?<![.'’-])`,
  "gu",
);

/**
 * Matches words that are capitalised because they open a sentence, and belong to no name. Before a capital, He, She and
 * You are not pronouns but surnames: 何, 佘, 尤.
 */
const OPENING = new RegExp(`^(?:(?!(?:He|She|You)\\s)(?:A|${OPENERS.join("|")})\\s+)+(?=\\S)`, "u");

/** Matches acronyms, identifiers and addresses, which are names in any language. */
const MARKED = /\p{L}.*\p{N}|\p{N}.*\p{L}|@|\p{Lu}\p{L}*\p{Lu}/u;

/** A single capitalised word at the start of a sentence is not taken for a name. */
function isName(text: string, at: number, name: string): boolean {
  if (/^(?:I|A|I['’](?:m|d|ve|ll)|\p{Lu})$/u.test(name)) return false;
  if (/\s|\p{N}|@|\p{Lu}.*\p{Lu}/u.test(name)) return true;
  return !/(?:^|[.!?:;。！？：；\n"“‘*#|(-])\s*$/u.test(text.slice(Math.max(0, at - 3), at));
}
