import { fromPairs, metadataPairs } from "../../text/metadata.js";
import type { Passage } from "../../types/evidence.js";
import { type Filter, pairsIn } from "../../types/filter.js";
import type { GraphRow } from "../../types/knowledge.js";
import { cachedKeys } from "../knowledge/names.js";
import type { TripleSource } from "../knowledge/port.js";
import type { Given, StoredTriple, TripleReader } from "../knowledge/triples.js";
import { contentHash, passageSourceId, wholeOf } from "../store/facts.js";
import type { ReadRows, RunInside } from "./connection.js";
import { nameQuery } from "./link.js";
import { searchNames } from "./name-index.js";

/**
 * Reads the triples that emend stored, from sources that meet the filter. An entity is a node for each of its names:
 * which of them mean the same is worked out for each look-up, as in a database.
 */
export function neo4jReader(read: ReadRows, wanted: Filter): TripleReader {
  const filter = asFilter(wanted);
  return {
    async known(keys) {
      const rows = await read("MATCH (e:EmendEntity) WHERE e.key IN $keys RETURN e.key AS key", { keys: [...keys] });
      return rows.map(({ key }) => String(key));
    },

    async near(key) {
      const rows = await searchNames(read, [nameQuery(key)], "WHERE node:EmendEntity RETURN DISTINCT node.key AS key");
      return rows.map((row) => String(row.key));
    },

    async aliases(keys) {
      const rows = await read(
        `MATCH (e:EmendEntity)-[r:EMEND_SAME]-() WHERE e.key IN $keys
         MATCH (s:EmendSource {id: r.source}) WHERE ${MEETS_FILTER}
         RETURN DISTINCT startNode(r).key AS name, endNode(r).key AS alias`,
        { keys: [...keys], filter },
      );
      return rows.map(({ name, alias }) => [String(name), String(alias)] as const);
    },

    async about(subjects, objects, { most, asked }) {
      const sides = [
        { keys: subjects, others: objects, pattern: OUT },
        { keys: objects, others: subjects, pattern: IN },
      ].filter(({ keys }) => keys.length > 0);
      const found = await Promise.all(
        sides.map(async ({ keys, others, pattern }) => {
          const given = { keys: [...keys], filter };
          const first = await read(`${matched(pattern)} RETURN ${TRIPLE} LIMIT ${most}`, given);
          if (first.length < most) return first;
          // An entity with thousands of triples must not hide the relations asked for, or triples between two.
          const relations = await read(`${matched(pattern)} RETURN DISTINCT type(r) AS predicate`, given);
          const wanted = relations.map(({ predicate }) => String(predicate)).filter(asked);
          const more = await read(
            `${matched(pattern)} AND (type(r) IN $wanted OR other.key IN $others) RETURN ${TRIPLE} LIMIT ${most}`,
            { ...given, wanted, others: [...others] },
          );
          return [...first, ...more];
        }),
      );
      const triples = new Map(found.flat().map((row) => [String(row.id), asTriple(row)]));
      return { triples: [...triples.values()], isCut: found.some(({ length }) => length >= most) };
    },

    async others({ keys, direction, predicate, whole }) {
      const rows = await read(
        `${matched(direction === "out" ? OUT : IN)} AND type(r) = $predicate AND s.whole = $whole
         RETURN DISTINCT other.key AS key`,
        { keys: [...keys], filter, predicate, whole },
      );
      return new Set(rows.map(({ key }) => String(key)));
    },

    async sources(ids) {
      const rows = await read("MATCH (s:EmendSource) WHERE s.id IN $ids RETURN properties(s) AS source", {
        ids: [...ids],
      });
      return rows.map(({ source }) => asSource(source));
    },
  };
}

const OUT = "(e)-[r]->(other:EmendEntity)";
const IN = "(e)<-[r]-(other:EmendEntity)";

