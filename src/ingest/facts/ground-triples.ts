import { visible } from "../../text/decode.js";
import { outlineOf } from "../../text/outline.js";
import { findQuote } from "../../text/quotes.js";
import { cells } from "../../text/tables.js";
import { hasWords } from "../../text/tokens.js";
import { normaliseName } from "../../tools/knowledge/names.js";
import type { Entity, Triple } from "../../tools/knowledge/port.js";
import type { Passage } from "../../types/evidence.js";

/**
 * Keeps the triples that a passage supports, each once: the quote occurs verbatim in the text, and both names occur in
 * the quote. One of the two may instead be a whole heading of the section, the page or a column. Aliases must occur
 * somewhere in the passage. Quotes get the passage's own wording. All triples are untrusted, even without a model.
 */
export function groundTriples(passage: Passage, given: readonly Triple[]): Triple[] {
  const above = namesAbove(passage);
  const around = `${passage.title}\n\n${passage.section}\n\n${passage.text}`;
  const found = given.flatMap((triple) => {
    const clean = cleanTriple(triple);
    const span = clean && findQuote(passage.text, clean.quote);
    if (!clean || !span || span.end - span.start > MAX_QUOTE_LENGTH) return [];
    const quote = passage.text.slice(span.start, span.end);
    const { subject, object } = clean;
    const missing = [subject.name, object.name].filter((name) => !findQuote(quote, name));
    if (missing.length > 1 || missing.some((name) => !above.has(normaliseName(name)))) return [];
    const supported = (entity: Entity) => ({
      ...entity,
      aliases: entity.aliases.filter((alias) => findQuote(around, alias)),
    });
    return [{ ...clean, subject: supported(subject), object: supported(object), quote }];
  });
  return [...new Map(found.map((triple) => [tripleKey(triple), triple])).values()];
}

/** In characters. A quote longer than a sentence or a row proves nothing. */
const MAX_QUOTE_LENGTH = 1200;

/** Returns the keys of all headings in and above the passage. */
function namesAbove({ title, section, text }: Passage): ReadonlySet<string> {
  const inText = outlineOf(text).flatMap((unit) =>
    unit.kind === "heading" ? [unit.text] : unit.kind === "row" && !unit.head ? cells(unit.text) : [],
  );
  const names = [title, ...section.split(" › "), ...inText];
  return new Set(names.map(normaliseName).filter((name) => name !== ""));
}

const tripleKey = ({ subject, predicate, object }: Triple) => JSON.stringify([subject.name, predicate, object.name]);

/**
 * Returns the review date as a triple. It comes from the front matter, which no passage contains, so there is no quote.
 */
export function aboutDocument({ position, title, reviewedAt, language }: Passage): Triple[] {
  if (position > 0 || reviewedAt === "" || title === "") return [];
  const words =
    language === "zh" ? { type: "文档", predicate: "审阅日期" } : { type: "Document", predicate: "review date" };
  const triple = cleanTriple({
    subject: { name: title, type: words.type, aliases: [] },
    predicate: words.predicate,
    object: { name: reviewedAt, type: "", aliases: [] },
    quote: "",
  });
  return triple ? [triple] : [];
}

/**
 * Cleans a triple for storing: puts names and relation on one line, removes invisible characters, and limits aliases
 * and types. Returns undefined if a name or the relation has no letter or digit, or is too long.
 */
export function cleanTriple({ subject, predicate, object, quote }: Triple): Triple | undefined {
  const [from, relation, to] = [cleanEntity(subject), oneLine(predicate), cleanEntity(object)];
  if (!from || !to || !hasWords(relation) || relation.length > MAX_RELATION_LENGTH) return undefined;
  return { subject: from, predicate: relation, object: to, quote: visible(quote).trim() };
}

/** In characters. A plain value may be a short sentence. */
export const MAX_NAME_LENGTH = 200;
export const MAX_RELATION_LENGTH = 80;
const MAX_TYPE_LENGTH = 60;
const MAX_ALIASES = 20;

function cleanEntity({ name, type, aliases }: Entity): Entity | undefined {
  const clean = oneLine(name);
  if (!hasWords(clean) || clean.length > MAX_NAME_LENGTH) return undefined;
  const others = aliases.map(oneLine).filter((alias) => hasWords(alias) && alias.length <= MAX_NAME_LENGTH);
  const kind = oneLine(type);
  return {
    name: clean,
    type: kind.length <= MAX_TYPE_LENGTH ? kind : "",
    aliases: [...new Set(others)].filter((alias) => alias !== clean).slice(0, MAX_ALIASES),
  };
}

const oneLine = (text: string) => visible(text).replace(/\s+/g, " ").trim();
