import { createHash } from "node:crypto";
import { z } from "zod";
import { toError, UsageError } from "../../errors.js";
import { plain } from "../../text/tokens.js";
import type { Entity, Ontology, OntologyTerm, Triple } from "./port.js";

/**
 * Reads an ontology from JSON: `{"entities": ["Person", {"name": "Team", "aliases": ["部门"]}], "relations": [{"name":
 * "leads", "from": "Person", "to": "Team"}]}`.
 * @throws UsageError that says what is wrong with it.
 */
export function parseOntology(text: string, path: string): Ontology {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${path} is not JSON: ${toError(error).message}`);
  }
  const parsed = Written.safeParse(given);
  if (!parsed.success) {
    const flaws = parsed.error.issues.slice(0, 3).map((i) => `${i.path.join(".") || "the file"}: ${i.message}`);
    throw new UsageError(`${path} is no ontology: ${flaws.join("; ")}. See docs/knowledge-graph.md.`);
  }
  const unknown = parsed.data.relations
    .flatMap(({ from, to }) => [from, to])
    .find((type) => type !== undefined && !parsed.data.entities.some(({ name }) => name === type));
  if (unknown !== undefined)
    throw new UsageError(`${path}: "${unknown}" is joined by a relation but is no entity type.`);
  return parsed.data;
}

/** Converts triples to the ontology's terms. Drops triples with an unknown relation, or whose types it does not join. */
export function applyOntology(triples: readonly Triple[], ontology: Ontology | undefined): Triple[] {
  if (!ontology) return [...triples];
  return triples.flatMap((triple) => {
    const relation = termOf(ontology.relations, triple.predicate);
    if (!relation) return [];
    const subject = typed(triple.subject, ontology, relation.from);
    const object = typed(triple.object, ontology, relation.to);
    return subject && object ? [{ ...triple, predicate: relation.name, subject, object }] : [];
  });
}

/** Changes when the ontology does. */
export const ontologyHash = (ontology: Ontology) =>
  createHash("sha256").update(JSON.stringify(ontology)).digest("hex").slice(0, 12);

/** Undefined if the entity has another type than the relation joins. */
function typed(entity: Entity, { entities }: Ontology, wanted: string | undefined): Entity | undefined {
  const type = termOf(entities, entity.type)?.name ?? "";
  if (wanted !== undefined && type !== "" && type !== wanted) return undefined;
  return { ...entity, type: wanted ?? type };
}

const termOf = <T extends OntologyTerm>(terms: readonly T[], said: string) =>
  terms.find(({ name, aliases }) => [name, ...aliases].some((word) => key(word) === key(said)));

/** Gives "reports to", "REPORTS_TO" and "Reports-to" the same key. */
const key = (word: string) =>
  plain(word)
    .replace(/[\s_-]+/g, " ")
    .trim();

const Word = z.string().trim().min(1).max(80);
const WrittenTerm = z.object({ name: Word, aliases: z.array(Word).default([]) });
const WrittenRelation = WrittenTerm.extend({ from: Word.optional(), to: Word.optional() });

/** A term may be written as its name alone. */
const named = <T extends z.ZodType>(term: T) =>
  z.preprocess((given) => (typeof given === "string" ? { name: given } : given), term);
const Written = z.object({
  entities: z.array(named(WrittenTerm)).max(200).default([]),
  relations: z.array(named(WrittenRelation)).min(1).max(200),
});
