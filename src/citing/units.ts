import { languageOf } from "../language/language.js";
import { type Sentence, sentences } from "../language/sentences.js";
import { contentTerms } from "../language/tokens.js";
import type { Language } from "../types/evidence.js";

/** Something that can be cited: a document, a passage, a piece of evidence. */
export interface Citable {
  id: string;
  text: string;
  /** Names what the text is about, which it may not say again. */
  title?: string;
}

/** A sentence of a source, as it is compared. */
export interface Unit extends Sentence {
  /** Its place among the sentences of all sources. */
  at: number;
  source: number;
  text: string;
  language: Language;
  terms: ReadonlySet<string>;
  /** For a row, the place of the first row of its table. */
  head: number | undefined;
}

/** The sentences of all sources, in order. */
export function unitsOf(sources: readonly Citable[]): Unit[] {
  const units: Unit[] = [];
  sources.forEach(({ text }, source) => {
    let head: number | undefined;
    for (const sentence of sentences(text)) {
      const words = text.slice(sentence.start, sentence.end);
      const at = units.length;
      const first = sentence.kind === "row" ? head : undefined;
      head = sentence.kind === "row" ? (head ?? at) : undefined;
      const terms = new Set(contentTerms(words));
      units.push({ ...sentence, at, source, text: words, language: languageOf(words), terms, head: first });
    }
  });
  return units;
}

/** For each word the sentences that have it. */
export function holdersOf(units: readonly Unit[]): ReadonlyMap<string, readonly Unit[]> {
  const holders = new Map<string, Unit[]>();
  for (const unit of units) {
    for (const term of unit.terms) {
      const held = holders.get(term);
      if (held) held.push(unit);
      else holders.set(term, [unit]);
    }
  }
  return holders;
}
