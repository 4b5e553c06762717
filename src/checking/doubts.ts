import { chineseNames } from "../facts/chinese-names.js";
import { nearestSentence } from "../facts/mismatches.js";
import { mentions, mentionsVariant, names } from "../facts/names.js";
import { quantities } from "../facts/numbers.js";
import { overstated } from "../facts/strength.js";
import { wordsOf } from "../facts/words.js";
import { anyOf, POINTERS } from "../text/lexicon.js";
import { outlineOf } from "../text/outline.js";
import { contentTerms } from "../text/tokens.js";
import type { ClaimReason } from "../types/claim-reason.js";

/**
 * Says why this text does not support a claim, however similar the words are: the claim goes further than the text, or
 * the text says it of somebody or something else. Undefined if there is no such reason. English and Chinese only.
 * @param quotes the sentences of the text that are nearest to the claim.
 */
export function doubtOf(claim: string, text: string, quotes: readonly string[]): ClaimReason | undefined {
  return (
    overstated(claim, [...quotes, nearestSentence(claim, [text])].join("\n")) ??
    ofOthers(claim, text) ??
    substituted(claim, text, nearestSentence(claim, quotes))
  );
}

/**
 * Finds whether the text says most of a claim only of somebody whom the claim does not name: "Vass leads the radio
 * group" against "Nwosu leads the radio group. Vass came from Lund." A sentence with a pronoun and no name is about the
 * names before it.
 */
function ofOthers(claim: string, text: string): ClaimReason | undefined {
  const claimed = namesIn(claim);
  const [subject] = claimed;
  if (!subject) return undefined;
  const has = (where: string, name: string) => mentions(where, name) || mentionsVariant(where, name);
  let before: string[] = [];
  const own = new Set<string>();
  const foreign: { name: string; terms: ReadonlySet<string> }[] = [];
  for (const { text: sentence, kind } of outlineOf(text)) {
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
  const conflicting = said.length > 0 && foreign.find(({ terms }) => isMost(terms));
  return conflicting ? { code: "of_another", source: conflicting.name, claim: subject } : undefined;
}

/**
 * Finds a subject that replaces another one and that the text mentions elsewhere: "Cats may come on Mondays" against
 * "Dogs may come on Mondays. Cats stay at home."
 */
function substituted(claim: string, text: string, near: string): ClaimReason | undefined {
  const [here, there] = [wordsOf(claim), wordsOf(near)];
  const keys = new Set(there.map(({ key }) => key));
  const own = new Set(here.map(({ key }) => key));
  const elsewhere = new Set(
    outlineOf(text)
      .filter((unit) => unit.text !== near)
      .flatMap((unit) => wordsOf(unit.text).map(({ key }) => key)),
  );
  const i = here.findIndex(({ start, end }) => contentTerms(claim.slice(start, end)).length > 0);
  const subject = here[i];
  if (!subject || keys.has(subject.key) || !elsewhere.has(subject.key)) return undefined;
  const [before, behind] = [here[i - 1]?.key, here[i + 1]?.key];
  const rival = there.find(
    ({ key }, j) =>
      !own.has(key) &&
      !/^(?:any|every|some|no)/.test(key) &&
      there[j - 1]?.key === before &&
      there[j + 1]?.key === behind,
  );
  if (!rival) return undefined;
  const [source, said] = [near.slice(rival.start, rival.end), claim.slice(subject.start, subject.end)];
  return { code: "of_another", source, claim: said };
}

const POINTER = anyOf(POINTERS);

/** Dates and words written all in capitals are not names of anybody. */
const namesIn = (text: string): string[] => [
  ...names(text).filter(
    (name) =>
      !/\d|^\p{Lu}+(?:\s|$)/u.test(name) && quantities(`${name} 2000`).every(({ start }) => start >= name.length),
  ),
  ...chineseNames(text).map(({ name }) => name),
];
