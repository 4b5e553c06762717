import { createHash } from "node:crypto";
import { wholeOf } from "../store/facts.js";
import { keyGroups } from "./names.js";
import type { Fact } from "./port.js";
import type { Rankable } from "./rank-facts.js";
import type { FactKey, StoredTriple, TripleReader } from "./triples.js";

/** A fact to rank: the triples of one document or file with the same entity, relation and direction. */
export interface GatheredFact extends Rankable {
  /** The entities and values at the other end. The first 50 are `others`. */
  ends: readonly End[];
  entityType: string | undefined;
  otherType: string | undefined;
  key: FactKey;
  triples: readonly StoredTriple[];
}

interface End {
  key: string;
  isValue: boolean;
}

export interface SearchedEntities {
  /** The entities whose triples were read: as subjects, and as objects. */
  subjects: ReadonlySet<string>;
  objects: ReadonlySet<string>;
  hops: 1 | 2;
}

/**
 * Groups triples into facts, one for each entity, relation, direction and document: by document, because a long table
 * is cut into several passages. A triple between two of the subjects belongs only to its subject's fact.
 * @param first entities that come first at the other end.
 * @param known names and types of entities; default: those in these triples.
 */
export function gatherFacts(
  triples: readonly StoredTriple[],
  asked: SearchedEntities,
  same: SameNames,
  first: ReadonlySet<string>,
  known = described(triples, same),
): GatheredFact[] {
  const groups = new Map<string, { entity: string; direction: Fact["direction"]; triples: StoredTriple[] }>();
  const add = (entity: string, direction: Fact["direction"], triple: StoredTriple) => {
    const key = JSON.stringify([entity, direction, triple.predicate, wholeOf(triple.sourceId)]);
    const group = groups.get(key) ?? { entity, direction, triples: [] };
    group.triples.push(triple);
    groups.set(key, group);
  };
  for (const triple of triples) {
    const [subject, object] = [same.entityOf(triple.subjectKey), same.entityOf(triple.objectKey)];
    if (asked.subjects.has(subject)) add(subject, "out", triple);
    if (asked.objects.has(object)) add(object, "in", triple);
  }
  return [...groups.values()].flatMap(({ entity, direction, triples }) => {
    const ends = otherEnds(triples, direction, same);
    const all = [...ends.keys()];
    if (direction === "in" && all.every((end) => asked.subjects.has(end))) return [];
    if (asked.hops === 2 && all.every((end) => first.has(end))) return [];
    const nameOf = (end: string) => known.get(end)?.name ?? end;
    const sorted = all.sort((a, b) => Number(first.has(b)) - Number(first.has(a)) || (nameOf(a) < nameOf(b) ? -1 : 1));
    const { predicate = "", sourceId = "" } = triples[0] ?? {};
    const whole = wholeOf(sourceId);
    const [ownKey = ""] = triples.map((triple) => (direction === "out" ? triple.subjectKey : triple.objectKey)).sort();
    return {
      // The id uses the key in this document, so that it does not depend on what other documents say.
      id: hash(whole, ownKey, predicate, direction),
      entity: nameOf(entity),
      predicate,
      others: sorted.slice(0, MOST_OTHERS).map(nameOf),
      hops: asked.hops,
      ends: sorted.flatMap((end) => ends.get(end) ?? []),
      entityType: typeOf([entity], known),
      otherType: typeOf(sorted, known),
      key: { keys: same.keysOf(entity), direction, predicate, whole },
      triples,
    };
  });
}

