import type { GraphSchema } from "./port.js";

/** What triples hold: their types and relations, and plain values as properties of what has them. */
export function graphSchema(
  triples: Iterable<{ subject: { type: string }; predicate: string; object: { type: string } }>,
): GraphSchema {
  const properties = new Map<string, Set<string>>();
  const relations = new Map<string, { type: string; from: string; to: string; properties: [] }>();
  const label = (type: string) => {
    const known = properties.get(type) ?? new Set<string>();
    if (type !== "") properties.set(type, known);
    return known;
  };
  for (const { subject, predicate, object } of triples) {
    label(object.type);
    if (object.type === "") label(subject.type).add(predicate);
    else label(subject.type);
    const relation = { type: predicate, from: subject.type, to: object.type, properties: [] as [] };
    relations.set(JSON.stringify(relation), relation);
  }
  const nodes = [...properties].map(([label, names]) => ({
    label,
    properties: [...names].sort().map((name) => ({ name, type: "String" })),
  }));
  return {
    nodes: nodes.sort((a, b) => (a.label < b.label ? -1 : 1)),
    relations: [...relations].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, relation]) => relation),
  };
}
