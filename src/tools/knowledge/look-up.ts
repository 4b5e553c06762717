import { createHash } from "node:crypto";
import { UsageError } from "../../errors.js";
import { wholeOf } from "../store/facts.js";
import { misspelling } from "./misspelling.js";
import { keyGroups, namesIn, normaliseName, possibleKeys } from "./names.js";
import type { Fact, TripleSource } from "./port.js";
import { asksFor, type Rankable, rankFacts } from "./rank-facts.js";
import type { FactKey, StoredTriple, TripleReader } from "./triples.js";

/**
 * Looks up the facts about the named entities and their neighbours in a graph of triples, ranked together. Plain values
 * connect nothing: two people are not related because they began on the same day.
 * @throws UsageError for a limit that is not 1 to 100.
 */
export async function lookUp(
  reader: TripleReader,
  entities: readonly string[],
  question: string,
  { limit = 20, signal }: { limit?: number; signal?: AbortSignal } = {},
): Promise<Fact[]> {
  checkLimit(limit);
  signal?.throwIfAborted();
  const named = await linkNames(reader, entities, question);
  if (named.length === 0) return [];
  const same = sameNames(reader);
  await same.learn(named);
  const seeds = new Set(named.map(same.entityOf));

  const near: SearchedEntities = { subjects: seeds, objects: seeds, hops: 1 };
  const nearBy = await read(reader, near, question, same);
  const nearFacts = gatherFacts(nearBy.triples, near, same, seeds);
  signal?.throwIfAborted();
  const far = await neighbours(rankFacts(question, nearFacts), seeds, same);
  const farther = await read(reader, far, question, same);
  signal?.throwIfAborted();

  const ranked = rankFacts(question, [...nearFacts, ...gatherFacts(farther.triples, far, same, seeds)]);
  const triples = [...nearBy.triples, ...farther.triples];
  const isCut = nearBy.isCut || farther.isCut;
  const facts = await completed(ranked.slice(0, limit), triples, isCut, { reader, same, seeds });
  const found = await reader.sources([
    ...new Set(facts.flatMap((fact) => fact.triples.map(({ sourceId }) => sourceId))),
  ]);
  const sources = new Map(found.map((source) => [source.id, source]));
  return facts.map((fact) => {
    const { total, score } = fact;
    const told = toldFact(fact, same);
    const source = sourceOf(fact.triples.flatMap(({ sourceId }) => sources.get(sourceId) ?? []));
    const quotes = new Set(told.provenance.rows.map(({ quote }) => String(quote)).filter((quote) => quote !== ""));
    return { ...told, total, score, ...(source && { source: { ...source, quotes: [...quotes] } }) };
  });
}

/** Returns the first of several passages of a document, without its section if the others are in another. */
function sourceOf([first, ...others]: readonly TripleSource[]): TripleSource | undefined {
  if (!first) return undefined;
  return others.every(({ section }) => section === first.section) ? first : { ...first, section: "" };
}

/** @throws UsageError for a limit that is not 1 to 100. */
export function checkLimit(limit = 20): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > 100)
    throw new UsageError(`A look-up returns 1 to 100 facts, not ${limit}.`);
}

async function read(
  reader: TripleReader,
  { subjects, objects, hops }: SearchedEntities,
  question: string,
  same: SameNames,
) {
  const keys = (entities: ReadonlySet<string>) => [...entities].flatMap(same.keysOf);
  const asks = asksFor(question);
  return reader.about(keys(subjects), keys(objects), {
    most: hops === 1 ? MAX_NEAR_TRIPLES : MAX_FAR_TRIPLES,
    asked: (predicate) => asks(predicate) > 0,
  });
}

/** The most triples that are read on one side. If there are more, a selection is read. */
const MAX_NEAR_TRIPLES = 10_000;
const MAX_FAR_TRIPLES = 2_000;

type Ranked = Omit<GatheredFact, "hops"> & { score: number };

/** Chooses what to look up next: the other ends of the best facts, first a few of each fact, then more. */
async function neighbours(
  best: readonly Ranked[],
  seeds: ReadonlySet<string>,
  same: SameNames,
): Promise<SearchedEntities> {
  const ends = best.map((fact) => fact.ends.filter(({ key }) => !seeds.has(key)));
  const inTurn = [
    ...ends.flatMap((some) => some.slice(0, FIRST_OF_FACT)),
    ...ends.flatMap((some) => some.slice(FIRST_OF_FACT)),
  ];
  const keys = new Map<string, boolean>();
  for (const { key, isValue } of inTurn)
    if (keys.size < MAX_NEIGHBOURS || keys.has(key)) keys.set(key, isValue && (keys.get(key) ?? true));
  await same.learn(keys.keys());
  const others = [...keys].map(([key, isValue]) => ({ entity: same.entityOf(key), isValue }));
  const chosen = others.filter(({ entity }) => !seeds.has(entity));
  const things = chosen.filter(({ isValue }) => !isValue);
  const entities = (some: typeof chosen) => new Set(some.map(({ entity }) => entity));
  return { subjects: entities(chosen), objects: entities(things), hops: 2 };
}

