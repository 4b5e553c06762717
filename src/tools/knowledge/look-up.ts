import { UsageError } from "../../errors.js";
import { type Asked, type GatheredFact, gatherFacts } from "./gather-facts.js";
import { linkNames } from "./link-names.js";
import type { Fact } from "./port.js";
import { type FoundFact, rankFacts } from "./rank-facts.js";
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

  // A second look at what is near: names may have turned out to be of one entity.
  const gathered = [
    ...gatherFacts(nearBy.triples, near, same, seeds),
    ...gatherFacts(farther.triples, far, same, seeds),
  ];
  const byId = new Map(gathered.map((one) => [one.fact.id, one]));
  const best = rankFacts(
    question,
    gathered.map(({ fact }) => fact),
  ).slice(0, limit);
  const cut = nearBy.cut.union(farther.cut);
  const whole = await Promise.all(
    best.map(async (fact) => {
      const one = byId.get(fact.id);
      return one?.origin.keys.some((key) => cut.has(key))
        ? { ...fact, ...(await completed(one, reader, same, seeds)) }
        : fact;
    }),
  );
  return withSources(whole, byId, reader);
}

/** @throws UsageError for a limit that is not 1 to 100. */
export function checkLimit(limit = 20): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > 100)
    throw new UsageError(`A look-up returns 1 to 100 facts, not ${limit}.`);
}

async function read(reader: TripleReader, asked: Asked, same: SameNames) {
  const keys = (entities: ReadonlySet<string>) => [...entities].flatMap(same.keysOf);
  const found = await reader.about(keys(asked.subjects), keys(asked.objects));
  await same.learn(found.triples.flatMap(({ subjectKey, objectKey }) => [subjectKey, objectKey]));
  return found;
}

/** Where to look next: at the other ends of the best facts, a few of each before more of any. */
function neighbours(
  question: string,
  near: readonly GatheredFact[],
  seeds: ReadonlySet<string>,
  same: SameNames,
): Asked {
  const byId = new Map(near.map((one) => [one.fact.id, one]));
  const ends = rankFacts(
    question,
    near.map(({ fact }) => fact),
  ).map(({ id }) => (byId.get(id)?.others ?? []).filter(({ key }) => !seeds.has(same.entityOf(key))));
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

/** Of an entity with thousands of triples only some were read. Of what is told, all are counted. */
async function completed(
  { origin, fact }: GatheredFact,
  reader: TripleReader,
  same: SameNames,
  seeds: ReadonlySet<string>,
): Promise<Partial<FoundFact>> {
  const { keys, triples } = await reader.all(origin);
  await same.learn(keys);
  const total = new Set([...keys].map(same.entityOf)).size;
  const own = origin.keys[0] ?? "";
  const asked = new Set([same.entityOf(own)]);
  const direction = { subjects: asked, objects: asked, hops: fact.hops };
  const again = gatherFacts(triples, direction, same, seeds).find((one) => one.origin.direction === origin.direction);
  return { ...(again && { others: again.fact.others, provenance: again.fact.provenance }), total };
}

async function withSources(
  facts: readonly Fact[],
  byId: ReadonlyMap<string, GatheredFact>,
  reader: TripleReader,
): Promise<Fact[]> {
  const sourceId = ({ id }: Fact) => byId.get(id)?.origin.sourceId ?? "";
  const sources = new Map(
    (await reader.sources([...new Set(facts.map(sourceId))])).map((source) => [source.id, source]),
  );
  return facts.map((fact) => {
    const source = sources.get(sourceId(fact));
    const quotes = fact.provenance.rows.map(({ quote }) => String(quote)).filter((quote) => quote !== "");
    return source ? { ...fact, source: { ...source, quotes: [...new Set(quotes)] } } : fact;
  });
}
