import { UsageError } from "../../errors.js";
import { normaliseName, rememberedKeys } from "./names.js";
import type { Entity, Triple, TripleSource } from "./port.js";

export interface Given {
  source: TripleSource;
  triples: readonly Triple[];
}

/**
 * Validates and normalises what is to be stored, so that every adapter can keep it. Names, types and relations lose control
 * characters and outer spaces. Of two sources with the same id the later is kept, of two equal triples the first. Aliases
 * with the key of the name are dropped.
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
      const { subject, predicate, object, quote } = checked;
      const key = JSON.stringify([keyOf(subject.name), predicate, keyOf(object.name), quote]);
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
  const parts = { subject: checked.subject.name, relation: checked.predicate, object: checked.object.name };
  for (const [part, value] of Object.entries(parts))
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
