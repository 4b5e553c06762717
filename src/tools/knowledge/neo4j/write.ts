import type { RunInside } from "../../neo4j/connection.js";
import type { Given } from "../given.js";
import type { Entity } from "../port.js";
import { inBatches } from "./batches.js";
import { type EntityNames, joinEntities, regroup } from "./entities.js";

/**
 * Replaces sources whole, inside one transaction. A source keeps the ids of its relations, so that it is removed without
 * a search, however many relations its entities have.
 */
export async function storeSources(run: RunInside, given: readonly Given[]): Promise<void> {
  await oneWriter(run);
  const { touched, named } = await takeOut(
    run,
    given.map(({ source }) => source.id),
  );
  const keyOf = await joinEntities(run, given.flatMap(entitiesOf));
  await inBatches(
    given.map(({ source }) => ({ ...source })),
    (rows) => run("UNWIND $rows AS row CREATE (s:EmendSource) SET s = row, s.relations = []", { rows }),
  );
  const triples = given.flatMap(({ source, triples }) =>
    triples.map(({ subject, predicate, object, quote }) => ({
      source: source.id,
      from: keyOf(subject.name),
      to: keyOf(object.name),
      type: typeName(predicate),
      properties: { source: source.id, quote, subject: subject.name, object: object.name },
    })),
  );
  await inBatches(triples, (rows) =>
    run(
      `UNWIND $rows AS row
       MATCH (from:EmendEntity {key: row.from}), (to:EmendEntity {key: row.to})
       CREATE (from)-[r:$(row.type)]->(to) SET r = row.properties
       WITH row.source AS source, collect(elementId(r)) AS relations
       MATCH (s:EmendSource {id: source}) SET s.relations = s.relations + relations`,
      { rows },
    ),
  );
  const said = given.flatMap(({ source, triples }) =>
    triples
      .flatMap(({ subject, object }) => [subject, object])
      .filter(({ aliases }) => aliases.length > 0)
      .map((entity) => ({ source: source.id, key: keyOf(entity.name), names: [entity.name, ...entity.aliases] })),
  );
  await inBatches(said, (rows) =>
    run(
      `UNWIND $rows AS row MATCH (s:EmendSource {id: row.source}), (e:EmendEntity {key: row.key})
       MERGE (s)-[:EMEND_SAYS {names: row.names}]->(e)`,
      { rows },
    ),
  );
  await removeUnspoken(run, touched);
  await regroup(run, named);
}

/** Removes sources inside one transaction, and says how many there were. */
export async function removeSources(run: RunInside, ids: readonly string[]): Promise<number> {
  await oneWriter(run);
  const { count, touched, named } = await takeOut(run, ids);
  await removeUnspoken(run, touched);
  await regroup(run, named);
  return count;
}

/** A label or relation type as it is given; what would pass for emend's own gets a sign before it. */
const typeName = (name: string) => (/^emend/i.test(name) ? `_${name}` : name).slice(0, LONGEST_TYPE);
const LONGEST_TYPE = 500;

const entitiesOf = ({ triples }: Given): EntityNames[] =>
  triples.flatMap(({ subject, object }) => [subject, object].map(asNames));

const asNames = ({ name, type, aliases }: Entity): EntityNames => ({
  names: [name, ...aliases],
  types: type === "" ? [] : [typeName(type)],
});

/** Writers wait for each other here, and readers see by the number that something was written while they read. */
async function oneWriter(run: RunInside): Promise<void> {
  await run("MERGE (s:EmendState {key: 'graph'}) SET s.version = coalesce(s.version, 0) + 1");
}

/** Takes sources out with their relations. The entities those were between, and those they gave several names. */
async function takeOut(run: RunInside, ids: readonly string[]) {
  const [touched, named] = [new Set<string>(), new Set<string>()];
  let count = 0;
  await inBatches([...new Set(ids)], async (batch) => {
    const rows = await run(
      `MATCH (s:EmendSource) WHERE s.id IN $ids
       CALL (s) {
         UNWIND s.relations AS id
         MATCH (a)-[r]->(b) WHERE elementId(r) = id AND r.source = s.id
         WITH r, a.key AS a, b.key AS b DELETE r
         RETURN collect(DISTINCT a) + collect(DISTINCT b) AS touched, count(*) AS deleted
       }
       RETURN s.id AS id, touched, deleted, size(s.relations) AS held, [(s)-[:EMEND_SAYS]->(e) | e.key] AS named`,
      { ids: batch },
    );
    count += rows.length;
    for (const row of rows) {
      for (const key of row.get("touched") as string[]) touched.add(key);
      for (const key of row.get("named") as string[]) named.add(key);
      // The ids of relations change when a database is copied in a compact form; what is left is searched for.
      if (row.get("deleted").lessThan(row.get("held")))
        for (const key of await searchOut(run, String(row.get("id")))) touched.add(key);
    }
    await run("MATCH (s:EmendSource) WHERE s.id IN $ids DETACH DELETE s", { ids: batch });
  });
  return { count, touched: [...touched], named: [...named] };
}

async function searchOut(run: RunInside, source: string): Promise<string[]> {
  const [row] = await run(
    `MATCH (a:EmendEntity)-[r {source: $source}]->(b:EmendEntity) WITH r, a.key AS a, b.key AS b DELETE r
     RETURN collect(DISTINCT a) + collect(DISTINCT b) AS touched`,
    { source },
  );
  return (row?.get("touched") as string[] | undefined) ?? [];
}

/** Entities without a relation go, with their other names. A relation that somebody else made keeps one. */
async function removeUnspoken(run: RunInside, touched: readonly string[]): Promise<void> {
  await inBatches(touched, (keys) =>
    run(
      `UNWIND $keys AS key MATCH (e:EmendEntity {key: key})
       WHERE COUNT { (e)--() } = COUNT { (e)<-[:EMEND_MENTIONS|EMEND_SAYS|EMEND_NAMES]-() }
       OPTIONAL MATCH (alias:EmendAlias)-[:EMEND_NAMES]->(e)
       DETACH DELETE alias, e`,
      { keys },
    ),
  );
}