/** Converts a fact to the form for callers, with its triples as provenance and without its source. */
export function toldFact(
  { id, entity, entityType, predicate, others, otherType, ends, key, triples }: Omit<GatheredFact, "hops">,
  same: SameNames,
): Omit<Fact, "score" | "source"> {
  const shown = new Set(ends.slice(0, MOST_OTHERS).map((end) => same.entityOf(end.key)));
  const other = key.direction === "out" ? "objectKey" : "subjectKey";
  const rows = triples
    .filter((triple) => shown.has(same.entityOf(triple[other])))
    .map(({ subject, predicate, object, quote }) => ({ subject, predicate, object, quote }));
  const inOrder = rows.map((row) => ({ row, by: JSON.stringify(row) })).sort((a, b) => (a.by < b.by ? -1 : 1));
  return {
    id,
    entity,
    ...(entityType && { entityType }),
    predicate,
    direction: key.direction,
    others,
    total: ends.length,
    ...(otherType && { otherType }),
    provenance: {
      cypher: "",
      parameters: { names: key.keys.slice(0, MOST_NAMES) },
      rows: inOrder.slice(0, MOST_ROWS).map(({ row }) => row),
    },
  };
}

const MOST_OTHERS = 50;
const MOST_ROWS = 100;
const MOST_NAMES = 20;

const hash = (...parts: readonly string[]) =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 24);

function otherEnds(triples: readonly StoredTriple[], direction: Fact["direction"], same: SameNames) {
  const ends = new Map<string, End>();
  for (const { subjectKey, objectKey, objectType } of triples) {
    const key = direction === "out" ? objectKey : subjectKey;
    const isValue = direction === "out" && objectType === "";
    const end = same.entityOf(key);
    ends.set(end, { key, isValue: isValue && (ends.get(end)?.isValue ?? true) });
  }
  return ends;
}

/** Collects the names and types of entities. Keeps the longest name, which is usually the full one. */
export function described(triples: readonly StoredTriple[], same: SameNames): ReadonlyMap<string, Described> {
  const entities = new Map<string, Described>();
  const add = (key: string, name: string, type: string) => {
    const entity = same.entityOf(key);
    const known = entities.get(entity) ?? { name, types: new Set() };
    const isLonger = name.length > known.name.length || (name.length === known.name.length && name < known.name);
    if (isLonger) known.name = name;
    if (type !== "") known.types.add(type);
    entities.set(entity, known);
  };
  for (const { subjectKey, subject, subjectType, objectKey, object, objectType } of triples) {
    add(subjectKey, subject, subjectType);
    add(objectKey, object, objectType);
  }
  return entities;
}

interface Described {
  name: string;
  types: Set<string>;
}

/** Returns the type of the entities, if each has exactly one type and it is the same for all. */
function typeOf(entities: readonly string[], known: ReadonlyMap<string, Described>): string | undefined {
  const types = entities.map((entity) => [...(known.get(entity)?.types ?? [])]);
  const [type, ...others] = new Set(types.flat());
  return others.length === 0 && types.every(({ length }) => length === 1) ? type : undefined;
}

/**
 * Resolves which keys mean the same entity: a name and its alias in any source, and transitively. This is worked out
 * for each look-up and not stored, so it does not depend on the order of sources, and an alias disappears with its
 * source.
 */
export function sameNames(reader: Pick<TripleReader, "aliases">) {
  const { join, keysOf, rootOf } = keyGroups();
  const asked = new Set<string>();

  return {
    /** Reads the aliases of more keys. */
    async learn(keys: Iterable<string>): Promise<void> {
      let fresh = [...new Set(keys)].filter((key) => !asked.has(key)).slice(0, MOST_KEYS);
      for (let round = 0; fresh.length > 0 && round < MOST_ROUNDS; round++) {
        for (const key of fresh) asked.add(key);
        const pairs = await reader.aliases(fresh);
        for (const pair of pairs) join(pair);
        fresh = [...new Set(pairs.flat())].filter((key) => !asked.has(key));
      }
    },
    keysOf,
    /** Returns the same key for every key of an entity. */
    entityOf: rootOf,
  };
}

export type SameNames = ReturnType<typeof sameNames>;

/** The most keys whose aliases are read at once. */
const MOST_KEYS = 2_000;
/** Each round follows aliases of aliases one step further; chains are short. */
const MOST_ROUNDS = 10;
