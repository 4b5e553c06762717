import { plainWords } from "../../text/markup.js";
import { memoize } from "../../text/memoize.js";
import { outlineOf } from "../../text/outline.js";
import { asks } from "../../text/prose.js";
import { contentTerms, plain, terms } from "../../text/tokens.js";
import type { ScoredPassage } from "./port.js";
import { passageText } from "./terms.js";

/** A passage, and the passages of the same result that only repeat it. */
export type DistinctPassage = ScoredPassage & { repeatedIn: readonly ScoredPassage[] };

/**
 * Removes passages that say nothing new: each of their sentences is in one better passage. A passage stays if its title
 * or headings contain a word of the question that the better passage lacks: the same words about the Paris and the
 * London office answer different questions. Passages that are merely similar stay, since readers must see a changed
 * amount or name. Passages that say nothing at all come last.
 */
export function distinct(passages: readonly ScoredPassage[], question: string): DistinctPassage[] {
  const kept: (DistinctPassage & { repeatedIn: ScoredPassage[] })[] = [];
  for (const passage of passages) {
    const better = kept.find((one) => repeats(passage, one) && !isNamed(passage, one, question));
    if (better) better.repeatedIn.push(passage);
    else kept.push({ ...passage, repeatedIn: [] });
  }
  return kept.toSorted((a, b) => Number(saysNothing(a)) - Number(saysNothing(b)));
}

/**
 * True if there are only headings and questions, such as the title of a chapter or a quiz: these have the words of many
 * questions, and answer none.
 */
const saysNothing = ({ text }: ScoredPassage) =>
  outlineOf(text).every((unit) => unit.kind === "heading" || asks(unit.text));

function repeats(passage: ScoredPassage, better: ScoredPassage): boolean {
  const sentences = sentenceSet(passage.text);
  return sentences.size > 0 && sentences.isSubsetOf(sentenceSet(better.text));
}

/** True if the title or headings of a passage contain a word of the question that the better one lacks. */
function isNamed({ title, section }: ScoredPassage, better: ScoredPassage, question: string): boolean {
  const headed = new Set(terms(`${title}\n${section}`));
  const named = new Set(contentTerms(question).filter((term) => headed.has(term)));
  return !named.isSubsetOf(new Set(terms(passageText(better))));
}

/**
 * Returns the sentences, rows, items and headings of a text, normalised: two that differ only in case, width, accents,
 * line breaks, Markdown marks or their last mark are the same. A different word or amount makes a different sentence.
 */
export const sentenceSet: (text: string) => ReadonlySet<string> = memoize(
  (text) => new Set(outlineOf(text).map((unit) => plain(plainWords(unit.text)).replace(/[\s.。!！;；]+$/u, ""))),
);
