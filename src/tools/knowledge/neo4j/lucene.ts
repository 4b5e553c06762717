import { plainAsWritten } from "../../../text/tokens.js";

/**
 * A full-text query for nodes that are called so or nearly so: the whole name, its words with one or two letters wrong,
 * Chinese by pairs of characters. Empty where there is nothing to look for.
 */
export function nameQuery(name: string): string {
  const words = pieces(name);
  const clauses = words.flatMap(({ text, isHan }) => (isHan ? hanClauses(text) : [quoted(text), ...near(text)]));
  return [...new Set(words.length > 1 ? [`${quoted(bounded(name))}^4`, ...clauses] : clauses)].join(" ");
}

/** A full-text query for nodes whose names may stand in a question: the more of its words the better, in any spelling. */
export function questionQuery(question: string): string {
  const clauses = pieces(question).flatMap(({ text, isHan }) => (isHan ? hanClauses(text) : [quoted(text)]));
  return [...new Set(clauses)].slice(0, MOST_CLAUSES).join(" ");
}

/** Lucene takes 1,024 clauses, and a term with a letter wrong makes up to 50. */
const MOST_CLAUSES = 200;
const LONGEST = 500;

const bounded = (text: string) => plainAsWritten(text.slice(0, LONGEST));

const pieces = (text: string) =>
  [...bounded(text).matchAll(/(?<han>\p{Script=Han}+)|(?:(?!\p{Script=Han})[\p{L}\p{N}\p{M}'])+/gu)]
    .slice(0, 40)
    .map((match) => ({ text: match[0], isHan: match.groups?.han !== undefined }));

/** The index holds single characters; pairs of them are words, or nearly. */
function hanClauses(run: string): string[] {
  const characters = [...run].slice(0, 60);
  const pairs = characters.slice(1).map((character, i) => `"${characters[i]}${character}"^2`);
  return [...pairs, ...characters];
}

/** Inside quotation marks only they and the backslash mean anything. */
const quoted = (text: string) => `"${text.replace(/[\\"]/g, " ")}"`;

function near(word: string): string[] {
  if (!/^[\p{L}\p{N}]{3,40}$/u.test(word)) return [];
  return [`${word}~${word.length < 6 ? 1 : 2}`];
}
