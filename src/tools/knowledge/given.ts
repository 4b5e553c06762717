import { UsageError } from "../../errors.js";
import { normaliseName, rememberedKeys } from "./names.js";
import type { Entity, Triple, TripleSource } from "./port.js";

export interface Given {
  source: TripleSource;
  triples: readonly Triple[];
}

/**
 * What is to be stored, in a form that every graph can keep: names, types and relations without control characters and
 * without spaces around them, sources and triples once each (of two sources with one id the later, of two equal triples
 * the first), aliases only where they are other names.
 * @throws UsageError for a source without an id, or a triple without a subject, a relation or an object.
 */
export function checkedGiven(given: readonly Given[]): Given[] {
  const keyOf = rememberedKeys();
  const sources = new Map(given.map((one) => [one.source.id, one]));
  return [...sources].map(([id, { source, triples }]) => {
    if (id.trim() === "") throw new UsageError("A source of triples has no id. Give every source an id of its own.");
    const found = new Map<string, Triple>();
    for (const [i, triple] of triples.entries()) {
      const checked = checkedTriple(triple, `Triple ${i + 1} of ${JSON.stringify(id.slice(0, 100))}`);
      const key = JSON.stringify([
        keyOf(checked.subject.name),
        checked.predicate,
        keyOf(checked.object.name),
        checked.quote,
      ]);
      if (!found.has(key)) found.set(key, checked);
    }
    return { source, triples: [...found.values()] };
  });
}

function checkedTriple({ subject, predicate, object, quote }: Triple, where: string): Triple {
  const checked = {
    subject: checkedEntity(subject),
    predicate: clean(predicate),
    object: checkedEntity(object),
    quote: quote.toWellFormed(),
  };
  for (const [part, value] of [
    ["subject", checked.subject.name],
    ["relation", checked.predicate],
    ["object", checked.object.name],
  ])
    if (value === "") throw new UsageError(`${where} has no ${part}. Fill it in or leave the triple out.`);
  return checked;
}

function checkedEntity({ name, type, aliases }: Entity): Entity {
  const cleaned = clean(name);
  if (aliases.length === 0) return { name: cleaned, type: clean(type), aliases: [] };
  const others = new Map(aliases.map((alias) => [normaliseName(clean(alias)), clean(alias)]));
  others.delete("");
  others.delete(normaliseName(cleaned));
  return { name: cleaned, type: clean(type), aliases: [...others.values()] };
}

const clean = (text: string) =>
  text
    .toWellFormed()
    .replace(/\p{Cc}+/gu, " ")
    .trim();
