import { createHash } from "node:crypto";
import { contentTerms } from "../../text/tokens.js";
import type { GraphRow, GraphValue } from "../../types/knowledge.js";
import { namesIn, normaliseName } from "../knowledge/names.js";
import type { Fact } from "../knowledge/port.js";
import { type FoundFact, predicateWords, rankFacts } from "../knowledge/rank-facts.js";
import type { ReadRows } from "./connection.js";
import { linkedNodes } from "./link.js";
import { displayName, isNameKey, isNumberKey, type NameKeys } from "./name-index.js";
import { type FoundNode, type FoundRelations, nodes, OTHERS, relations } from "./neighbourhood.js";

/** A fact with its score. `sourceId` is empty in a graph that emend did not fill. */
export type RankedFact = Fact & Pick<NodeFact, "sourceId" | "quotes">;

/** Finds at most `limit` facts about the linked nodes and their neighbours, best first. */
export async function graphFacts(
  read: ReadRows,
  entities: readonly string[],
  question: string,
  names: NameKeys,
  limit: number,
): Promise<RankedFact[]> {
  const linked = await linkedNodes(read, entities, question, names);
  if (linked.length === 0) return [];
  const look = { question, linked, keys: [...new Set(["name", "names", ...names.keys])] };
  const near = await factsOf(read, linked, 1, look);
  // A fact between two linked nodes is found from both ends.
  const nearest = rankFacts(question, [...new Map(near.map((fact) => [fact.id, fact])).values()]);
  const far = await factsOf(read, nextNodes(nearest, new Set(linked)), 2, look);
  const told = new Set(nearest.map(({ id }) => id));
  // A neighbour's relation that leads only to linked nodes says nothing new.
  const isNew = ({ id, ends }: NodeFact) =>
    !told.has(id) && (ends.length === 0 || ends.some((end) => !linked.includes(end)));
  const farther = rankFacts(question, far.filter(isNew));
  return [...nearest, ...farther]
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .slice(0, limit)
    .map(({ ends: _, ...fact }) => fact);
}

/** The most neighbours that are read, in total and of one fact. */
const MOST_NEXT = 30;
const NEXT_OF_ONE = 10;

function nextNodes(ranked: readonly Pick<NodeFact, "ends">[], linked: ReadonlySet<string>): string[] {
  const next = ranked.flatMap(({ ends }) => ends.filter((end) => !linked.has(end)).slice(0, NEXT_OF_ONE));
  return [...new Set(next)].slice(0, MOST_NEXT);
}

async function factsOf(
  read: ReadRows,
  ids: readonly string[],
  hops: 1 | 2,
  look: { question: string; linked: readonly string[]; keys: readonly string[] },
): Promise<NodeFact[]> {
  if (ids.length === 0) return [];
  const { found, ...query } = await nodes(read, ids);
  const byId = new Map(found.map((node) => [node.id, node]));
  const related = (await relations(read, found, look)).flatMap((group) => {
    const node = byId.get(group.node);
    return node ? relationFacts(node, group, hops, look) : [];
  });
  return [...found.flatMap((node) => propertyFacts(node, hops, query)), ...related];
}

/** A fact with the ids of the nodes at its other end, the id of its source, and its quotes. */
type NodeFact = FoundFact & { ends: readonly string[]; sourceId: string; quotes: readonly string[] };

/** The query that found something. */
interface Query {
  cypher: string;
  parameters: GraphRow;
}

/** Makes a fact of each property of a user's node. emend's own entities have no properties other than names. */
function propertyFacts(node: FoundNode, hops: 1 | 2, query: Query): NodeFact[] {
  if (node.isOwn) return [];
  const entity = displayName(node);
  return Object.entries(node.properties).flatMap(([key, value]) => {
    const isNumber = isNumberKey(key);
    const isName = isNameKey(key, node.labels) && texts(value).every((text) => entity.includes(text));
    // Numbers and codes, which join tables, say nothing about a neighbour.
    if (isName || (hops === 2 && isNumber)) return [];
    const id = idOf(isNumber ? 4 : 2, [node.id, key]);
    const provenance = { ...query, rows: [{ entity, [key]: value }] };
    return valueFact({ id, entity, ...typeOf(node), predicate: key, hops, provenance }, value);
  });
}

