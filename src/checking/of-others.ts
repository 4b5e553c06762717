import { chineseNames } from "../language/chinese-names.js";
import { anyOf, POINTERS } from "../language/lexicon.js";
import { mentions, mentionsVariant, names } from "../language/names.js";
import { quantities } from "../language/numbers.js";
import { sentences } from "../language/sentences.js";
import { contentTerms } from "../language/tokens.js";

/**
 * Says if the text tells most of a claim only of somebody that the claim does not name: "Vass leads the radio group" over
 * "Nwosu leads the radio group. Vass came from Lund." A sentence without a name that has a pronoun speaks of the names before it.
 */
export function ofOthers(claim: string, text: string): string | undefined {
  const claimed = namesIn(claim);
  const [subject] = claimed;
  if (!subject) return undefined;
  const has = (where: string, name: string) => mentions(where, name) || mentionsVariant(where, name);
  let before: string[] = [];
  const own = new Set<string>();
  const foreign: { name: string; terms: ReadonlySet<string> }[] = [];
  for (const { start, end, kind } of sentences(text)) {
    const sentence = text.slice(start, end);
    const found = namesIn(sentence);
    const about = found.length === 0 && POINTER.test(sentence) ? before : found;
    if (found.length > 0) before = found;
    const rival = about.find((name) => !has(claim, name));
    const terms = contentTerms(sentence);
    if (kind === "heading" || !rival || has(sentence, subject) || about.some((name) => has(name, subject)))
      for (const term of terms) own.add(term);
    else foreign.push({ name: rival, terms: new Set(terms) });
  }
  const named = new Set(contentTerms(claimed.join(" ")));
  const said = contentTerms(claim).filter((term) => !named.has(term));
  const isMost = (terms: ReadonlySet<string>) =>
    said.filter((term) => terms.has(term) && !own.has(term)).length * 2 >= said.length;
  const torn = said.length > 0 && foreign.find(({ terms }) => isMost(terms));
  return torn ? `The source says this of ${torn.name}, not of ${subject}.` : undefined;
}

const POINTER = anyOf(POINTERS);

/** Dates and words in capitals throughout are no names of anybody. */
const namesIn = (text: string): string[] => [
  ...names(text).filter(
    (name) =>
      !/\d|^\p{Lu}+(?:\s|$)/u.test(name) && quantities(`${name} 2000`).every(({ start }) => start >= name.length),
  ),
  ...chineseNames(text).map(({ name }) => name),
];