/** Matches the triples `r` of entities in sources `s` that meet the filter. */
const matched = (pattern: string) =>
  `MATCH (e:EmendEntity) WHERE e.key IN $keys
   MATCH ${pattern} WHERE type(r) <> 'EMEND_SAME'
   MATCH (s:EmendSource {id: r.source}) WHERE ${MEETS_FILTER}`;

const TRIPLE = `elementId(r) AS id, type(r) AS predicate, startNode(r).key AS subjectKey, endNode(r).key AS objectKey,
  properties(r) AS said`;

/** A condition: the source `s` meets the parameter `filter`. A source without metadata meets only an empty filter. */
const MEETS_FILTER = `($filter = [] OR s.metadata IS NOT NULL AND
  all(one IN $filter WHERE any(pair IN s.metadata WHERE pair IN one.pairs) <> one.not))`;

/** Converts a filter to a parameter. Nodes store their metadata as a list of `key=value`. */
const asFilter = (filter: Filter) =>
  filter.map((condition) => ({ pairs: pairsIn(condition), not: condition.not ?? false }));

function asTriple({ predicate, subjectKey, objectKey, said }: GraphRow): StoredTriple {
  const { source, subject, subjectType, object, objectType, quote } = said as Record<string, string>;
  return {
    sourceId: String(source),
    subject: String(subject),
    subjectKey: String(subjectKey),
    subjectType: String(subjectType),
    predicate: String(predicate),
    object: String(object),
    objectKey: String(objectKey),
    objectType: String(objectType),
    quote: String(quote),
  };
}

/** Converts a stored source. Its metadata is a list of pairs, since properties cannot hold maps. */
function asSource(stored: unknown): TripleSource {
  const { id, documentId, title, uri, section, reviewedAt, hash, metadata } = stored as Omit<
    TripleSource,
    "metadata"
  > & { metadata?: string[] };
  const known = metadata && fromPairs(metadata);
  return { id, documentId, title, uri, section, reviewedAt, hash, ...(known && { metadata: known }) };
}

/** Replaces sources inside one transaction. */
export async function storeNeo4jSources(run: RunInside, given: readonly Given[]): Promise<void> {
  await oneWriter(run);
  await deleteSources(
    run,
    given.map(({ source }) => source.id),
  );
  const keyOf = cachedKeys();
  const entities = new Map<string, { key: string; name: string; types: string[] }>();
  const said = new Map<string, { source: string; key: string }>();
  const relations: GraphRow[] = [];
  for (const { source, triples } of given)
    for (const { subject, predicate, object, quote } of triples) {
      relations.push({
        from: keyOf(subject.name),
        to: keyOf(object.name),
        type: typeName(predicate),
        properties: {
          ...{ source: source.id, quote, subject: subject.name, subjectType: subject.type },
          ...{ object: object.name, objectType: object.type },
        },
      });
      for (const { name, type, aliases } of [subject, object])
        for (const one of [name, ...aliases]) {
          const key = keyOf(one);
          const entity = entities.get(key) ?? { key, name: one, types: [] };
          if (type !== "") entity.types.push(typeName(type));
          entities.set(key, entity);
          said.set(JSON.stringify([source.id, key]), { source: source.id, key });
          if (one !== name)
            relations.push({ from: keyOf(name), to: key, type: "EMEND_SAME", properties: { source: source.id } });
        }
    }
  await inBatches(
    given.map(({ source, triples }) => ({
      ...source,
      whole: wholeOf(source.id),
      triples: triples.length,
      metadata: source.metadata ? metadataPairs(source.metadata) : null,
    })),
    (rows) => run("UNWIND $rows AS row CREATE (s:EmendSource) SET s = row", { rows }),
  );
  await inBatches([...entities.values()], (rows) =>
    run(
      `UNWIND $rows AS row MERGE (e:EmendEntity {key: row.key}) ON CREATE SET e.name = row.name
       SET e:$(row.types)`,
      { rows },
    ),
  );
  await inBatches([...said.values()], (rows) =>
    run(
      `UNWIND $rows AS row MATCH (s:EmendSource {id: row.source}), (e:EmendEntity {key: row.key})
       CREATE (s)-[:EMEND_SAYS]->(e)`,
      { rows },
    ),
  );
  await inBatches(relations, (rows) =>
    run(
      `UNWIND $rows AS row MATCH (from:EmendEntity {key: row.from}), (to:EmendEntity {key: row.to})
       CREATE (from)-[r:$(row.type)]->(to) SET r = row.properties`,
      { rows },
    ),
  );
}

