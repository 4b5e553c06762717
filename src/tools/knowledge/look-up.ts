import { UsageError } from "../../errors.js";
import { type Asked, type GatheredFact, gatherFacts, toldFact } from "./gather-facts.js";
import { linkNames } from "./link-names.js";
import type { Fact, TripleSource } from "./port.js";
import { rankFacts } from "./rank-facts.js";
import { type SameNames, sameNames } from "./same-names.js";
import type { TripleReader } from "./triples.js";

/**
 * The facts about what is named, in a graph of triples: what is said of it, then of what it is related to, ranked
 * together. Plain values lead nowhere: two people are not related by having begun on the same day.
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

  const near: Asked = { subjects: seeds, objects: seeds, hops: 1 };
  const nearBy = await read(reader, near, same);
  signal?.throwIfAborted();
  const far = neighbours(question, gatherFacts(nearBy.triples, near, same, seeds), seeds, same);
  const farther = await read(reader, far, same);
  signal?.throwIfAborted();

  // What is near is gathered again: names may have turned out to be of one entity.
  const gathered = [
    ...gatherFacts(nearBy.triples, near, same, seeds),
    ...gatherFacts(farther.triples, far, same, seeds),
  ];
  const best = rankFacts(question, gathered).slice(0, limit);
  const facts = await complete(best, nearBy.cut.union(farther.cut), reader, same, seeds);
  const sources = await sourcesOf(facts, reader);
  return facts.map((fact) => {
    const told = toldFact(fact, same);
    const source = sources.get(fact.key.sourceId);
    const quotes = new Set(told.provenance.rows.map(({ quote }) => String(quote)).filter((quote) => quote !== ""));
    return {
      ...told,
      total: fact.total,
      score: fact.score,
      ...(source && { source: { ...source, quotes: [...quotes] } }),
    };
  });
}

/** @throws UsageError for a limit that is not 1 to 100. */
export function checkLimit(limit = 20): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > 100)
    throw new UsageError(`A look-up returns 1 to 100 facts, not ${limit}.`);
}

async function read(reader: TripleReader, asked: Asked, same: SameNames) {
  const keys = (entities: ReadonlySet<string>) => [...entities].flatMap(same.keysOf);
  const most = asked.hops === 1 ? MOST_NEAR : MOST_FAR;
  const found = await reader.about(keys(asked.subjects), keys(asked.objects), most);
  await same.learn(found.triples.flatMap(({ subjectKey, objectKey }) => [subjectKey, objectKey]));
  return found;
}

/** Triples of one entity that are read before some have to stand for all. */
const MOST_NEAR = 500;
const MOST_FAR = 100;

/** Where to look next: at the other ends of the best facts, a few of each before more of any. */
function neighbours(
  question: string,
  near: readonly GatheredFact[],
  seeds: ReadonlySet<string>,
  same: SameNames,
): Asked {
  const ends = rankFacts(question, near).map((fact) => fact.ends.filter(({ key }) => !seeds.has(same.entityOf(key))));
  const inTurn = [...ends.flatMap((some) => some.slice(0, A_FEW)), ...ends.flatMap((some) => some.slice(A_FEW))];
  const chosen = new Map<string, boolean>();
  for (const { key, isValue } of inTurn) {
    const entity = same.entityOf(key);
    if (chosen.size >= MOST_NEIGHBOURS && !chosen.has(entity)) break;
    chosen.set(entity, isValue && (chosen.get(entity) ?? true));
  }
  const asObjects = [...chosen].filter(([, isValue]) => !isValue).map(([entity]) => entity);
  return { subjects: new Set(chosen.keys()), objects: new Set(asObjects), hops: 2 };
}

const A_FEW = 8;
const MOST_NEIGHBOURS = 24;

type Ranked = Omit<GatheredFact, "hops"> & { score: number };

/** Of an entity with very many triples only some were read; of what is told of it, all are counted. */
async function complete(
  facts: readonly Ranked[],
  cut: ReadonlySet<string>,
  reader: TripleReader,
  same: SameNames,
  seeds: ReadonlySet<string>,
): Promise<(Ranked & { total: number })[]> {
  const isCut = ({ key }: Ranked) => key.keys.some((one) => cut.has(one));
  const partial = facts.filter(isCut);
  const whole = partial.length > 0 ? await reader.whole(partial.map(({ key }) => key)) : [];
  await same.learn(whole.flatMap(({ keys }) => [...keys]));
  return facts.map((fact) => {
    const found = whole[partial.indexOf(fact)];
    if (!found) return { ...fact, total: fact.ends.length };
    const entity = new Set([same.entityOf(fact.key.keys[0] ?? "")]);
    const asked: Asked = { subjects: entity, objects: entity, hops: 1 };
    const again = gatherFacts(found.triples, asked, same, seeds).find(
      ({ key }) => key.direction === fact.key.direction,
    );
    const total = new Set([...found.keys].map(same.entityOf)).size;
    return { ...fact, ...(again && { others: again.others, ends: again.ends, triples: again.triples }), total };
  });
}

async function sourcesOf(facts: readonly Ranked[], reader: TripleReader): Promise<Map<string, TripleSource>> {
  const ids = new Set(facts.map(({ key }) => key.sourceId));
  return new Map((await reader.sources([...ids])).map((source) => [source.id, source]));
}
