import { metadataPairs } from "../../text/metadata.js";
import type { Given } from "../knowledge/triples.js";
import type { RunInside } from "./connection.js";
import { type EntityNames, inBatches, joinEntities, regroup } from "./entities.js";

/**
 * Replaces sources inside one transaction. A source keeps the ids of its relations, so that removing it needs no search,
 * however many relations its entities have.
 */
export async function storeNeo4jSources(run: RunInside, given: readonly Given[]): Promise<void> {
  await oneWriter(run);
  const { touched, named } = await takeOut(
    run,
    given.map(({ source }) => source.id),
  );
  const keyOf = await joinEntities(run, given.flatMap(entitiesOf));
  await inBatches(
    given.map(({ source }) => ({ ...source, metadata: source.metadata ? metadataPairs(source.metadata) : null })),
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
  await settle(run, touched, named);
}

/** Removes sources inside one transaction. Returns how many existed. */
export async function removeNeo4jSources(run: RunInside, ids: readonly string[]): Promise<number> {
  await oneWriter(run);
  const { count, touched, named } = await takeOut(run, ids);
  await settle(run, touched, named);
  return count;
}

/** Returns a label or relation type as given. A name that looks like emend's own gets a prefix. */
const typeName = (name: string) => (/^emend/i.test(name) ? `_${name}` : name).slice(0, LONGEST_TYPE);
const LONGEST_TYPE = 500;

const entitiesOf = ({ triples }: Given): EntityNames[] =>
  triples
    .flatMap(({ subject, object }) => [subject, object])
    .map(({ name, type, aliases }) => ({ names: [name, ...aliases], types: type === "" ? [] : [typeName(type)] }));

/** Takes a lock that makes writers wait for each other. Raises the version, by which readers notice a write. */
async function oneWriter(run: RunInside): Promise<void> {
  await run("MERGE (s:EmendState {key: 'graph'}) SET s.version = coalesce(s.version, 0) + 1");
}

/** An entity, and a name that a relation used for it. */
type Called = { key: string; name: string };

/**
 * Removes sources with their relations. Returns the entities at the ends of these, and those with aliases in the
 * sources.
 */
async function takeOut(run: RunInside, ids: readonly string[]) {
  const touched = new Map<string, Called>();
  const named = new Set<string>();
  const touch = (called: readonly Called[]) => {
    for (const { key, name } of called) touched.set(JSON.stringify([key, name]), { key, name });
  };
  let count = 0;
  await inBatches([...new Set(ids)], async (batch) => {
    const rows = await run(
      `MATCH (s:EmendSource) WHERE s.id IN $ids
       CALL (s) {
         UNWIND s.relations AS id
         MATCH (a)-[r]->(b) WHERE elementId(r) = id AND r.source = s.id
         ${DELETED}, count(*) AS deleted
       }
       RETURN s.id AS id, touched, deleted, size(s.relations) AS held, [(s)-[:EMEND_SAYS]->(e) | e.key] AS named`,
      { ids: batch },
    );
    count += rows.length;
    for (const row of rows) {
      touch(row.get("touched"));
      for (const key of row.get("named") as string[]) named.add(key);
      // Copying a database may change the ids of relations, so those not found by id are searched for.
      if (row.get("deleted").lessThan(row.get("held"))) touch(await searchOut(run, String(row.get("id"))));
    }
    await run("MATCH (s:EmendSource) WHERE s.id IN $ids DETACH DELETE s", { ids: batch });
  });
  return { count, touched: [...touched.values()], named };
}

async function searchOut(run: RunInside, source: string): Promise<Called[]> {
  const [row] = await run(`MATCH (a:EmendEntity)-[r {source: $source}]->(b:EmendEntity) ${DELETED}`, { source });
  return (row?.get("touched") as Called[] | undefined) ?? [];
}

const DELETED = `WITH r, {key: a.key, name: r.subject} AS subject, {key: b.key, name: r.object} AS object DELETE r
  RETURN collect(DISTINCT subject) + collect(DISTINCT object) AS touched`;

/** Removes entities that no source mentions any more, and updates the names of the others. */
async function settle(run: RunInside, touched: readonly Called[], named: ReadonlySet<string>): Promise<void> {
  await removeUnspoken(run, [...new Set(touched.map(({ key }) => key))]);
  const changed = new Set(named);
  await inBatches(touched, async (rows) => {
    const uncalled = await run(
      `UNWIND $rows AS row MATCH (e:EmendEntity {key: row.key})
       WHERE size(e.names) > 1 AND NOT EXISTS { (e)-[r]->() WHERE r.subject = row.name }
         AND NOT EXISTS { (e)<-[r]-() WHERE r.object = row.name }
       RETURN DISTINCT e.key AS key`,
      { rows },
    );
    for (const row of uncalled) changed.add(row.get("key"));
  });
  await regroup(run, [...changed]);
}

/** Removes entities without relations, and their aliases. Relations made by others count too. */
async function removeUnspoken(run: RunInside, touched: readonly string[]): Promise<void> {
  await inBatches(touched, (keys) =>
    run(
      `UNWIND $keys AS key MATCH (e:EmendEntity {key: key})
       WHERE COUNT { (e)--() } = COUNT { (e)<-[:EMEND_SAYS|EMEND_NAMES]-() }
       OPTIONAL MATCH (alias:EmendAlias)-[:EMEND_NAMES]->(e)
       DETACH DELETE alias, e`,
      { keys },
    ),
  );
}