const FIRST_OF_FACT = 8;
const MAX_NEIGHBOURS = 24;

/**
 * Adds the number of entities at the other end to the best facts. Resolves their aliases only now, since that is slow.
 */
async function completed(
  facts: readonly Ranked[],
  triples: readonly StoredTriple[],
  isCut: boolean,
  { reader, same, seeds }: { reader: TripleReader; same: SameNames; seeds: ReadonlySet<string> },
): Promise<(Ranked & { total: number })[]> {
  const ends = await Promise.all(
    facts.map(async (fact) => (isCut ? [...(await reader.others(fact.key))] : fact.ends.map(({ key }) => key))),
  );
  await same.learn(ends.flat());
  const known = described(triples, same);
  return facts.map((fact, i) => {
    const entity = new Set([same.entityOf(fact.key.keys[0] ?? "")]);
    const asked: SearchedEntities = { subjects: entity, objects: entity, hops: 1 };
    const again = gatherFacts(fact.triples, asked, same, seeds, known).find(
      ({ key }) => key.direction === fact.key.direction,
    );
    return { ...fact, ...again, id: fact.id, total: new Set(ends[i]?.map(same.entityOf)).size };
  });
}

/**
 * Links entities and a question to keys (entity linking): the keys of the entities or, if unknown, the nearest known
 * ones, then every known name in the question. Returns at most 16.
 */
async function linkNames(reader: TripleReader, entities: readonly string[], question: string): Promise<string[]> {
  const wanted = [...new Set(entities.map(normaliseName))].filter((key) => key !== "").slice(0, MAX_LINKED);
  const possible = possibleKeys(question);
  const known = new Set(await reader.known([...new Set([...wanted, ...possible])]));
  const meant = await Promise.all(
    wanted.map(async (key) =>
      known.has(key)
        ? [key]
        : nearest(key, await reader.near(key))
            .sort()
            .slice(0, MAX_CORRECTIONS),
    ),
  );
  const named = namesIn(
    question,
    possible.filter((key) => known.has(key)),
  );
  return [...new Set([...meant.flat(), ...named])].slice(0, MAX_LINKED);
}

const MAX_LINKED = 16;
/** The most keys that one misspelt name may stand for. */
const MAX_CORRECTIONS = 3;

/** Returns the keys at the smallest edit distance, if that is small enough for a misspelling. */
export function nearest(typed: string, keys: Iterable<string>): string[] {
  const slips = [...new Set(keys)].map((key) => ({ key, slips: misspelling(typed, key) ?? Number.POSITIVE_INFINITY }));
  const fewest = Math.min(...slips.map((one) => one.slips));
  if (!Number.isFinite(fewest)) return [];
  return slips.filter((one) => one.slips === fewest).map(({ key }) => key);
}

/** A fact to rank: the triples of one document or file with the same entity, relation and direction. */
interface GatheredFact extends Rankable {
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

interface SearchedEntities {
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
function gatherFacts(
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
      others: sorted.slice(0, MAX_OTHERS).map(nameOf),
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
function toldFact(
  { id, entity, entityType, predicate, others, otherType, ends, key, triples }: Omit<GatheredFact, "hops">,
  same: SameNames,
): Omit<Fact, "score" | "source"> {
  const shown = new Set(ends.slice(0, MAX_OTHERS).map((end) => same.entityOf(end.key)));
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
      parameters: { names: key.keys.slice(0, MAX_NAMES) },
      rows: inOrder.slice(0, MAX_ROWS).map(({ row }) => row),
    },
  };
}

const MAX_OTHERS = 50;
const MAX_ROWS = 100;
const MAX_NAMES = 20;

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
function described(triples: readonly StoredTriple[], same: SameNames): ReadonlyMap<string, Described> {
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
function sameNames(reader: Pick<TripleReader, "aliases">) {
  const { join, keysOf, rootOf } = keyGroups();
  const asked = new Set<string>();

  return {
    /** Reads the aliases of more keys. */
    async learn(keys: Iterable<string>): Promise<void> {
      let fresh = [...new Set(keys)].filter((key) => !asked.has(key)).slice(0, MAX_KEYS);
      for (let round = 0; fresh.length > 0 && round < MAX_ROUNDS; round++) {
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

type SameNames = ReturnType<typeof sameNames>;

/** The most keys whose aliases are read at once. */
const MAX_KEYS = 2_000;
/** Each round follows aliases of aliases one step further; chains are short. */
const MAX_ROUNDS = 10;
