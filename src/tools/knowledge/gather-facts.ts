import { createHash } from "node:crypto";
import type { FoundFact } from "./rank-facts.js";
import type { SameNames } from "./same-names.js";
import type { CutFact, StoredTriple } from "./triples.js";

/** A fact with what is needed to go on from it. */
export interface GatheredFact {
  fact: FoundFact;
  /** What the other end is, in the order of `fact.others`, without the limit of 50. */
  others: readonly { key: string; isValue: boolean }[];
  origin: CutFact;
}

export interface Asked {
  /** Entities whose triples were asked for as subjects, and as objects. */
  subjects: ReadonlySet<string>;
  objects: ReadonlySet<string>;
  hops: 1 | 2;
}

/**
 * Triples as facts: one for every entity that was asked for, its relation, its direction and its source. What both ends
 * of a triple would tell is told by its subject alone.
 * @param first entities that come first among many at the other end.
 */
export function gatherFacts(
  triples: readonly StoredTriple[],
  asked: Asked,
  same: SameNames,
  first: ReadonlySet<string>,
): GatheredFact[] {
  const names = longestNames(triples, same);
  const groups = new Map<string, { entity: string; direction: "out" | "in"; triples: StoredTriple[] }>();
  const add = (entity: string, direction: "out" | "in", triple: StoredTriple) => {
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
  return [...groups.values()].flatMap((group) => {
    const ends = otherEnds(group.triples, group.direction, same);
    const isTold = [...ends.keys()].every((end) => asked.subjects.has(end));
    if (group.direction === "in" && isTold) return [];
    if (asked.hops === 2 && [...ends.keys()].every((end) => first.has(end))) return [];
    return [factOf({ ...group, ends, names, same, first, hops: asked.hops })];
  });
}

interface Parts {
  entity: string;
  direction: "out" | "in";
  triples: readonly StoredTriple[];
  ends: Map<string, { key: string; isValue: boolean }>;
  names: ReadonlyMap<string, string>;
  same: SameNames;
  first: ReadonlySet<string>;
  hops: 1 | 2;
}

function factOf({ entity, direction, triples, ends, names, same, first, hops }: Parts): GatheredFact {
  const nameOf = (end: string) => names.get(end) ?? end;
  const { predicate = "", sourceId = "" } = triples[0] ?? {};
  const sorted = [...ends.keys()].sort(
    (a, b) => Number(first.has(b)) - Number(first.has(a)) || (nameOf(a) < nameOf(b) ? -1 : 1),
  );
  const shown = new Set(sorted.slice(0, MOST_OTHERS));
  const own = direction === "out" ? "subjectKey" : "objectKey";
  const other = direction === "out" ? "objectKey" : "subjectKey";
  const behind = triples.filter((triple) => shown.has(same.entityOf(triple[other]))).slice(0, MOST_ROWS);
  const [key] = triples.map((triple) => triple[own]).sort();
  const keys = same.keysOf(entity);
  const rows = behind
    .map(({ subject, predicate, object, quote }) => ({ subject, predicate, object, quote }))
    .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return {
    fact: {
      // By the key that the source uses, so that what others say of the entity does not change it.
      id: createHash("sha256")
        .update(JSON.stringify([sourceId, key, predicate, direction]))
        .digest("hex")
        .slice(0, 24),
      entity: nameOf(entity),
      predicate,
      direction,
      others: [...shown].map(nameOf),
      total: sorted.length,
      provenance: { cypher: "", parameters: { names: keys.slice(0, MOST_NAMES) }, rows },
      hops,
    },
    others: sorted.flatMap((end) => ends.get(end) ?? []),
    origin: { keys, direction, predicate, sourceId },
  };
}

const MOST_OTHERS = 50;
const MOST_ROWS = 100;
const MOST_NAMES = 20;

function otherEnds(triples: readonly StoredTriple[], direction: "out" | "in", same: SameNames) {
  const ends = new Map<string, { key: string; isValue: boolean }>();
  for (const { subjectKey, objectKey, objectType } of triples) {
    const key = direction === "out" ? objectKey : subjectKey;
    const isValue = direction === "out" && objectType === "";
    const end = same.entityOf(key);
    ends.set(end, { key, isValue: isValue && (ends.get(end)?.isValue ?? true) });
  }
  return ends;
}

/** Of several names of an entity the longest is its full one more often than not. */
function longestNames(triples: readonly StoredTriple[], same: SameNames): Map<string, string> {
  const names = new Map<string, string>();
  const offer = (key: string, name: string) => {
    const entity = same.entityOf(key);
    const known = names.get(entity);
    if (known === undefined || name.length > known.length || (name.length === known.length && name < known))
      names.set(entity, name);
  };
  for (const triple of triples) {
    offer(triple.subjectKey, triple.subject);
    offer(triple.objectKey, triple.object);
  }
  return names;
}
