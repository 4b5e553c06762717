import { createHash } from "node:crypto";
import { contentTerms } from "../../../language/tokens.js";
import type { GraphRow, GraphValue } from "../../../types/graph.js";
import { namesIn, normaliseName } from "../names.js";
import { type FoundFact, predicateWords } from "../rank-facts.js";
import { type FoundNode, type FoundRelations, OTHERS } from "./neighbourhood.js";
import { displayName, isNameKey, isNumberKey } from "./node-names.js";

/** A fact, with the nodes at its other end, and the source it is from by its id. */
export type GraphFact = FoundFact & { ends: readonly string[]; sourceId: string; quotes: readonly string[] };

/** The properties of a node of the users' own. The entities that emend makes have none but their names. */
export function propertyFacts(
  node: FoundNode,
  hops: 1 | 2,
  provenance: { cypher: string; parameters: GraphRow },
): GraphFact[] {
  if (node.isOwn) return [];
  const entity = displayName(node);
  const type = typeOf(node);
  return Object.entries(node.properties).flatMap(([key, value]) => {
    const isName = isNameKey(key, node.labels) && texts(value).every((text) => entity.includes(text));
    // The numbers that tables are joined by say nothing of a related thing.
    const isLeftOut = isName || (hops === 2 && isNumberKey(key));
    const id = idOf(isNumberKey(key) ? 4 : 2, [node.id, key]);
    const said = { id, entity, ...type, key, value, hops, provenance, row: { entity, [key]: value } };
    return isLeftOut ? [] : valueFact(said);
  });
}

/** What one relation of a node tells, and, where the question bears on it, what the relation says of itself. */
export function relationFacts(
  node: FoundNode,
  group: FoundRelations,
  hops: 1 | 2,
  { question, linked }: { question: string; linked: readonly string[] },
): GraphFact[] {
  const entity = displayName(node);
  const { type: predicate, direction, source, total, cypher, parameters } = group;
  const ends = group.others.map((other) => ({
    ...other,
    name: displayName(other),
    relation: source === "" ? other.relation : {},
  }));
  const others = [...new Set(ends.map(({ name }) => name))].filter((name) => name !== "");
  if (others.length === 0) return [];
  const sides = (name: string) => (direction === "out" ? [entity, name] : [name, entity]);
  const row = ({ name, relation, quotes, called }: (typeof ends)[number]): GraphRow => {
    const [from = "", to = ""] = sides(name);
    const words = quotes.filter((quote) => quote !== "");
    const asSaid = [...new Set(called)].filter((one) => one !== from && one !== to);
    return {
      ...{ from, relation: predicate, to, ...relation },
      ...(words.length > 0 && { quotes: words }),
      ...(asSaid.length > 0 && { called: asSaid }),
    };
  };
  // In emend's own graph by the name that the source uses, so that what others say of the entity does not change it.
  const known = ends.flatMap(({ called }) => called.filter((_, i) => i % 2 === (direction === "out" ? 0 : 1)));
  const subject = source === "" ? node.id : (known.map(normaliseName).sort()[0] ?? node.id);
  const provenance = { cypher, parameters };
  const found: GraphFact = {
    id: idOf(1, [subject, predicate, direction, source]),
    ...{ entity, ...typeOf(node), predicate, direction, others, hops, ...otherTypeOf(ends) },
    // Different nodes of the same name are one name to a reader, but several things.
    total: Math.max(total, others.length),
    provenance: { ...provenance, rows: ends.map(row) },
    ends: ends.filter((end) => !isValue(end)).map(({ id }) => id),
    sourceId: source,
    quotes: [...new Set(ends.flatMap(({ quotes }) => quotes))].filter((quote) => quote !== ""),
  };
  const linkedEnds = ends.filter(({ id }) => linked.includes(id));
  const telling =
    linkedEnds.length > 0 ? linkedEnds : ends.filter(({ relation }) => bearsOn(question, relation, ends.length <= FEW));
  const details = telling.flatMap((end) =>
    Object.entries(end.relation).flatMap(([key, value]) => {
      const between = direction === "out" ? [node.id, end.id] : [end.id, node.id];
      const [from = "", to = ""] = sides(end.name);
      return valueFact({
        ...{
          id: idOf(3, [...between, predicate, key]),
          entity: `${from} ${predicate} ${to}`,
          key,
          value,
          hops,
          provenance,
        },
        row: row(end),
      });
    }),
  );
  // What both ends would tell is told by the one it goes out from.
  return direction === "in" && linkedEnds.length === ends.length ? details : [found, ...details];
}

const typeOf = ({ labels: [entityType] }: FoundNode) => (entityType === undefined ? {} : { entityType });

/** The label that all at the other end have; one that is named first is not meant more than another. */
function otherTypeOf(ends: readonly { labels: readonly string[] }[]): { otherType?: string } {
  const [first, ...rest] = ends;
  const shared = first?.labels.filter((label) => rest.every(({ labels }) => labels.includes(label))) ?? [];
  return shared[0] === undefined ? {} : { otherType: shared[0] };
}

interface Value {
  id: string;
  entity: string;
  entityType?: string;
  key: string;
  value: GraphValue;
  hops: 1 | 2;
  provenance: { cypher: string; parameters: GraphRow };
  row: GraphRow;
}

function valueFact({ id, entity, entityType, key, value, hops, provenance, row }: Value): GraphFact[] {
  const others = texts(value);
  if (others.length === 0) return [];
  return [
    {
      ...{ id, entity, predicate: key, direction: "out", others, total: others.length, hops },
      ...(entityType !== undefined && { entityType }),
      provenance: { ...provenance, rows: [row] },
      ...{ ends: [], sourceId: "", quotes: [] },
    },
  ];
}

/** Of more relations it is not told what each says of itself, unless the question has the very value. */
const FEW = 12;

/** Whether the value of a relation's own property, or where there are few the property, is what the question asks about. */
function bearsOn(question: string, relation: GraphRow, areFew: boolean): boolean {
  const asked = new Set(contentTerms(question));
  return Object.entries(relation).some(
    ([key, value]) =>
      (areFew && contentTerms(predicateWords(key)).some((term) => asked.has(term))) ||
      namesIn(question, texts(value)).length > 0,
  );
}

/** A date or an amount: whatever else has the same is not related by that. */
const isValue = (end: { labels: readonly string[]; name: string }) =>
  end.labels.length === 0 && /^[^\p{L}]*\p{N}/u.test(end.name);

const texts = (value: GraphValue): string[] =>
  [...new Set([value].flat().flatMap((one) => (one === null || typeof one === "object" ? [] : [String(one).trim()])))]
    .filter((text) => text !== "")
    .slice(0, OTHERS);

/** Facts that are as good as each other are told by id: relations first, then properties, numbers of things last. */
const idOf = (order: 1 | 2 | 3 | 4, parts: readonly string[]) =>
  `${order}${createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16)}`;
