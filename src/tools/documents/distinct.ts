import { sentenceSet } from "../../text/sentence-set.js";
import { contentTerms, terms } from "../../text/tokens.js";
import type { ScoredPassage } from "./port.js";
import { passageText } from "./terms.js";

/** A passage with those of the same result that say nothing that it does not say. */
export type DistinctPassage = ScoredPassage & { repeatedIn: readonly ScoredPassage[] };

/**
 * Returns the passages without those that say nothing new: every sentence of theirs stands in a better one. One stays if its
 * title or headings have a word of the question that the better passage lacks: the same words on the Paris and on the
 * London office answer different questions. Similar passages all stay, since a changed amount or name is what a reader has
 * to see.
 */
export function distinct(passages: readonly ScoredPassage[], question: string): DistinctPassage[] {
  const kept: (DistinctPassage & { repeatedIn: ScoredPassage[] })[] = [];
  for (const passage of passages) {
    const better = kept.find((one) => repeats(passage, one) && !isNamed(passage, one, question));
    if (better) better.repeatedIn.push(passage);
    else kept.push({ ...passage, repeatedIn: [] });
  }
  return kept;
}

function repeats(passage: ScoredPassage, better: ScoredPassage): boolean {
  const sentences = sentenceSet(passage.text);
  return sentences.size > 0 && sentences.isSubsetOf(sentenceSet(better.text));
}

/** True if the title or headings of a passage have a word of the question that the better one lacks. */
function isNamed({ title, section }: ScoredPassage, better: ScoredPassage, question: string): boolean {
  const headed = new Set(terms(`${title}\n${section}`));
  const named = new Set(contentTerms(question).filter((term) => headed.has(term)));
  return !named.isSubsetOf(new Set(terms(passageText(better))));
}