/** Removes sources inside one transaction. Returns how many existed. */
export async function removeNeo4jSources(run: RunInside, ids: readonly string[]): Promise<number> {
  await oneWriter(run);
  return deleteSources(run, ids);
}

/** Gives the facts of passages the metadata that these have now, inside one transaction. */
export async function restateNeo4jSources(
  run: RunInside,
  changes: readonly { before: Passage; after: Passage }[],
): Promise<void> {
  await oneWriter(run);
  const rows = changes.map(({ before, after }) => ({
    from: passageSourceId(before),
    to: passageSourceId(after),
    content: contentHash(after),
    metadata: after.metadata ? metadataPairs(after.metadata) : null,
  }));
  // Facts may be left there of an earlier time.
  await deleteSources(
    run,
    rows.flatMap(({ from, to }) => (from === to ? [] : [to])),
  );
  await inBatches(rows, (rows) =>
    run(
      `UNWIND $rows AS row MATCH (s:EmendSource {id: row.from})
       CALL (s, row) { MATCH (s)-[:EMEND_SAYS]->()-[r {source: row.from}]->() SET r.source = row.to }
       SET s.id = row.to, s.metadata = row.metadata,
         s.hash = left(s.hash, size(s.hash) - size(last(split(s.hash, ' ')))) + row.content`,
      { rows },
    ),
  );
}

/** Takes a lock that makes writers wait for each other. Raises the version, by which readers notice a write. */
async function oneWriter(run: RunInside): Promise<void> {
  await run("MERGE (s:EmendState {key: 'graph'}) SET s.version = coalesce(s.version, 0) + 1");
}

/** Deletes sources with their relations, and the entities without any other. Relations made by others count too. */
async function deleteSources(run: RunInside, ids: readonly string[]): Promise<number> {
  let count = 0;
  await inBatches([...new Set(ids)], async (ids) => {
    await run(
      `MATCH (s:EmendSource) WHERE s.id IN $ids
       MATCH (s)-[:EMEND_SAYS]->()-[r {source: s.id}]->() DELETE r`,
      { ids },
    );
    const [row] = await run(
      `MATCH (s:EmendSource) WHERE s.id IN $ids
       OPTIONAL MATCH (s)-[:EMEND_SAYS]->(e)
       WITH collect(DISTINCT s) AS sources, collect(DISTINCT e) AS entities
       CALL (sources) { UNWIND sources AS s DETACH DELETE s }
       CALL (entities) { UNWIND entities AS e WITH e WHERE NOT EXISTS { (e)--() } DELETE e }
       RETURN size(sources) AS count`,
      { ids },
    );
    count += Number(row?.get("count") ?? 0);
  });
  return count;
}

/** Returns a label or relation type as given. A name that looks like emend's own gets a prefix. */
const typeName = (name: string) => (/^emend/i.test(name) ? `_${name}` : name).slice(0, MAX_TYPE_LENGTH);
const MAX_TYPE_LENGTH = 500;

/** Runs a query on a few thousand rows at a time, so that one message and one UNWIND do not contain a whole import. */
async function inBatches<T extends string | GraphRow>(
  all: readonly T[],
  work: (batch: T[]) => Promise<unknown>,
): Promise<void> {
  for (let i = 0; i < all.length; i += BATCH) await work(all.slice(i, i + BATCH));
}

const BATCH = 5_000;
