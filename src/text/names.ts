import { plain } from "./tokens.js";

/**
 * The names in a text that code can tell for sure, as written: English words with a capital inside a sentence (joined
 * with their neighbours), acronyms, identifiers, e-mail and other addresses, titles in 《》, and Latin names in Chinese.
 */
export function names(text: string): string[] {
  const found = [...text.matchAll(NAME)].filter((match) => isName(text, match)).map((match) => match[0]);
  const titled = [...text.matchAll(/[《〈]([^《》〈〉]{1,40})[》〉]/g)].map((match) => match[1] ?? "");
  return [...new Set([...found, ...titled])];
}

/** Whether a name stands in a text, whatever its case; each of its words will do, in any order, near or far. */
export function mentions(text: string, name: string): boolean {
  const folded = ` ${plain(text)} `;
  return wordsOf(name).every((word) => folded.includes(word));
}

const wordsOf = (name: string) =>
  plain(name)
    .split(/[\s]+/)
    .map((word) => word.replace(/'s$/, ""))
    .filter((word) => word !== "" && !/^(?:the|of|and|de|van|von|la|le)$/.test(word));

const LETTER = "\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}\\p{M}";
const WORD = `(?:\\p{Lu}[${LETTER}\\p{N}’'&./-]*|[${LETTER}]+[-_.]?\\p{N}[${LETTER}\\p{N}._-]*)`;
const NAME = new RegExp(
  `[\\w.+-]+@[\\w-]+(?:\\.[\\w-]+)+|(?<![${LETTER}\\p{N}])${WORD}(?:[ \\t]+(?:(?:of|the|de|van|von|la|le|and)[ \\t]+)?${WORD})*(?<![.'’-])`,
  "gu",
);

/** A single capitalised word that opens a sentence may be any word. */
function isName(text: string, match: RegExpExecArray): boolean {
  const name = match[0];
  if (/\s/.test(name) || /\p{N}|@|\p{Lu}.*\p{Lu}/u.test(name)) return !/^(?:I|A)$/.test(name);
  if (/^(?:I|I'm|I’m|I'd|I've)$/.test(name)) return false;
  const before = text.slice(Math.max(0, match.index - 3), match.index);
  return !/(?:^|[.!?:;。！？：；\n"“‘*#|(-])\s*$/u.test(before);
}
