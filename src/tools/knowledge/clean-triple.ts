import { visible } from "../../text/decode.js";
import { hasWords } from "../../text/tokens.js";
import type { Entity, Triple } from "./port.js";

/**
 * Cleans a triple for storing: names and relation on one line, without invisible characters, aliases and type bounded.
 * Returns undefined if a name or the relation has no letter or digit, or is too long.
 */
export function cleanTriple({ subject, predicate, object, quote }: Triple): Triple | undefined {
  const [from, relation, to] = [cleanEntity(subject), oneLine(predicate), cleanEntity(object)];
  if (!from || !to || !hasWords(relation) || relation.length > LONGEST_RELATION) return undefined;
  return { subject: from, predicate: relation, object: to, quote: visible(quote).trim() };
}

/** In characters; a plain value may be a short sentence. */
export const LONGEST_NAME = 200;
export const LONGEST_RELATION = 80;
const LONGEST_TYPE = 60;
const MOST_ALIASES = 20;

function cleanEntity({ name, type, aliases }: Entity): Entity | undefined {
  const clean = oneLine(name);
  if (!hasWords(clean) || clean.length > LONGEST_NAME) return undefined;
  const others = aliases.map(oneLine).filter((alias) => hasWords(alias) && alias.length <= LONGEST_NAME);
  const kind = oneLine(type);
  return {
    name: clean,
    type: kind.length <= LONGEST_TYPE ? kind : "",
    aliases: [...new Set(others)].filter((alias) => alias !== clean).slice(0, MOST_ALIASES),
  };
}

const oneLine = (text: string) => visible(text).replace(/\s+/g, " ").trim();