/** Makes a fact of a relation, and facts of those of its own properties that the question may be about. */
function relationFacts(
  node: FoundNode,
  group: FoundRelations,
  hops: 1 | 2,
  { question, linked }: { question: string; linked: readonly string[] },
): NodeFact[] {
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
      from,
      relation: predicate,
      to,
      ...relation,
      ...(words.length > 0 && { quotes: words }),
      ...(asSaid.length > 0 && { called: asSaid }),
    };
  };
  // In emend's own graph, the id uses the name in this source, so that it does not depend on other sources.
  const known = ends.flatMap(({ called }) => called.filter((_, i) => i % 2 === (direction === "out" ? 0 : 1)));
  const subject = source === "" ? node.id : (known.map(normaliseName).sort()[0] ?? node.id);
  const query = { cypher, parameters };
  const found: NodeFact = {
    id: idOf(1, [subject, predicate, direction, source]),
    entity,
    ...typeOf(node),
    predicate,
    direction,
    others,
    hops,
    ...otherTypeOf(ends),
    // Several nodes may share a name. `others` lists it once; `total` counts every node.
    total: Math.max(total, others.length),
    provenance: { ...query, rows: ends.map(row) },
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
      const provenance = { ...query, rows: [row(end)] };
      const id = idOf(3, [...between, predicate, key]);
      return valueFact({ id, entity: sides(end.name).join(` ${predicate} `), predicate: key, hops, provenance }, value);
    }),
  );
  // A relation between two linked nodes is reported as a fact of the node where it starts.
  return direction === "in" && linkedEnds.length === ends.length ? details : [found, ...details];
}

const typeOf = ({ labels: [entityType] }: FoundNode) => (entityType === undefined ? {} : { entityType });

/** Returns the first label that all nodes at the other end share. */
function otherTypeOf(ends: readonly { labels: readonly string[] }[]): { otherType?: string } {
  const [first, ...rest] = ends;
  const otherType = first?.labels.find((label) => rest.every(({ labels }) => labels.includes(label)));
  return otherType === undefined ? {} : { otherType };
}

type Valued = Pick<NodeFact, "id" | "entity" | "entityType" | "predicate" | "hops" | "provenance">;

function valueFact(fact: Valued, value: GraphValue): NodeFact[] {
  const others = texts(value);
  if (others.length === 0) return [];
  return [{ ...fact, direction: "out", others, total: others.length, ends: [], sourceId: "", quotes: [] }];
}

/** With more relations than this, their properties are reported only if the question contains the value. */
const FEW = 12;

/** True if the question contains the value of one of a relation's properties or, with few relations, its key. */
function bearsOn(question: string, relation: GraphRow, areFew: boolean): boolean {
  const asked = new Set(contentTerms(question));
  return Object.entries(relation).some(
    ([key, value]) =>
      (areFew && contentTerms(predicateWords(key)).some((term) => asked.has(term))) ||
      namesIn(question, texts(value)).length > 0,
  );
}

/** True for a date or an amount. Entities that share one are not related by it. */
const isValue = (end: { labels: readonly string[]; name: string }) =>
  end.labels.length === 0 && /^[^\p{L}]*\p{N}/u.test(end.name);

const texts = (value: GraphValue): string[] =>
  [...new Set([value].flat().flatMap((one) => (one === null || typeof one === "object" ? [] : [String(one).trim()])))]
    .filter((text) => text !== "")
    .slice(0, OTHERS);

/** Facts with equal scores are sorted by id: relations, then properties of nodes, then of relations, then numbers. */
const idOf = (order: 1 | 2 | 3 | 4, parts: readonly string[]) =>
  `${order}${createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16)}`;
