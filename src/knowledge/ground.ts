import { findQuote } from "../text/quotes.js";
import type { Triple } from "../tools/knowledge/port.js";
import type { Passage } from "../types/evidence.js";
import { cleanTriple } from "./clean.js";

/**
 * The triples that stand in a passage, each once: the quote word for word in its text, one of the names in the quote, both in
 * the text or in the headings above it, aliases too. A quote becomes the passage's own wording. Whoever made the triples
 * is not believed.
 */
export function groundTriples(passage: Passage, given: readonly Triple[]): Triple[] {
  const around = `${passage.title}\n\n${passage.section}\n\n${passage.text}`;
  const stands = (name: string) => findQuote(around, name) !== undefined;
  const found = given.flatMap((triple) => {
    const clean = cleanTriple(triple);
    const span = clean && findQuote(passage.text, clean.quote);
    if (!clean || !span || span.end - span.start > LONGEST_QUOTE) return [];
    const quote = passage.text.slice(span.start, span.end);
    const { subject, object } = clean;
    if (!stands(subject.name) || !stands(object.name)) return [];
    if (!findQuote(quote, subject.name) && !findQuote(quote, object.name)) return [];
    const known = (aliases: readonly string[]) => aliases.filter(stands);
    return [
      {
        ...clean,
        subject: { ...subject, aliases: known(subject.aliases) },
        object: { ...object, aliases: known(object.aliases) },
        quote,
      },
    ];
  });
  return [...new Map(found.map((triple) => [sameness(triple), triple])).values()];
}

/** A sentence or a row. A longer quote shows nothing. */
const LONGEST_QUOTE = 1200;

const sameness = ({ subject, predicate, object }: Triple) => JSON.stringify([subject.name, predicate, object.name]);
