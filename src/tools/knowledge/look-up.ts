import { UsageError } from "../../errors.js";
import {
  described,
  type GatheredFact,
  gatherFacts,
  type SameNames,
  type SearchedEntities,
  sameNames,
  toldFact,
} from "./gather-facts.js";
import { misspelling } from "./misspelling.js";
import { namesIn, normaliseName, possibleKeys } from "./names.js";
import type { Fact, TripleSource } from "./port.js";
import { asksFor, rankFacts } from "./rank-facts.js";
import type { StoredTriple, TripleReader } from "./triples.js";

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
    most: hops === 1 ? MOST_NEAR : MOST_FAR,
    asked: (predicate) => asks(predicate) > 0,
  });
}

/** The most triples that are read on one side. If there are more, a selection is read. */
const MOST_NEAR = 10_000;
const MOST_FAR = 2_000;

type Ranked = Omit<GatheredFact, "hops"> & { score: number };

/** Chooses what to look up next: the other ends of the best facts, first a few of each fact, then more. */
async function neighbours(
  best: readonly Ranked[],
  seeds: ReadonlySet<string>,
  same: SameNames,
): Promise<SearchedEntities> {
  const ends = best.map((fact) => fact.ends.filter(({ key }) => !seeds.has(key)));
  const inTurn = [...ends.flatMap((some) => some.slice(0, A_FEW)), ...ends.flatMap((some) => some.slice(A_FEW))];
  const keys = new Map<string, boolean>();
  for (const { key, isValue } of inTurn)
    if (keys.size < MOST_NEIGHBOURS || keys.has(key)) keys.set(key, isValue && (keys.get(key) ?? true));
  await same.learn(keys.keys());
  const others = [...keys].map(([key, isValue]) => ({ entity: same.entityOf(key), isValue }));
  const chosen = others.filter(({ entity }) => !seeds.has(entity));
  const things = chosen.filter(({ isValue }) => !isValue);
  const entities = (some: typeof chosen) => new Set(some.map(({ entity }) => entity));
  return { subjects: entities(chosen), objects: entities(things), hops: 2 };
}

const A_FEW = 8;
const MOST_NEIGHBOURS = 24;

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
  const wanted = [...new Set(entities.map(normaliseName))].filter((key) => key !== "").slice(0, MOST);
  const possible = possibleKeys(question);
  const known = new Set(await reader.known([...new Set([...wanted, ...possible])]));
  const meant = await Promise.all(
    wanted.map(async (key) =>
      known.has(key)
        ? [key]
        : nearest(key, await reader.near(key))
            .sort()
            .slice(0, ALIKE),
    ),
  );
  const named = namesIn(
    question,
    possible.filter((key) => known.has(key)),
  );
  return [...new Set([...meant.flat(), ...named])].slice(0, MOST);
}

const MOST = 16;
/** The most keys that one misspelt name may stand for. */
const ALIKE = 3;

/** Returns the keys at the smallest edit distance, if that is small enough for a misspelling. */
export function nearest(typed: string, keys: Iterable<string>): string[] {
  const slips = [...new Set(keys)].map((key) => ({ key, slips: misspelling(typed, key) ?? Number.POSITIVE_INFINITY }));
  const fewest = Math.min(...slips.map((one) => one.slips));
  if (!Number.isFinite(fewest)) return [];
  return slips.filter((one) => one.slips === fewest).map(({ key }) => key);
}
