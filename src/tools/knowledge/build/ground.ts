import { findQuote } from "../../../language/quotes.js";
import { sentences } from "../../../language/sentences.js";
import { cells, isRow } from "../../../language/tables.js";
import type { Passage } from "../../../types/evidence.js";
import { normaliseName } from "../names.js";
import type { Triple } from "../port.js";
import { cleanTriple } from "./clean.js";

/**
 * The triples that stand in a passage, each once: the quote word for word in its text, both names in the quote. One of the
 * two may instead be what the quote stands under, whole: a heading, the page's title, the head of a column. An alias
 * has to stand anywhere. A quote becomes the passage's own wording. Whoever made the triples is not believed.
 */
export function groundTriples(passage: Passage, given: readonly Triple[]): Triple[] {
  const above = namesAbove(passage);
  const around = `${passage.title}\n\n${passage.section}\n\n${passage.text}`;
  const found = given.flatMap((triple) => {
    const clean = cleanTriple(triple);
    const span = clean && findQuote(passage.text, clean.quote);
    if (!clean || !span || span.end - span.start > LONGEST_QUOTE) return [];
    const quote = passage.text.slice(span.start, span.end);
    const { subject, object } = clean;
    const missing = [subject.name, object.name].filter((name) => !findQuote(quote, name));
    if (missing.length > 1 || missing.some((name) => !above.has(normaliseName(name)))) return [];
    const standing = (aliases: readonly string[]) => aliases.filter((alias) => findQuote(around, alias));
    return [
      {
        ...clean,
        subject: { ...subject, aliases: standing(subject.aliases) },
        object: { ...object, aliases: standing(object.aliases) },
        quote,
      },
    ];
  });
  return [...new Map(found.map((triple) => [sameness(triple), triple])).values()];
}

/** A sentence or a row. A longer quote shows nothing. */
const LONGEST_QUOTE = 1200;

/** What something in the passage may stand under. */
function namesAbove({ title, section, text }: Passage): ReadonlySet<string> {
  const all = sentences(text).map(({ start, end, kind }) => ({ kind, line: text.slice(start, end) }));
  const headings = all.filter(({ kind }) => kind === "heading").map(({ line }) => line);
  const heads = all.filter(({ line, kind }, i) => kind === "row" && isRow(line) && all[i - 1]?.kind !== "row");
  const names = [title, ...section.split(" › "), ...headings, ...heads.flatMap(({ line }) => cells(line))];
  return new Set(names.map(normaliseName).filter((name) => name !== ""));
}

const sameness = ({ subject, predicate, object }: Triple) => JSON.stringify([subject.name, predicate, object.name]);
