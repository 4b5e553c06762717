import { createHash } from "node:crypto";
import type { Fact } from "./port.js";
import type { Rankable } from "./rank-facts.js";
import type { FactKey, StoredTriple, TripleReader } from "./triples.js";

/** What triples say of one entity by one relation in one source; as much as it takes to choose among many. */
export interface GatheredFact extends Rankable {
  /** All that is at the other end, in the order of `others`, which are at most 50. */
  ends: readonly { key: string; isValue: boolean }[];
  entityType: string | undefined;
  otherType: string | undefined;
  key: FactKey;
  triples: readonly StoredTriple[];
}

/** What was asked for. */
export interface Asked {
  /** Entities whose triples were looked for as subjects, and as objects. */
  subjects: ReadonlySet<string>;
  objects: ReadonlySet<string>;
  hops: 1 | 2;
}

/**
 * Triples as facts: one for every entity that was asked for, its relation, its direction and its source. What both ends
 * of a triple would tell is told by its subject alone.
 * @param first entities that come first among many at the other end.
 * @param known what entities are called, and what they are; by default as these triples have it.
 */
export function gatherFacts(
  triples: readonly StoredTriple[],
  asked: Asked,
  same: SameNames,
  first: ReadonlySet<string>,
  known = described(triples, same),
): GatheredFact[] {
  const groups = new Map<string, { entity: string; direction: Fact["direction"]; triples: StoredTriple[] }>();
  const add = (entity: string, direction: Fact["direction"], triple: StoredTriple) => {
    const key = JSON.stringify([entity, direction, triple.predicate, triple.sourceId]);
    const known = groups.get(key);
    if (known) known.triples.push(triple);
    else groups.set(key, { entity, direction, triples: [triple] });
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
    const [ownKey = ""] = triples.map((triple) => (direction === "out" ? triple.subjectKey : triple.objectKey)).sort();
    return {
      // By the key that the source uses, so that what others say of the entity does not change it.
      id: hash(sourceId, ownKey, predicate, direction),
      entity: nameOf(entity),
      predicate,
      others: sorted.slice(0, MOST_OTHERS).map(nameOf),
      hops: asked.hops,
      ends: sorted.flatMap((end) => ends.get(end) ?? []),
      entityType: typeOf([entity], known),
      otherType: typeOf(sorted, known),
      key: { keys: same.keysOf(entity), direction, predicate, sourceId },
      triples,
    };
  });
}

/** A fact as it is told, with the triples behind it; without its source. */
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
  const ends = new Map<string, { key: string; isValue: boolean }>();
  for (const { subjectKey, objectKey, objectType } of triples) {
    const key = direction === "out" ? objectKey : subjectKey;
    const isValue = direction === "out" && objectType === "";
    const end = same.entityOf(key);
    ends.set(end, { key, isValue: isValue && (ends.get(end)?.isValue ?? true) });
  }
  return ends;
}

/** What triples say of entities themselves: of several names the longest is the full one more often than not. */
export function described(triples: readonly StoredTriple[], same: SameNames): ReadonlyMap<string, Described> {
  const entities = new Map<string, Described>();
  const add = (key: string, name: string, type: string) => {
    const entity = same.entityOf(key);
    const known = entities.get(entity);
    const isBetter =
      known && (name.length > known.name.length || (name.length === known.name.length && name < known.name));
    const types = known?.types ?? new Set<string>();
    if (type !== "") types.add(type);
    if (!known || isBetter) entities.set(entity, { name, types });
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

/** Their type, where it is one and the same. */
function typeOf(entities: readonly string[], known: ReadonlyMap<string, Described>): string | undefined {
  const types = new Set(entities.flatMap((entity) => [...(known.get(entity)?.types ?? [])]));
  const isKnownOfAll = entities.every((entity) => known.get(entity)?.types.size === 1);
  return isKnownOfAll && types.size === 1 ? [...types][0] : undefined;
}

/**
 * Which keys name the same entity: those that some source calls a name and its alias, and what follows from it. This is
 * found when it is asked and stored nowhere, so that it does not depend on the order in which sources came, and a source
 * that goes takes with it what only it said.
 */
export function sameNames(reader: Pick<TripleReader, "aliases">) {
  const groups = new Map<string, Group>();
  const asked = new Set<string>();

  const groupOf = (key: string): Group => groups.get(key) ?? { first: key, keys: new Set([key]) };

  function join(a: string, b: string): void {
    const [one, other] = [groupOf(a), groupOf(b)];
    if (one === other) return;
    const keys = one.keys.union(other.keys);
    const [first = a] = [one.first, other.first].sort();
    const joined = { first, keys };
    for (const key of keys) groups.set(key, joined);
  }

  return {
    /** Finds out about more keys. */
    async learn(keys: Iterable<string>): Promise<void> {
      let fresh = [...new Set(keys)].filter((key) => !asked.has(key)).slice(0, MOST_KEYS);
      for (let round = 0; fresh.length > 0 && round < MOST_ROUNDS; round++) {
        for (const key of fresh) asked.add(key);
        const pairs = await reader.aliases(fresh);
        for (const [a, b] of pairs) join(a, b);
        fresh = [...new Set(pairs.flat())].filter((key) => !asked.has(key));
      }
    },

    /** All keys of the entity, in an order of their own. */
    keysOf: (key: string): string[] => [...groupOf(key).keys].sort(),

    /** One key for the entity, whichever of its keys is given. */
    entityOf: (key: string): string => groups.get(key)?.first ?? key,
  };
}

interface Group {
  first: string;
  keys: ReadonlySet<string>;
}

export type SameNames = ReturnType<typeof sameNames>;

/** What is at the other end of one look-up, at most. */
const MOST_KEYS = 2_000;
/** A name's alias that is another's name, whose alias is a third one's: chains are short. */
const MOST_ROUNDS = 10;
