import { said } from "../../language/said.js";
import { contentTerms, terms } from "../../language/tokens.js";
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
  const asked = contentTerms(question);
  const kept: (DistinctPassage & { repeatedIn: ScoredPassage[]; has: ReadonlySet<string> })[] = [];
  for (const passage of passages) {
    const sentences = said(passage.text);
    const headed = new Set(terms(`${passage.title}\n${passage.section}`));
    const named = asked.filter((term) => headed.has(term));
    const better = kept.find(
      ({ text, has }) => sentences.size > 0 && sentences.isSubsetOf(said(text)) && named.every((term) => has.has(term)),
    );
    if (better) better.repeatedIn.push(passage);
    else kept.push({ ...passage, repeatedIn: [], has: new Set(terms(passageText(passage))) });
  }
  return kept.map(({ has: _, ...passage }) => passage);
}
